"""What ranking and filters need to know of every memory, kept in memory: a query must not ask the disk.

A view of the catalog, filled from it at the start and kept up with every change. Threads may ask while one writes.
"""

from __future__ import annotations

import bisect
import json
import threading
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from sys import intern
from typing import Any, NamedTuple

from helix.index.analyze import query_tokens
from helix.index.facet_sets import FacetSets
from helix.index.where import ACTIVE, Where
from helix.vault.note import Memory
from helix.vault.times import parse_time


class Facets(NamedTuple):
    id: str
    status: str = ACTIVE
    scope: str = "global"
    project: str | None = None
    kind: str = "fact"
    tags: frozenset[str] = frozenset()
    """without regard to case"""
    title_words: frozenset[str] = frozenset()
    session: str | None = None
    created: datetime | None = None
    changed: datetime | None = None
    importance: float | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    links: frozenset[str] = frozenset()
    """what it names: ids, or whatever a person wrote in a link"""

    @property
    def sitting(self) -> tuple[str, str] | None:
        """Which session it is of. Agents number their sessions per project, so the name alone could mean two."""
        return None if self.session is None else (self.project or "", self.session)

    @property
    def created_on(self) -> date | None:
        return None if self.created is None else self.created.date()


def facets_of(memory: Memory) -> Facets:
    created, changed = parse_time(memory.created_at), parse_time(memory.updated_at)
    return Facets(
        id=memory.id,
        status=memory.status,
        scope=memory.scope,
        project=memory.project,
        kind=memory.kind,
        tags=frozenset(tag.casefold() for tag in memory.tags),
        title_words=frozenset(query_tokens(memory.title)),
        session=session_of(memory.source),
        created=created,
        changed=changed or created,
        importance=memory.importance,
        valid_from=parse_time(memory.valid_from),
        valid_until=parse_time(memory.valid_until),
        links=frozenset(target for targets in memory.edges.values() for target in targets),
    )


def to_text(facets: Facets) -> str:
    """As the catalog keeps it: at the start every memory's is read, and nothing should have to be worked out again."""
    times = (facets.created, facets.changed, facets.valid_from, facets.valid_until)
    values = [
        *(facets.status, facets.scope, facets.project, facets.kind, sorted(facets.tags)),
        *(sorted(facets.title_words), sorted(facets.links), facets.session, facets.importance),
        *(moment and moment.isoformat() for moment in times),
    ]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def from_texts(ids: Iterable[str], texts: Iterable[str]) -> list[Facets]:
    # One list to parse takes half the time of many small ones.
    parsed = json.loads(f"[{','.join(texts)}]")
    return [_from(memory_id, *values) for memory_id, values in zip(ids, parsed, strict=True)]


def _from(
    memory_id: str,
    status: str,
    scope: str,
    project: str | None,
    kind: str,
    tags: list[str],
    title_words: list[str],
    links: list[str],
    session: str | None,
    importance: float | None,
    *times: str | None,
) -> Facets:
    created, changed, valid_from, valid_until = (
        None if moment is None else datetime.fromisoformat(moment) for moment in times
    )
    return Facets(
        id=memory_id,
        status=intern(status),
        scope=intern(scope),
        project=None if project is None else intern(project),
        kind=intern(kind),
        tags=frozenset(tags),
        title_words=frozenset(title_words),
        session=None if session is None else intern(session),
        created=created,
        changed=changed,
        importance=importance,
        valid_from=valid_from,
        valid_until=valid_until,
        links=frozenset(links),
    )


def session_of(source: Mapping[str, Any] | None) -> str | None:
    session = (source or {}).get("session")
    return str(session) if session else None


class FacetIndex:
    def __init__(self) -> None:
        self._lock = threading.RLock()  # held for microseconds
        self._facets: dict[str, Facets] = {}
        self._sessions: dict[tuple[str, str], list[tuple[float, str]]] = {}
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

    def placed(self, memory_ids: Iterable[str]) -> list[tuple[Facets, int]]:
        """What is known of them, each with its position in its session, in order of time. Who is gone is left out."""
        with self._lock:
            return [
                (row, self._position(row))
                for memory_id in memory_ids
                if (row := self._facets.get(memory_id)) is not None
            ]

    def neighbours(self, memory_id: str, reach: int) -> list[str]:
        """The memories just before and after it in its session."""
        with self._lock:
            row = self._facets.get(memory_id)
            if row is None or row.sitting is None:
                return []
            position, members = self._position(row), self._sessions[row.sitting]
            near = members[max(0, position - reach) : position + reach + 1]
            return [other for _, other in near if other != memory_id]

    def linked(self, memory_id: str) -> set[str]:
        """The memories that it names, and those that name it."""
        with self._lock:
            row = self._facets.get(memory_id)
            links = row.links if row is not None else ()
            return {*links, *self._named_by.get(memory_id, ())} - {memory_id}

    def _put_links(self, row: Facets) -> None:
        for target in row.links:
            self._named_by.setdefault(target, set()).add(row.id)

    def _position(self, row: Facets) -> int:
        return 0 if row.sitting is None else bisect.bisect_left(self._sessions[row.sitting], _key(row))


def _key(row: Facets) -> tuple[float, str]:
    return (row.created.timestamp() if row.created else 0.0, row.id)
