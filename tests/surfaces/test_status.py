"""What a person who looks after a daemon sees of it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from helix.errors import HelixError
from helix.memory.place import Place
from helix.surfaces.monitoring.clients import Clients
from helix.surfaces.monitoring.measurements import CachedMeasurement, git_state
from helix.surfaces.monitoring.metrics import Metrics
from tests.surfaces.conftest import Served
from tests.vault.git_sandbox import Sandbox
from tests.waiting import wait_for


def status(served: Served) -> dict[str, Any]:
    return dict(served.http.get("/status").json())


def test_it_says_how_fast_answers_are_how_many_tokens_were_served_and_who_asked(served: Served) -> None:
    headers = {"Helix-Client": "claude-code", "Helix-Project": "quay", "Helix-Session": "s-7"}
    for _ in range(3):
        served.http.get("/recall", params={"q": "anything", "max_tokens": 500}, headers=headers)
    said = status(served)
    [recall] = [one for one in said["routes"] if one["route"] == "/recall"]
    assert recall["requests"] >= 3
    assert 0 < recall["p50_ms"] <= recall["p95_ms"]
    [search] = [one for one in said["verbs"] if one["verb"] == "search"]
    assert search["tokens_asked"] >= 1500
    assert 0 < search["tokens_served"] <= search["tokens_asked"]
    [client] = [one for one in said["clients"] if one["name"] == "claude-code" and one["project"] == "quay"]
    assert (client["session_count"], client["transport"]) == (1, "rest")
    assert "anything" not in str(said)


def test_it_says_how_disk_git_watcher_and_embedder_are(served: Served) -> None:
    # Each of these begins by itself, and not in this order.
    said = wait_for(
        lambda: (
            (one := status(served))["disk"] and one["git"] and one["watcher"]["state"] == "watching" and one
        )
    )
    assert said["disk"]["vault_bytes"] > 1000
    assert said["disk"]["free_bytes"] > 0
    assert said["git"]["branch"]
    assert said["git"]["error"] is None
    assert said["embedder"]["model"] is None
    assert said["listeners"] == 0
    assert said["mcp_sessions"] >= 0


def test_every_host_is_named_with_its_files_and_what_belongs_into_them(served: Served) -> None:
    hosts = {one["name"]: one for one in served.http.get("/hosts").json()["hosts"]}
    claude = hosts["claude-code"]
    assert claude["files"]["project"] == ".mcp.json"
    assert "helix-mcp" in claude["fragment"]
    assert f"{served.url}/mcp" in claude["http_fragment"]
    assert claude["command"].startswith("helix connect claude-code")
    assert len(hosts) >= 8


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_state_of_git_is_told_and_its_absence_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "git init" in str(git_state(tmp_path, False)["error"])
    there = Sandbox.create(tmp_path / "there")
    there.write("a.md", "one")
    there.save()
    subprocess.run(["git", "clone", "-q", str(tmp_path / "there"), str(tmp_path / "here")], check=True)
    here = Sandbox(tmp_path / "here")
    here.write("b.md", "mine")
    here.git("config", "user.email", "ada@example.com")
    here.git("config", "user.name", "Ada")
    here.save()
    here.write("c.md", "not yet")
    said = git_state(tmp_path / "here", True)
    assert said == {
        "branch": "main", "dirty": 1, "ahead": 1, "behind": 0, "autocommit": True, "error": None,
    }  # fmt: skip
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not installed" in str(git_state(tmp_path / "here", True)["error"])


def test_a_figure_is_measured_aside_once_and_not_waited_for() -> None:
    go, asked = threading.Event(), []

    def measure() -> dict[str, Any]:
        asked.append(1)
        go.wait(10)
        return {"n": len(asked)}

    figure = CachedMeasurement(measure, lasts=60, patience=0.01)
    assert figure.get() is None
    assert figure.get() is None
    go.set()
    assert wait_for(figure.get) == {"n": 1}
    assert figure.get() == {"n": 1}


def test_a_figure_that_cannot_be_measured_is_none() -> None:
    def measure() -> dict[str, Any]:
        raise HelixError("no")

    assert CachedMeasurement(measure, lasts=0, patience=5).get() is None


def test_the_table_of_clients_is_short_and_the_last_comes_first() -> None:
    clients = Clients(lambda: datetime(2026, 11, 17, tzinfo=UTC))
    for number in range(150):
        clients.saw(Place("p", f"s-{number}", f"agent-{number}"), "mcp")
    for number in range(300):
        clients.saw(Place("p", f"s-{number}", "busy"), "mcp")
    seen = clients.lately()
    assert len(seen) == 100
    assert (seen[0]["name"], seen[0]["session_count"]) == ("busy", 200)
    assert seen[1]["name"] == "agent-149"


def test_a_latency_lies_in_the_bucket_that_holds_it() -> None:
    metrics = Metrics(dict)
    for milliseconds in [3] * 90 + [400] * 10:
        metrics.seconds.labels("/x").observe(milliseconds / 1000)
    metrics.seconds.labels("/slow").observe(500.0)
    figures = {one["route"]: one for one in metrics.routes()}
    assert 2.5 <= figures["/x"]["p50_ms"] <= 5
    assert 250 <= figures["/x"]["p95_ms"] <= 500
    assert figures["/slow"]["p50_ms"] == 60_000
