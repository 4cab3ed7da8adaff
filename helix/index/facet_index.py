"""The facets of every memory, kept in memory: a query must not ask the disk.

A view of the catalog, filled from it at the start and kept up with every change. Threads may ask while one writes.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from helix.index.column_masks import to_mask
from helix.index.engine import Candidate
from helix.index.facet_columns import FacetColumns
from helix.index.facets import Facets
from helix.index.vector_matrix import VectorHit
from helix.index.where import ACTIVE, Where, to_condition

_NOTHING: frozenset[str] = frozenset()


class FacetIndex:
    def __init__(self) -> None:
        self._lock = threading.RLock()  # held for microseconds
        self._columns = FacetColumns()
        self._inactive: set[str] = set()
        self._sessions: dict[str, list[int]] = {}
        """rows, in order of time"""
        self._named_by: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._columns

    def ids(self) -> list[str]:
        with self._lock:
            return list(self._columns.ids())

    def fill(self, facets: Iterable[Facets]) -> None:
        """All at once, in the place of what was there."""
        fresh = FacetIndex()
        for row in facets:
            fresh._add(row)
        for members in fresh._sessions.values():
            members.sort(key=fresh._key)
        with self._lock:
            self._columns, self._inactive = fresh._columns, fresh._inactive
            self._sessions, self._named_by = fresh._sessions, fresh._named_by

    def find(self, memory_id: str) -> Facets | None:
        with self._lock:
            row = self._columns.find_row(memory_id)
            return None if row is None else self._columns.get(row)

    def is_active(self, memory_id: str) -> bool:
        return memory_id not in self._inactive and memory_id in self._columns

    def put(self, row: Facets) -> None:
        with self._lock:
            self.drop(row.id)
            self._add(row)
            if row.sitting is not None:
                members = self._sessions[row.sitting]
                bisect.insort(members, members.pop(), key=self._key)

    def _add(self, facets: Facets) -> None:
        row = self._columns.put(facets)
        if facets.status != ACTIVE:
            self._inactive.add(facets.id)
        for target in facets.links:
            self._named_by.setdefault(target, []).append(row)
        if facets.sitting is not None:
            self._sessions.setdefault(facets.sitting, []).append(row)

    def drop(self, memory_id: str) -> None:
        with self._lock:
            row = self._columns.find_row(memory_id)
            if row is None:
                return
            facets = self._columns.get(row)
            for target in facets.links:
                _remove(self._named_by, target, row)
            if facets.sitting is not None:
                _remove(self._sessions, facets.sitting, row)
            self._columns.drop(memory_id)
            self._inactive.discard(memory_id)

    def within(self, where: Where) -> set[str]:
        """The memories that pass."""
        with self._lock:
            return self._columns.ids_of(to_mask(to_condition(where), self._columns))

    def find_few(self, where: Where, most: int) -> set[str] | None:
        """The same, unless they are more than `most`."""
        with self._lock:
            mask = to_mask(to_condition(where), self._columns)
            return None if np.count_nonzero(mask) > most else self._columns.ids_of(mask)

    def rows(self, memory_ids: Iterable[str]) -> list[Facets]:
        """What is known of them. Who is gone is left out."""
        with self._lock:
            find, get = self._columns.find_row, self._columns.get
            return [get(row) for memory_id in memory_ids if (row := find(memory_id)) is not None]

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
            row = self.find(memory_id)
            if row is None or row.sitting is None:
                return []
            position, members = self._position(row), self._sessions[row.sitting]
            near = members[max(0, position - reach) : position + reach + 1]
            return [other for one in near if (other := self._columns.id(one)) != memory_id]

    def linked(self, memory_id: str) -> AbstractSet[str]:
        """The memories that it names, and those that name it."""
        with self._lock:
            row = self.find(memory_id)
            return _NOTHING if row is None else self._linked(row)

    def _key(self, row: int) -> tuple[int, str]:
        return self._columns.created_at(row), self._columns.id(row)

    def _position(self, facets: Facets) -> int:
        row = None if facets.sitting is None else self._columns.find_row(facets.id)
        if row is None:
            return 0
        return bisect.bisect_left(self._sessions[facets.sitting or ""], self._key(row), key=self._key)

    def _linked(self, facets: Facets) -> AbstractSet[str]:
        namers = map(self._columns.id, self._named_by.get(facets.id, ()))
        return {*facets.links, *namers} - {facets.id}


def _remove(members: dict[str, list[int]], key: str, row: int) -> None:
    members[key].remove(row)
    if not members[key]:
        del members[key]
