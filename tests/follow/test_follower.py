from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from helix.compose import open_vault
from helix.config import Config
from helix.errors import VaultLocked
from helix.vault.diff import Change
from tests.flows.followed import PATIENCE, followed
from tests.follow.rig import record
from tests.waiting import wait_for


def test_what_was_there_before_the_start_is_known_when_it_has_started(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "a.md").write_text(record("mem_a"))
        (folder / "b.md").write_text("---\nid: [\n---\n")

    with followed(tmp_path, prepare=fill) as world:
        health = world.follower.health()
        assert (health.state, health.memories, health.problems) == ("following", {"active": 1}, 1)
        assert health.last_scan_seconds is not None


def test_whatever_goes_wrong_in_a_round_is_reported_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = threading.Event()
    with followed(tmp_path) as world:
        monkeypatch.setattr("helix.follow.follower._LONGEST_WAIT", 0.1)

        def tail(changes: Sequence[Change]) -> None:
            if failing.is_set():
                raise KeyError("the index is out of order")

        world.helix.reconciler.tail = tail
        failing.set()
        world.write("a.md", record("mem_a"))
        wait_for(lambda: world.state == "degraded")
        assert "out of order" in (world.follower.health().reason or "")
        assert world.catalog.doubted() == {"mem_a"}
        failing.clear()
        wait_for(lambda: world.catalog.doubted() == set())
        assert world.path("mem_a") == "a.md"
        wait_for(lambda: world.state == "following")


def test_an_empty_file_is_taken_in_when_it_stays_empty(tmp_path: Path) -> None:
    with followed(tmp_path) as world:
        world.write("Untitled.md", "")
        wait_for(lambda: world.follower.health().waiting)
        assert world.paths() == []
        wait_for(lambda: world.paths() == ["Untitled.md"])
        wait_for(lambda: world.follower.health().waiting == 0)


def test_it_stops_at_once_and_frees_the_vault_for_another(tmp_path: Path) -> None:
    with followed(tmp_path) as world:
        config: Config = world.helix.config
        with pytest.raises(VaultLocked), open_vault(config, must_follow=True):
            pass
        threads = world.follower._threads
        world.follower.stop()
        assert not any(thread.is_alive() for thread in threads)
    with open_vault(config, must_follow=True) as helix:
        follower = helix.follower()
        follower.start()
        assert follower.wait_until_started(PATIENCE)
        follower.stop()
