"""Which memories are filed under what, so that a filter costs what it leaves and not what it leaves out."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from helix.index.query import Facets, Filters
from helix.index.where import Reach

if TYPE_CHECKING:
    from helix.index.facets import Fact

_FACETS = ("statuses", "kinds", "projects", "scopes")
_NOBODY: set[str] = set()


class Filed:
    """Not for several threads at once: its owner has the lock. For filters, which people type, case does not matter."""

    def __init__(self, facts: Iterable[tuple[str, Fact]]) -> None:
        self._under: dict[tuple[str, str], set[str]] = {}
        self._created: list[tuple[datetime, str]] = []
        self._all: set[str] = set()
        for memory_id, fact in facts:
            self._file(memory_id, fact)
            if fact.created is not None:
                self._created.append((fact.created, memory_id))
        self._created.sort()

    def put(self, memory_id: str, fact: Fact) -> None:
        self._file(memory_id, fact)
        if fact.created is not None:
            bisect.insort(self._created, (fact.created, memory_id))

    def drop(self, memory_id: str, fact: Fact) -> None:
        self._all.discard(memory_id)
        for key in _keys(fact):
            members = self._under[key]
            members.discard(memory_id)
            if not members:
                del self._under[key]
        if fact.created is not None:
            del self._created[bisect.bisect_left(self._created, (fact.created, memory_id))]

    def within(self, filters: Filters, reaches: tuple[Reach, ...] | None, include_hidden: bool) -> set[str]:
        """A set of the caller's own."""
        wanted = list(self._wanted(filters))
        if reaches is not None:
            wanted.append(_union(map(self._within, reaches)))
        if not include_hidden and not filters.statuses:
            wanted.append(self._under.get(("statuses", "active"), _NOBODY))
        wanted.sort(key=len)
        found = wanted[0].intersection(*wanted[1:]) if wanted else set(self._all)
        found.difference_update(*self._unwanted(filters.but_not))
        if filters.unfiled is False:
            found -= self._under.get(("unfiled", ""), _NOBODY)
        return found

    def _wanted(self, filters: Filters) -> Iterator[set[str]]:
        """One set for each thing that is asked for; what passes is in all of them."""
        for name in _FACETS:
            if values := getattr(filters, name):
                yield self._any(name, values)
        for tag in filters.tags:
            yield self._any("tags", [tag])
        if filters.ids:
            yield self._named(filters.ids)
        if filters.unfiled:
            yield self._under.get(("unfiled", ""), _NOBODY)
        if filters.after is not None or filters.before is not None:
            yield self._made_between(filters.after, filters.before)

    def _unwanted(self, facets: Facets) -> Iterator[set[str]]:
        for name in (*_FACETS, "tags"):
            if values := getattr(facets, name):
                yield self._any(name, values)
        if facets.ids:
            yield self._named(facets.ids)

    def _within(self, reach: Reach) -> set[str]:
        """To the letter: what one project may see another that is spelled alike may not."""
        wanted = [self._under.get(("scope", reach.scope), _NOBODY)]
        if reach.projects is not None:
            wanted.append(_union(self._under.get(("project", one), _NOBODY) for one in reach.projects))
        if reach.session is not None:
            wanted.append(self._under.get(("session", reach.session), _NOBODY))
        wanted.sort(key=len)
        return wanted[0].intersection(*wanted[1:])

    def _any(self, name: str, values: Sequence[str]) -> set[str]:
        found = [self._under.get((name, value.casefold()), _NOBODY) for value in values]
        return found[0] if len(found) == 1 else _union(found)

    def _named(self, ids: Sequence[str]) -> set[str]:
        folded = {one.casefold() for one in ids}
        return {one for one in self._all if one.casefold() in folded}

    def _made_between(self, after: datetime | None, before: datetime | None) -> set[str]:
        first = 0 if after is None else bisect.bisect_left(self._created, (after, ""))
        last = len(self._created) if before is None else bisect.bisect_left(self._created, (before, ""))
        return {memory_id for _, memory_id in self._created[first:last]}

    def _file(self, memory_id: str, fact: Fact) -> None:
        self._all.add(memory_id)
        for key in _keys(fact):
            self._under.setdefault(key, set()).add(memory_id)


def _keys(fact: Fact) -> Iterator[tuple[str, str]]:
    yield "statuses", fact.status.casefold()
    yield "scopes", fact.scope.casefold()
    yield "projects", (fact.project or "").casefold()
    yield "kinds", fact.kind.casefold()
    yield "scope", fact.scope
    yield "project", fact.project or ""
    if fact.is_unfiled:
        yield "unfiled", ""
    if fact.session is not None:
        yield "session", fact.session.removeprefix(f"{fact.project or ''}/")
    for tag in fact.tags:
        yield "tags", tag
        # `auth` covers the nested `auth/jwt`
        for at, letter in enumerate(tag):
            if letter == "/":
                yield "tags", tag[:at]


def _union(sets: Iterable[set[str]]) -> set[str]:
    return set().union(*sets)
