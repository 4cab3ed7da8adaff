"""A vault with the real follower on its thread, and bounded waits for what it does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from helix.compose import open_vault
from helix.config import Config, FollowConfig
from helix.follow.follower import Follower
from helix.index.catalog import Row
from helix.memory.followed_vault import FollowedVault
from helix.vault.problem import Problem
from helix.vault.vault_id import IDENTITY_FILE, new_identity
from tests.waiting import wait_for

PATIENCE = 20.0


class Followed:
    def __init__(self, folder: Path, helix: FollowedVault, follower: Follower) -> None:
        self.folder = folder
        self.helix = helix
        self.follower = follower
        self.catalog = helix.catalog

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def read(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")

    def row(self, memory_id: str) -> Row:
        row = self.catalog.find(memory_id)
        assert row is not None
        return row

    def title(self, memory_id: str) -> str | None:
        row = self.catalog.find(memory_id)
        return None if row is None else row.title

    def path(self, memory_id: str) -> str | None:
        row = self.catalog.find(memory_id)
        return None if row is None else row.path

    def paths(self) -> list[str]:
        return [row.path for row in self.catalog.memories(include_hidden=True)]

    def problem(self, path: str) -> Problem | None:
        return next((problem for problem in self.catalog.problems() if problem.path == path), None)

    @property
    def state(self) -> str:
        return self.follower.health().state

    def wait_for_watch(self) -> None:
        """An event proves that the watch stands; a dot file makes one and is no record."""

        def stands() -> bool:
            (self.folder / ".nudge").write_text(str(time.monotonic()))
            return self.follower.health().watcher == "watching"

        wait_for(stands)

    @contextmanager
    def seen_hashes(self, memory_id: str) -> Iterator[set[str]]:
        """The states of one memory that a reader of the catalog could see meanwhile; "" when there was none."""
        seen: set[str] = set()
        stop = threading.Event()

        def look() -> None:
            while not stop.wait(0.001):
                row = self.catalog.find(memory_id)
                seen.add("" if row is None else row.hash)

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield seen
        finally:
            stop.set()
            thread.join()


@contextmanager
def followed(
    place: Path, *, grace: float = 0.4, prepare: Callable[[Path], None] | None = None
) -> Iterator[Followed]:
    """The scan behind the watcher is far away, so that what is seen was seen through the watcher."""
    folder = place / "vault"
    (folder / ".helix").mkdir(parents=True)
    (folder / IDENTITY_FILE).write_bytes(new_identity())
    if prepare is not None:
        prepare(folder)
    config = Config(
        vault=folder,
        state_dir=place / "state",
        config_dir=place / "config",
        follow=FollowConfig(vanish_grace=grace, scan_interval=600),
    )
    with open_vault(config, must_follow=True) as helix:
        follower = helix.follower()
        follower.start()
        try:
            assert follower.wait_until_started(PATIENCE)
            world = Followed(folder, helix, follower)
            world.wait_for_watch()
            yield world
        finally:
            follower.stop()
