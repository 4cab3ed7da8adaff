"""helixd from its first answer to its last: starting, degraded, stopping, and the worker in between."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import BIN, helix, helix_json, listed
from tests.flows.daemon import Daemon, free_port, running_daemon, starting_daemon
from tests.waiting import wait_for


@pytest.fixture
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    return place / "vault"


def configure(place: Path, text: str) -> None:
    (place / "config").mkdir(exist_ok=True)
    (place / "config" / "config.toml").write_text(text)


def codes(daemon: Daemon) -> set[str]:
    return {reason["code"] for reason in daemon.health()["reasons"]}


def test_health_answers_before_anything_is_ready_and_says_when_it_is(vault: Path) -> None:
    seen: list[str] = []

    def state() -> str | None:
        try:
            status, said = daemon.get("/healthz")
        except OSError:
            return None
        assert status == 200
        seen.append(json.loads(said)["state"])
        return seen[-1]

    with starting_daemon() as daemon:
        wait_for(lambda: state() == "ready", 60)
    assert (
        seen[0] == "starting"
    )  # the search engine takes seconds to import; the first answer does not wait for it
    assert set(seen) == {"starting", "ready"}


def test_a_vault_that_goes_away_is_said_with_503_and_comes_back(vault: Path, place: Path) -> None:
    configure(place, "[follow]\nscan_interval = 0.2\n")
    with running_daemon() as daemon:
        vault.rename(place / "elsewhere")
        wait_for(lambda: daemon.get("/healthz")[0] == 503)
        assert "vault-missing" in codes(daemon)
        (place / "elsewhere").rename(vault)
        wait_for(lambda: daemon.health()["state"] == "ready")
        assert daemon.get("/healthz")[0] == 200


def test_a_pulled_brake_is_degraded_and_still_served(vault: Path) -> None:
    with running_daemon() as daemon:
        for number in range(40):
            (vault / f"n{number}.md").write_text(f"---\nid: n{number}\n---\ntext {number}\n")
        wait_for(lambda: daemon.health()["memories"]["active"] > 40)
        for number in range(40):
            (vault / f"n{number}.md").unlink()
        wait_for(lambda: "brake-pulled" in codes(daemon))
        assert daemon.get("/healthz")[0] == 200
        assert daemon.get("/stats")[0] == 200
        assert 'helix_degraded{reason="brake-pulled"} 1.0' in daemon.get("/metrics")[1]


def test_without_a_model_it_is_ready_if_that_was_wanted_and_degraded_if_not(
    vault: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_MODEL", "none")
    with running_daemon() as daemon:
        assert daemon.health()["state"] == "ready"
    monkeypatch.setenv("HELIX_MODEL", str(place / "no-such-model"))
    with running_daemon() as daemon:
        assert codes(daemon) == {"embedder-unavailable"}
        assert daemon.get("/recall?q=retries")[0] == 200


@pytest.mark.model
def test_a_fresh_vault_that_is_being_embedded_is_ready_and_says_how_far_it_is(vault: Path) -> None:
    count = 150
    for number in range(count):
        (vault / f"n{number}.md").write_text(
            f"---\nid: n{number}\n---\nThe heron of pond {number} eats frogs.\n"
        )
    with running_daemon() as daemon:
        seen = []

        def is_done() -> bool:
            said = daemon.health()
            if said["index"] is not None:
                seen.append((said["state"], said["reasons"], said["index"]["indexing"]))
            return bool(seen) and said["index"]["index_lag"] == 0 and said["state"] == "ready"

        wait_for(is_done, 120)
    assert {state for state, _, _ in seen} <= {"starting", "ready"}
    assert not any(reasons for _, reasons, _ in seen)
    under_way = [indexing for _, _, indexing in seen if indexing is not None]
    assert under_way
    assert all(one["done"] < one["total"] >= count for one in under_way)
    done = [one["done"] for one in under_way if one["total"] == under_way[-1]["total"]]
    assert done == sorted(done)
    last = under_way[-1]
    assert last["message"].startswith(f"indexing {last['done']:,} of {last['total']:,}")
    assert seen[-1][2] is None


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_stop_it_finishes_what_it_was_asked_and_lets_go(
    vault: Path, place: Path, how: signal.Signals
) -> None:
    answers: list[httpx.Response] = []

    def write(url: str) -> None:
        body = {"text": "Written while the daemon was asked to stop", "force": True}
        answers.append(httpx.post(f"{url}/remember", json=body, timeout=30))

    with running_daemon() as daemon:
        [record] = (place / "state").rglob("daemon.json")
        assert json.loads(record.read_text())["pid"] == daemon.process.pid
        # The write is on its way when the signal comes; it is answered, or was never begun.
        writer = threading.Thread(target=write, args=(daemon.url,))
        writer.start()
        wait_for(lambda: 'route="/remember"' in daemon.get("/metrics")[1] or not writer.is_alive())
        daemon.process.send_signal(how)
        said = daemon.last_words()
        writer.join()
    assert daemon.process.returncode == 0
    assert "stopped" in json.loads(said.splitlines()[-1])["message"]
    assert not record.exists()
    assert [lock.read_text() for lock in (place / "state").rglob("follow.lock")] == [""]
    [answer] = answers
    assert answer.json()["id"] in {row["id"] for row in listed()}


def test_a_record_of_a_killed_daemon_misleads_nobody(vault: Path, place: Path) -> None:
    with running_daemon() as first:
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(timeout=10)
    assert list((place / "state").rglob("daemon.json"))
    with running_daemon() as second:
        [record] = (place / "state").rglob("daemon.json")
        assert json.loads(record.read_text())["pid"] == second.process.pid


def test_the_worker_settles_exact_doubles_when_the_vault_is_quiet(vault: Path, place: Path) -> None:
    configure(place, "[consolidate]\ninterval_minutes = 0.005\nquiet = 0.3\n")
    text = "The tide tables are printed on the last Friday of each month"
    with running_daemon() as daemon:

        def state() -> Any:
            return daemon.health()["consolidation"]

        for number in range(2):
            (vault / f"tide{number}.md").write_text(
                f"---\nid: tide{number}\ntitle: Tide tables\ncreated_at: 2026-0{number + 1}-01\n---\n{text}\n"
            )
        wait_for(lambda: state()["applied"] == 1, 30)
        wait_for(lambda: "status: superseded" in (vault / "tide1.md").read_text())
        assert "status" not in (vault / "tide0.md").read_text().partition("supersedes")[0]
        assert daemon.get("/consolidate/pause", {}, "POST")[0] == 200
        assert state()["state"] == "paused"
        assert "helix_consolidation_applied_total 1.0" in daemon.get("/metrics")[1]


def test_any_free_port_is_taken_when_none_is_named(vault: Path, place: Path) -> None:
    process = subprocess.Popen([str(BIN / "helixd"), "--port", "0"], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        url = json.loads(process.stderr.readline())["url"]
        wait_for(lambda: _answers(url), 30)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_a_level_that_does_not_exist_is_one_sentence(vault: Path) -> None:
    env = {**os.environ, "HELIX_LOG_LEVEL": "loud"}
    done = subprocess.run([str(BIN / "helixd")], env=env, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert done.stderr == "helixd: log_level is 'loud'; give one of debug, info, warning, error\n"


def test_the_state_folder_may_be_deleted_under_it(vault: Path, place: Path) -> None:
    """And need not wait for the scan that comes once in a minute: commands would take it for gone until then."""
    with running_daemon() as daemon:
        wait_for(lambda: (said := daemon.health())["watcher"] == "watching" and not said["waiting"])
        # Away in one step: it may make a file in the folder while that is being emptied.
        (place / "state").rename(place / "deleted")
        shutil.rmtree(place / "deleted", ignore_errors=True)
        wait_for(lambda: list((place / "state").rglob("follow.lock")), 30)
        wait_for(lambda: daemon.health()["state"] == "ready")
        assert httpx.get(f"{daemon.url}/recent", timeout=30).status_code == 200
        [record] = wait_for(lambda: list((place / "state").rglob("daemon.json")))
        assert json.loads(record.read_text())["pid"] == daemon.process.pid


def test_a_folder_that_becomes_a_vault_under_the_daemon_keeps_its_daemon(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    (place / "vault").mkdir()
    (place / "vault" / "pump.md").write_text("The pump starts at six.\n")
    with running_daemon() as daemon:
        helix("init")
        assert helix_json("status")["pid"] == daemon.process.pid
        assert [row["text"] for row in listed()] == ["The pump starts at six."]
        second = subprocess.run([str(BIN / "helixd")], capture_output=True, text=True, timeout=60)
        assert second.returncode != 0
        assert "already follows this vault" in second.stderr
    assert "none runs" in helix_json("status")["daemon"]
    with running_daemon() as daemon:
        assert helix_json("status")["pid"] == daemon.process.pid
    assert [folder.name[:8] for folder in (place / "state" / "vaults").iterdir()].count("unnamed-") == 1


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False
