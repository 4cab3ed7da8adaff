"""What a daemon without a folder has in its place: the catalog and the notes of a vault as the database has them.

The catalog is a copy in a folder of this process' own, kept up with the versions of the index. Bodies are read where
they are, and those of late are kept in memory until they change.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix.errors import IndexNotReady
from helix.follow.follower import FollowerHealth
from helix.index.catalog import Catalog
from helix.index.station import Keeper
from helix.state.permissions import FILE
from helix.vault.note import Note

if TYPE_CHECKING:
    from helix.index.postgres.engine import PostgresEngine

log = logging.getLogger(__name__)

_MOST_NOTES = 2_000
_PATIENCE = 60.0


class Replica:
    def __init__(self, schema: str, folder: Path) -> None:
        """`folder` takes the files that the keeper shares."""
        self.schema = schema
        self.folder = folder
        self.on_change: list[Callable[[], None]] = []
        self.on_gone: list[Callable[[Sequence[str]], Any]] = []
        """hears which memories have left, so that nothing of them is kept here"""
        self.on_shared: dict[str, Callable[[], None]] = {}
        self._catalog: Catalog | None = None
        self._engine: PostgresEngine | None = None
        self._notes = ReplicaNotes(self)
        self._shared_version = 0
        self._is_whole = threading.Event()
        self._taken_seconds: float | None = None

    @property
    def notes(self) -> ReplicaNotes:
        return self._notes

    @property
    def engine(self) -> PostgresEngine:
        if self._engine is None:
            raise IndexNotReady("the database of the index is being opened; try again in a moment")
        return self._engine

    def fill(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def join(self, engine: PostgresEngine) -> None:
        """Begins to follow it; returns when everything is here."""
        self._engine = engine
        self._is_whole.clear()
        engine.start()
        if not self._is_whole.wait(_PATIENCE):
            raise IndexNotReady("the memories of the vault are still being read from the database")

    def leave(self) -> None:
        self._engine = None

    def take_in(self, _: Keeper, since: int) -> None:
        """On the thread that listens to the database."""
        catalog, engine = self._catalog, self._engine
        if catalog is None or engine is None:
            raise IndexNotReady("nobody has opened the copy yet")
        begun = time.monotonic()
        before = {row.id for row in catalog.memories(include_hidden=True)} if since == 0 else set()
        gone: list[str] = []
        for news in engine.notes.since(since):
            with catalog.transaction():
                for memory_id in news.gone:
                    catalog.drop_copy(memory_id)
                for kept in news.kept:
                    catalog.put_copy(kept)
            self._notes.forget([*news.gone, *(kept.id for kept in news.kept)])
            gone += [*news.gone, *(kept.id for kept in news.kept if kept.status == "erased")]
            before.difference_update(kept.id for kept in news.kept)
        if before:
            with catalog.transaction():
                for memory_id in before:
                    catalog.drop_copy(memory_id)
            self._notes.forget([*before])
        self._take_files(engine, 0 if since == 0 else self._shared_version)
        if forgotten := [*gone, *before]:
            catalog.erase(forgotten)
            for tell in self.on_gone:
                tell(forgotten)
        self._taken_seconds = time.monotonic() - begun
        self._is_whole.set()
        for changed in self.on_change:
            changed()

    def _take_files(self, engine: PostgresEngine, since: int) -> None:
        for shared in engine.notes.shared_since(since):
            draft = self.folder / f".{shared.name}.{os.getpid()}"
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE), "wb") as file:
                file.write(shared.data)
            draft.replace(self.folder / Path(shared.name).name)
            self._shared_version = shared.version
            if (tell := self.on_shared.get(shared.name)) is not None:
                tell()

    # In the place of a follower

    def start(self) -> None:
        """It follows as soon as the engine is open."""

    def stop(self) -> None:
        """It ends with the engine."""

    def health(self) -> FollowerHealth:
        catalog = self._catalog
        return FollowerHealth(
            state="following" if self._is_whole.is_set() else "starting",
            reason=None,
            memories={} if catalog is None else catalog.count_by_status(),
            problems=0,
            conflicts=0,
            waiting=0,
            watcher="watching" if self._is_whole.is_set() else "starting",
            watcher_error=None,
            watcher_restarts=0,
            last_scan_seconds=self._taken_seconds,
            autocommit_error=None,
        )


class ReplicaNotes:
    """In the place of the cache of notes that are read from files."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Note] = OrderedDict()
        """by path"""
        self._era = 0

    def read(self, path: str) -> Note:
        with self._lock:
            era = self._era
            if (known := self._kept.get(path)) is not None:
                self._kept.move_to_end(path)
                return known
        note = self._replica.engine.notes.read(path)
        with self._lock:
            if era == self._era:
                self._kept[path] = note
                while len(self._kept) > _MOST_NOTES:
                    self._kept.popitem(last=False)
        return note

    def forget(self, memory_ids: Sequence[str]) -> None:
        gone = set(memory_ids)
        with self._lock:
            self._era += 1
            self._kept = OrderedDict((path, note) for path, note in self._kept.items() if note.id not in gone)

    def erase(self, memory_ids: Sequence[str]) -> bool:
        self.forget(memory_ids)
        return True
