"""Many clients at once, on a vault of their own."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.cli.commands import helix
from tests.flows.daemon import running_daemon
from tests.scale import scaled
from tests.surfaces.clients import run_clients
from tests.surfaces.conftest import surroundings


def test_thirty_two_clients_get_no_error_and_every_acknowledged_write_is_found(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    helix("init", env=env)
    with running_daemon(env) as daemon:
        tallies = run_clients(daemon.url, clients=32, seconds=scaled(5))
        assert [error for tally in tallies for error in tally.errors] == []
        written = {memory_id: word for tally in tallies for memory_id, word in tally.written.items()}
        assert written
        texts = {file.stem: file.read_text("utf-8") for file in (tmp_path / "vault").rglob("*.md")}
        assert {
            memory_id for memory_id, word in written.items() if word not in texts.get(memory_id, "")
        } == set()
        with httpx.Client(base_url=daemon.url, timeout=30) as http:
            for memory_id, word in list(written.items())[:: max(1, len(written) // 40)]:
                found = http.get("/recall", params={"q": word}).json()["results"]
                assert memory_id in {one["id"] for one in found}, word
            assert http.get("/stats").json()["by_status"]["active"] >= len(written)
