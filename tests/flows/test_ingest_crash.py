"""A folder that is ingested by a daemon that is killed, cancelled and asked again: in the end every file once."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import helix, helix_json, listed
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.waiting import wait_for

FILES = 80
PAGE = "<html><body><h1>Ward {number}</h1><p>The seals of ward {number} are fed at noon.</p></body></html>"


@pytest.fixture
def papers(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    folder = place / "papers"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"ward-{number:02}.html").write_text(PAGE.format(number=number))
    return folder


def _begin(daemon: Daemon, papers: Path) -> str:
    body = {"path": str(papers), "scope": "global"}
    answer = httpx.post(f"{daemon.url}/documents", json=body, timeout=20)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["job_id"])


def _job(daemon: Daemon, job_id: str) -> Any:
    status, answer = daemon.get(f"/jobs/{job_id}")
    assert status == 200, answer
    return json.loads(answer)


def _wards() -> list[str]:
    return sorted(memory["title"] for memory in listed("--kind", "document"))


def test_a_job_goes_on_after_the_daemon_was_killed_and_no_document_is_there_twice(papers: Path) -> None:
    with running_daemon() as first:
        job_id = _begin(first, papers)
        wait_for(lambda: _job(first, job_id)["done"] > 3)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(timeout=20)
    with running_daemon() as second:
        wait_for(lambda: _job(second, job_id)["state"] == "done", seconds=60)
        job = _job(second, job_id)
        assert (job["done"], job["total"], job["problems"]) == (FILES, FILES, [])
        assert sum(count for name, count in job["counts"].items() if name != "notes") == FILES
        assert _wards() == sorted(f"Ward {number}" for number in range(FILES))


def test_a_job_that_is_cancelled_keeps_what_it_has_and_the_same_again_does_the_rest(papers: Path) -> None:
    with running_daemon() as daemon:
        job_id = _begin(daemon, papers)
        assert _begin(daemon, papers) == job_id
        wait_for(lambda: _job(daemon, job_id)["done"] > 1)
        assert httpx.post(f"{daemon.url}/jobs/{job_id}/cancel", timeout=20).status_code == 200
        wait_for(lambda: _job(daemon, job_id)["state"] == "cancelled")
        cut_off = len(_wards())
        assert 0 < cut_off < FILES
        done = helix_json("ingest", str(papers), "--global")
        assert done["counts"]["unchanged"] == cut_off
        assert _wards() == sorted(f"Ward {number}" for number in range(FILES))


def test_a_daemon_that_is_stopped_does_not_wait_for_a_job_and_goes_on_with_it(papers: Path) -> None:
    with running_daemon() as daemon:
        job_id = _begin(daemon, papers)
        wait_for(lambda: _job(daemon, job_id)["done"] > 1)
    with running_daemon() as daemon:
        wait_for(lambda: _job(daemon, job_id)["state"] == "done", seconds=60)
        assert len(_wards()) == FILES
