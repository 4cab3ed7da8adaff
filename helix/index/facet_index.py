"""The facets of every memory, kept in memory: a query must not ask the disk.

A view of the catalog, filled from it at the start and kept up with every change. Threads may ask while one writes.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from helix.index.engine import Candidate
from helix.index.facet_sets import FacetSets
from helix.index.facets import Facets
from helix.index.vector_matrix import VectorHit
from helix.index.where import ACTIVE, Where

_NOTHING: frozenset[str] = frozenset()


class FacetIndex:
    def __init__(self) -> None:
        self._lock = threading.RLock()  # held for microseconds
        self._facets: dict[str, Facets] = {}
        self._sessions: dict[str, list[tuple[float, str]]] = {}
        self._named_by: dict[str, set[str]] = {}
        self._sets: FacetSets | None = None
        """made when somebody asks with a filter: a start has no time for it"""

    def __len__(self) -> int:
        return len(self._facets)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._facets

    def ids(self) -> list[str]:
        with self._lock:
            return list(self._facets)

    def fill(self, facets: Iterable[Facets]) -> None:
        """All at once, in the place of what was there."""
        with self._lock:
            self._facets = {row.id: row for row in facets}
            self._sessions = {}
            self._named_by = {}
            self._sets = None
            for row in self._facets.values():
                self._put_links(row)
                if row.sitting is not None:
                    self._sessions.setdefault(row.sitting, []).append(_key(row))
            for members in self._sessions.values():
                members.sort()

    def find(self, memory_id: str) -> Facets | None:
        return self._facets.get(memory_id)

    def is_active(self, memory_id: str) -> bool:
        row = self._facets.get(memory_id)
        return row is not None and row.status == ACTIVE

    def put(self, row: Facets) -> None:
        with self._lock:
            self.drop(row.id)
            self._facets[row.id] = row
            self._put_links(row)
            if row.sitting is not None:
                bisect.insort(self._sessions.setdefault(row.sitting, []), _key(row))
            if self._sets is not None:
                self._sets.put(row)

    def drop(self, memory_id: str) -> None:
        with self._lock:
            row = self._facets.pop(memory_id, None)
            if row is None:
                return
            if self._sets is not None:
                self._sets.drop(row)
            for target in row.links:
                self._named_by[target].discard(memory_id)
            if row.sitting is not None:
                members = self._sessions[row.sitting]
                members.remove(_key(row))
                if not members:
                    del self._sessions[row.sitting]

    def within(self, where: Where) -> set[str]:
        """The memories that pass. It costs what the narrowest filter leaves."""
        with self._lock:
            if self._sets is None:
                self._sets = FacetSets(self._facets.values())
            return self._sets.find(where)

    def rows(self, memory_ids: Iterable[str]) -> list[Facets]:
        """What is known of them. Who is gone is left out."""
        with self._lock:
            return [row for memory_id in memory_ids if (row := self._facets.get(memory_id)) is not None]

    def candidates(
        self, memory_ids: Iterable[str], words: Mapping[str, float], nearest: Mapping[str, VectorHit]
    ) -> list[Candidate]:
        """What is known of them, with their scores, and their position in their session, in order of time."""
        found = []
        with self._lock:
            for row in self.rows(memory_ids):
                # Most are linked with nothing, and of hundreds it is asked for every question.
                linked = self._linked(row) if row.links or row.id in self._named_by else _NOTHING
                score, position, hit = words.get(row.id, 0.0), self._position(row), nearest.get(row.id)
                if hit is None:
                    found.append(Candidate(row, score, None, None, position, linked))
                else:
                    found.append(Candidate(row, score, hit.score, hit.ordinal, position, linked))
        return found

    def neighbours(self, memory_id: str, reach: int) -> list[str]:
        """The memories just before and after it in its session."""
        with self._lock:
            row = self._facets.get(memory_id)
            if row is None or row.sitting is None:
                return []
            position, members = self._position(row), self._sessions[row.sitting]
            near = members[max(0, position - reach) : position + reach + 1]
            return [other for _, other in near if other != memory_id]

    def linked(self, memory_id: str) -> AbstractSet[str]:
        """The memories that it names, and those that name it."""
        with self._lock:
            row = self._facets.get(memory_id)
            return _NOTHING if row is None else self._linked(row)

    def _put_links(self, row: Facets) -> None:
        for target in row.links:
            self._named_by.setdefault(target, set()).add(row.id)

    def _position(self, row: Facets) -> int:
        sitting = row.sitting
        return 0 if sitting is None else bisect.bisect_left(self._sessions[sitting], _key(row))

    def _linked(self, row: Facets) -> AbstractSet[str]:
        return {*row.links, *self._named_by.get(row.id, ())} - {row.id}


def _key(row: Facets) -> tuple[float, str]:
    return (row.created.timestamp() if row.created else 0.0, row.id)
