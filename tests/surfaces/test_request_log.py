"""What is counted, what is logged, and what is not."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import anyio
import httpx
import pytest
from starlette.types import Receive, Scope, Send

from helix.surfaces.monitoring.metrics import Metrics
from helix.surfaces.monitoring.request_log import RequestLog
from tests.cli.commands import helix
from tests.flows.daemon import free_port, running_daemon
from tests.surfaces.conftest import Served


def figures(served: Served) -> dict[str, float]:
    lines = served.http.get("/metrics").text.splitlines()
    return {name: float(value) for name, _, value in (one.rpartition(" ") for one in lines if one[0] != "#")}


def test_requests_answers_and_the_vault_are_counted(served: Served) -> None:
    before = figures(served)
    memory_id = served.remember("Counted: the turnstone flock has 41 birds")
    served.http.get("/recall", params={"q": "turnstone flock", "max_tokens": 500})
    served.http.post("/forget", json={"id": memory_id})
    served.http.get(f"/memory/{memory_id}")
    after = figures(served)

    def grew(name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    assert grew('helix_requests_total{method="POST",route="/remember",status="200"}') == 1
    assert grew('helix_requests_total{method="GET",route="/memory/{id}",status="404"}') == 1
    assert grew('helix_request_seconds_count{route="/recall"}') == 1
    assert grew('helix_answers_total{status="created",verb="write"}') == 1
    assert grew('helix_answers_total{status="forgotten",verb="forget"}') == 1
    assert grew('helix_tokens_asked_total{verb="search"}') == 500
    assert 0 < grew('helix_tokens_served_total{verb="search"}') <= 500
    assert grew('helix_memories{status="deleted"}') == 1
    assert after["helix_uptime_seconds"] > 0
    for name in ("helix_index_lag", "helix_paths_waiting", "helix_conflicts", "helix_watcher_restarts_total"):
        assert name in after
    assert memory_id not in served.http.get("/metrics").text


def test_paths_that_nobody_serves_make_no_series_of_their_own(served: Served) -> None:
    for number in range(20):
        served.http.get(f"/nowhere/{number}")
        served.http.request("BREW", "/pot")
    routes = set(re.findall(r'route="([^"]*)"', served.http.get("/metrics").text))
    assert "none" in routes
    assert not any("nowhere" in route for route in routes)


def test_a_log_line_says_what_was_asked_and_never_with_which_words(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    with running_daemon({}, "--log-level", "info") as daemon:
        with httpx.Client(base_url=daemon.url, headers={"Helix-Client": "a%20test"}, timeout=30) as http:
            http.post("/remember", json={"text": "Whimbrels winter in the quiet bay", "force": True})
            http.get("/recall", params={"q": "whimbrels"})
            http.get("/memory/whimbrel-id")
            http.get("/whimbrels")
        daemon.process.terminate()
        said = daemon.last_words()
    lines = [json.loads(line) for line in said.splitlines()]
    assert "whimbrel" not in said.lower()
    asked = [line for line in lines if line["logger"] == "helix.request" and line["route"] != "/healthz"]
    assert [(line["method"], line["route"], line["status"]) for line in asked] == [
        ("POST", "/remember", 200),
        ("GET", "/recall", 200),
        ("GET", "/memory/{id}", 404),
        ("GET", "none", 404),
    ]
    assert all(line["ms"] > 0 and line["client"] == "a test" for line in asked)
    assert lines[0]["url"] == daemon.url
    assert "stopped" in lines[-1]["message"]


def test_what_nobody_expected_is_a_sentence_and_its_text_stays_out_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("a memory: my secret diary")

    async def story() -> httpx.Response:
        observed = RequestLog(broken, Metrics(dict))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(observed), base_url="http://test") as http:
            return await http.get("/recall")

    with caplog.at_level(logging.ERROR):
        answer = anyio.run(story)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "diary" not in answer.text + caplog.text
    [record] = caplog.records
    assert record.__dict__["error"] == "ValueError"
    assert any("broken" in frame for frame in record.__dict__["frames"])
