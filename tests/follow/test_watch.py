from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.follow.watch import Watcher
from tests.waiting import wait_for


class Told:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: set[str] = set()
        self.everything = 0
        self._lock = threading.Lock()
        self.watcher = Watcher(str(folder), self)

    def __call__(self, paths: set[str] | None) -> None:
        with self._lock:
            if paths is None:
                self.everything += 1
            else:
                self.paths |= paths

    def nudge(self) -> bool:
        (self.folder / ".nudge").write_text("x")
        return self.watcher.stands.is_set()


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    folder = tmp_path / "vault"
    (folder / ".git").mkdir(parents=True)
    (folder / "sub").mkdir()
    told = Told(folder)
    told.watcher.start()
    wait_for(told.nudge)
    yield told
    told.watcher.stop()


def test_paths_are_told_relative_to_the_vault_and_those_in_dot_folders_are_not(told: Told) -> None:
    (told.folder / ".git" / "index").write_text("x")
    (told.folder / "sub" / "ünï.md").write_text("x")
    (told.folder / ".helixignore").write_text("x")
    wait_for(lambda: {"sub/ünï.md", ".helixignore"} <= told.paths)
    assert not any(path.startswith(".git/") for path in told.paths)


def test_when_the_watch_stands_everything_is_looked_at_once(told: Told) -> None:
    assert told.everything == 1


def test_a_watcher_that_died_says_so_and_comes_back(told: Told) -> None:
    os.rename(told.folder, told.folder.with_name("away"))
    wait_for(lambda: told.watcher.last_error)
    assert told.everything >= 2, "anything may have happened meanwhile"
    os.rename(told.folder.with_name("away"), told.folder)
    wait_for(lambda: told.nudge() and told.watcher.last_error is None)
    (told.folder / "later.md").write_text("x")
    wait_for(lambda: "later.md" in told.paths)


def test_another_folder_in_the_same_place_is_watched_instead(told: Told) -> None:
    os.rename(told.folder, told.folder.with_name("away"))
    told.folder.mkdir()
    told.watcher.stands.clear()
    before = told.everything
    wait_for(lambda: told.everything > before and told.nudge())
    (told.folder / "new.md").write_text("x")
    wait_for(lambda: "new.md" in told.paths)


def test_it_stops_within_its_patience(told: Told) -> None:
    told.watcher.stop()
    assert not told.watcher._thread.is_alive()


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_folder_that_a_link_also_leads_to_is_told_under_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / ".obsidian").mkdir()
    (folder / "link").symlink_to("sub")
    (folder / ".obsidian" / "link").symlink_to("../sub")
    (folder / "out").symlink_to(tmp_path)
    told = Told(folder)
    told.watcher.start()
    try:
        wait_for(told.nudge)
        (folder / "sub" / "a.md").write_text("x")
        wait_for(lambda: "sub/a.md" in told.paths)
        assert not any(path.startswith(("link/", "out/")) for path in told.paths)
    finally:
        told.watcher.stop()
