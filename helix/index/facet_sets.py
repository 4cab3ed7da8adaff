"""Which memories are filed under what, so that a filter costs what it leaves and not what it leaves out."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from datetime import datetime

from helix.index.where import (
    ALL_FIELDS,
    Among,
    Between,
    Condition,
    Either,
    Every,
    Has,
    HasFacets,
    Not,
    Where,
    to_condition,
)

_NOBODY: set[str] = set()
_FILED = tuple(field for field in ALL_FIELDS if not field.is_id)


class FacetSets:
    """Not for several threads at once: its owner has the lock."""

    def __init__(self, rows: Iterable[HasFacets]) -> None:
        self._under: dict[tuple[str, str], set[str]] = {}
        self._created: list[tuple[datetime, str]] = []
        self._all: set[str] = set()
        for row in rows:
            self._file(row)
            if row.created is not None:
                self._created.append((row.created, row.id))
        self._created.sort()

    def put(self, row: HasFacets) -> None:
        self._file(row)
        if row.created is not None:
            bisect.insort(self._created, (row.created, row.id))

    def drop(self, row: HasFacets) -> None:
        self._all.discard(row.id)
        for key in _keys(row):
            members = self._under.get(key, _NOBODY)
            members.discard(row.id)
            if not members:
                self._under.pop(key, None)
        if row.created is not None:
            del self._created[bisect.bisect_left(self._created, (row.created, row.id))]

    def find(self, where: Where) -> set[str]:
        """A set of the caller's own."""
        found = self._find(to_condition(where))
        return set(found) if found is self._all else found

    def _find(self, condition: Condition) -> set[str]:
        """A set that may be one of those kept here: not to be changed."""
        match condition:
            case Has(field, values) if field.is_id:
                return {memory_id for memory_id in self._all if field.compared(memory_id) in values}
            case Has(field, values):
                return _union([self._under.get((field.name, value), _NOBODY) for value in values])
            case Among(ids):
                return self._all & ids
            case Between(after, before):
                first = 0 if after is None else bisect.bisect_left(self._created, (after, ""))
                last = (
                    len(self._created) if before is None else bisect.bisect_left(self._created, (before, ""))
                )
                return {memory_id for _, memory_id in self._created[first:last]}
            case Every(parts):
                wanted = [self._find(part) for part in parts if not isinstance(part, Not)]
                wanted.sort(key=len)
                found = wanted[0].intersection(*wanted[1:]) if wanted else self._all
                unwanted = [self._find(part.part) for part in parts if isinstance(part, Not)]
                return found.difference(*unwanted) if unwanted else found
            case Either(parts):
                return _union([self._find(part) for part in parts])
            case Not(part):
                return self._all - self._find(part)

    def _file(self, row: HasFacets) -> None:
        self._all.add(row.id)
        for key in _keys(row):
            self._under.setdefault(key, set()).add(row.id)


def _keys(row: HasFacets) -> Iterator[tuple[str, str]]:
    for field in _FILED:
        for value in field.filed_under(row):
            yield field.name, value


def _union(sets: list[set[str]]) -> set[str]:
    return sets[0] if len(sets) == 1 else set().union(*sets)
