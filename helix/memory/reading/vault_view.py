"""The view of everything in a vault, for who may see that; others get it narrowed."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from helix.errors import HelixError, MemoryNotFound
from helix.index.catalog import Catalog, Row, best_typed
from helix.index.filters import Condition, Reach, Where, predicate_of, to_predicate
from helix.memory.reading.link_graph import Links
from helix.memory.reading.view import changed_at
from helix.vault.note import Note
from helix.vault.problem import Problem

if TYPE_CHECKING:
    from helix.index.search import Question, SearchAnswer, Searcher

_PAUSE = 0.02
_PATIENT = 15
_MOST_FOUND = 2_000
_MOST_PARTS = 32  # of those who asked last

ReadNote = Callable[[str], Note]
"""the note at a path"""


class KnownPart:
    """The memories that somebody sees."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    @cached_property
    def links(self) -> Links:
        return Links(self.rows)


class _Known:
    """The rows of the catalog, and what was made of them, for as long as nothing is committed."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._version: object = None
        self._rows: list[Row] = []
        self._links: Links | None = None
        self._latest: list[tuple[float, Row]] | None = None
        self._found: tuple[object, dict[str, Row | None]] = (None, {})
        """single rows, and the version that they are of; exchanged as one, so that nobody waits for who reads all. That
        one is not there is known too: it takes as long to say so as of one that is there and not to be seen"""
        self._typed: tuple[object, dict[str, list[Row]]] = (None, {})
        """the same for ids that somebody typed"""
        self._parts: OrderedDict[Condition, tuple[object, KnownPart]] = OrderedDict()

    def find(self, memory_id: str) -> Row | None:
        """One row, without reading all of them: the hits of a search are looked up again and again."""
        found = self._known_by_now()
        if memory_id not in found:
            found[memory_id] = self._catalog.find(memory_id)
        return found[memory_id]

    def find_all(self, memory_ids: Sequence[str]) -> dict[str, Row]:
        known = self._known_by_now()
        if missing := [memory_id for memory_id in memory_ids if memory_id not in known]:
            rows = self._catalog.find_all(missing)
            known.update((memory_id, rows.get(memory_id)) for memory_id in missing)
        found = {memory_id: known[memory_id] for memory_id in memory_ids}
        return {memory_id: row for memory_id, row in found.items() if row is not None}

    def find_typed(self, memory_id: str) -> list[Row]:
        version = self._catalog.version()
        known_at, known = self._typed
        if version != known_at or len(known) >= _MOST_FOUND:
            known = {}
            self._typed = (version, known)
        if memory_id not in known:
            known[memory_id] = self._catalog.rows_folded(memory_id)
        return known[memory_id]

    def part(self, seen: Condition) -> KnownPart:
        """What somebody sees: worked out once per commit, for those who asked of late."""
        with self._lock:
            rows = self._current()
            version, known = self._parts.pop(seen, (None, None))
            if known is None or version != self._version:
                known = KnownPart(list(filter(predicate_of(seen), rows)))
            self._parts[seen] = self._version, known
            if len(self._parts) > _MOST_PARTS:
                self._parts.popitem(last=False)
            return known

    def _known_by_now(self) -> dict[str, Row | None]:
        version = self._catalog.version()
        found_at, found = self._found
        if version != found_at or len(found) >= _MOST_FOUND:
            found = {}
            self._found = (version, found)
        return found

    def rows(self) -> list[Row]:
        with self._lock:
            return self._current()

    def links(self) -> Links:
        with self._lock:
            rows = self._current()
            if self._links is None:
                self._links = Links(rows)
            return self._links

    def latest(self) -> list[tuple[float, Row]]:
        with self._lock:
            rows = self._current()
            if self._latest is None:
                # A time is parsed, and ten thousand rows are sorted, once per commit and not once per question.
                self._latest = sorted(
                    ((changed_at(row), row) for row in rows), key=lambda dated: (-dated[0], dated[1].id)
                )
            return self._latest

    def _current(self) -> list[Row]:
        # Before the rows: they may be newer than it says, never older.
        version = self._catalog.version()
        if version != self._version:
            self._rows, self._links, self._latest = self._catalog.memories(include_hidden=True), None, None
            self._version = version
        return self._rows


class VaultView:
    def __init__(
        self,
        catalog: Catalog,
        read: ReadNote,
        searcher: Callable[[], Searcher],
        now: Callable[[], datetime],
        commit: str | None = None,
    ) -> None:
        """`searcher` waits for the index when it is not ready yet."""
        self._catalog = catalog
        self._read = read
        self._searcher = searcher
        self._now = now
        self.commit = commit
        self._known = _Known(catalog)

    def now(self) -> datetime:
        return self._now()

    # One memory

    def row(self, memory_id: str) -> Row:
        row = self.find_typed(memory_id)
        if row is None:
            raise not_found(memory_id, self.commit)
        return row

    def find_row(self, memory_id: str) -> Row | None:
        return self._known.find(memory_id)

    def find_rows(self, memory_ids: Sequence[str]) -> dict[str, Row]:
        return self._known.find_all(memory_ids)

    def find_typed(self, memory_id: str) -> Row | None:
        return best_typed(memory_id, self.rows_typed(memory_id))

    def rows_typed(self, memory_id: str) -> list[Row]:
        """Of every memory that may be meant by an id that somebody typed."""
        return self._known.find_typed(memory_id)

    def part(self, seen: Condition) -> KnownPart:
        return self._known.part(seen)

    def find_by_key(self, idempotency_key: str) -> Row | None:
        return self._catalog.find_by_key(idempotency_key)

    def row_at(self, path: str) -> Row | None:
        return self._catalog.at(path)

    def get(self, memory_id: str) -> Note:
        row = self.row(memory_id)
        note = self.find(row.id, tries=_PATIENT)
        if note is not None:
            return note
        with contextlib.suppress(FileNotFoundError):
            # Or reading says what is wrong with it.
            if (unread := self._read(row.path).unread) is not None:
                raise unread
        raise MemoryNotFound(
            f"the file of {row.id}, {row.path}, does not hold it any more; it was moved or deleted"
        )

    def find(self, memory_id: str, *, tries: int = 2) -> Note | None:
        for attempt in range(tries):
            if attempt:
                # vim moves the file away, VS Code truncates it, before the new text is there.
                time.sleep(_PAUSE)
            row = self._known.find(memory_id)
            if row is None:
                return None
            if (note := _read(self._read, row)) is not None:
                return note
        return None

    def hides(self, memory_id: str) -> bool:
        return False

    def hides_file(self, path: str) -> bool:
        return False

    # Many

    def rows(self, within: tuple[Reach, ...] | None, *, include_hidden: bool = False) -> list[Row]:
        return rows_within(self.everything(), within, include_hidden)

    def everything(self) -> list[Row]:
        return self._known.rows()

    def latest(self, since: datetime | None = None) -> Iterator[Row]:
        earliest = -math.inf if since is None else since.timestamp()
        for changed, row in self._known.latest():
            if changed < earliest:
                return
            yield row

    def links(self) -> Links:
        return self._known.links()

    def problems(self) -> list[Problem]:
        return self._catalog.problems()

    def duplicates(self) -> dict[str, list[Row]]:
        return self._catalog.duplicates()

    # Searching

    def search(self, query: Question) -> SearchAnswer:
        return self._searcher().search(query)

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        return self._searcher().alike(text, limit, where)


def not_found(memory_id: str, commit: str | None) -> MemoryNotFound:
    when = f" at commit {commit[:10]}" if commit else ""
    return MemoryNotFound(
        f"there is no memory {memory_id[:200]!r}{when}; search for it, or look at the recent ones"
    )


def rows_within(rows: list[Row], within: tuple[Reach, ...] | None, include_hidden: bool) -> list[Row]:
    return list(filter(to_predicate(Where(reaches=within, active_only=not include_hidden)), rows))


def find_note(catalog: Catalog, read: ReadNote, memory_id: str) -> Note | None:
    """The note of a memory as its file is now; None also for one whose file is gone, broken, or another's."""
    row = catalog.find(memory_id)
    return None if row is None else _read(read, row)


def _read(read: ReadNote, row: Row) -> Note | None:
    try:
        note = read(row.path)
    except (FileNotFoundError, HelixError):
        return None
    return note if note.id == row.id else None
