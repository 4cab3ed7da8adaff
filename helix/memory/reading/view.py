"""What is read from: the vault as it is, or as it was at a commit. Every reading verb works on either."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from helix.errors import HelixError, MemoryNotFound
from helix.index.catalog import Catalog, Row
from helix.index.where import Reach, Where, to_predicate
from helix.memory.reading.link_graph import Links
from helix.vault.note import Note
from helix.vault.times import parse_time

if TYPE_CHECKING:
    from helix.index.search import Searcher

_PAUSE = 0.02
_PATIENT = 15


@dataclass(frozen=True)
class Caller:
    """Who asks, and from where. What is not known widens what is seen and is never guessed."""

    project: str | None = None
    session: str | None = None
    agent: str | None = None


class _Known:
    """The rows of the catalog, and what was made of them, for as long as nothing is committed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: object = None
        self._rows: list[Row] = []
        self._links: Links | None = None
        self._latest: list[tuple[float, Row]] | None = None

    def rows(self, catalog: Catalog) -> list[Row]:
        with self._lock:
            return self._current(catalog)

    def links(self, catalog: Catalog) -> Links:
        with self._lock:
            rows = self._current(catalog)
            if self._links is None:
                self._links = Links(rows)
            return self._links

    def latest(self, catalog: Catalog) -> list[tuple[float, Row]]:
        with self._lock:
            rows = self._current(catalog)
            if self._latest is None:
                # A time is parsed, and ten thousand rows are sorted, once per commit and not once per question.
                self._latest = sorted(
                    ((changed_at(row), row) for row in rows), key=lambda one: (-one[0], one[1].id)
                )
            return self._latest

    def _current(self, catalog: Catalog) -> list[Row]:
        version = catalog.version()  # before the rows: they may be newer than it says, never older
        if version != self._version:
            self._rows, self._links, self._latest = catalog.memories(include_hidden=True), None, None
            self._version = version
        return self._rows


@dataclass(frozen=True)
class View:
    catalog: Catalog
    read: Callable[[str], Note]
    """the note at a path"""
    searcher: Callable[[], Searcher]
    """waits for the index when it is not ready yet"""
    now: Callable[[], datetime]
    commit: str | None = None
    _known: _Known = field(default_factory=_Known, repr=False, compare=False)

    def row(self, memory_id: str) -> Row:
        row = self.catalog.find_folded(memory_id)
        if row is None:
            when = f" at commit {self.commit[:10]}" if self.commit else ""
            raise MemoryNotFound(
                f"there is no memory {memory_id[:200]!r}{when}; search for it, or look at the recent ones"
            )
        return row

    def get(self, memory_id: str) -> Note:
        """Raises MemoryNotFound, also when its file has gone a moment ago, and NoteError when it cannot be read."""
        row = self.row(memory_id)
        note = self.find(row.id, tries=_PATIENT)
        if note is not None:
            return note
        with contextlib.suppress(FileNotFoundError):
            if (unread := self.read(row.path).unread) is not None:  # or reading says what is wrong with it
                raise unread
        raise MemoryNotFound(
            f"the file of {row.id}, {row.path}, does not hold it any more; it was moved or deleted"
        )

    def find(self, memory_id: str, *, tries: int = 2) -> Note | None:
        """None also for one whose file is gone or broken: the follower is about to say so."""
        for attempt in range(tries):
            if attempt:
                time.sleep(
                    _PAUSE
                )  # vim moves the file away, VS Code truncates it, before the new text is there
            row = self.catalog.find(memory_id)
            if row is None:
                return None
            try:
                note = self.read(row.path)
            except (FileNotFoundError, HelixError):
                continue
            if note.id == memory_id:
                return note
        return None

    def rows(self, reaches: tuple[Reach, ...] | None, *, include_hidden: bool = False) -> list[Row]:
        """The memories that somebody with this reach sees."""
        where = Where(reaches=reaches, active_only=not include_hidden)
        return list(filter(to_predicate(where), self.everything()))

    def everything(self) -> list[Row]:
        """One row per memory, hidden ones too. Not to be changed."""
        return self._known.rows(self.catalog)

    def latest(self, since: datetime | None = None) -> Iterator[Row]:
        """Every memory, hidden ones too, by its last change; the latest first."""
        earliest = -math.inf if since is None else since.timestamp()
        for changed, row in self._known.latest(self.catalog):
            if changed < earliest:
                return
            yield row

    def links(self) -> Links:
        return self._known.links(self.catalog)


def changed_at(row: Row) -> float:
    """When a memory was last changed, as far as it says so itself."""
    moment = parse_time(row.meta.get("updated_at")) or parse_time(row.meta.get("created_at"))
    return moment.timestamp() if moment else 0.0


def reaches(scope: str | None, caller: Caller) -> tuple[Reach, ...] | None:
    """What reading at a scope sees: that scope and the wider ones; None, for all, sees everything.

    Somebody who does not say in which project they are sees all projects. What has no project is seen from each.
    """
    if scope is None:
        return None
    seen = [Reach("global")]
    projects = None if caller.project is None else (caller.project, "")
    if scope in ("project", "session"):
        seen.append(Reach("project", projects))
    if scope == "session":
        seen.append(Reach("session", projects, caller.session))
    return tuple(seen)
