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
from helix.index.facet_sets import Filed
from helix.index.query import Filters
from helix.index.where import Reach
from helix.vault.note import Memory
from helix.vault.times import parse_time


class Fact(NamedTuple):
    status: str
    scope: str
    project: str | None
    kind: str
    tags: frozenset[str]
    """without regard to case"""
    title_words: frozenset[str]
    session: str | None
    created: datetime | None
    changed: datetime | None
    importance: float | None
    valid_from: datetime | None
    valid_until: datetime | None
    links: frozenset[str] = frozenset()
    """what it names: ids, or whatever a person wrote in a link"""

    @property
    def is_unfiled(self) -> bool:
        return self.scope == "project" and self.project is None

    @property
    def created_on(self) -> date | None:
        return None if self.created is None else self.created.date()


def fact_of(memory: Memory) -> Fact:
    created, changed = parse_time(memory.created_at), parse_time(memory.updated_at)
    return Fact(
        status=memory.status,
        scope=memory.scope,
        project=memory.project,
        kind=memory.kind,
        tags=frozenset(tag.casefold() for tag in memory.tags),
        title_words=frozenset(query_tokens(memory.title)),
        session=session_of(memory.project, memory.source),
        created=created,
        changed=changed or created,
        importance=memory.importance,
        valid_from=parse_time(memory.valid_from),
        valid_until=parse_time(memory.valid_until),
        links=frozenset(target for targets in memory.edges.values() for target in targets),
    )


def to_text(fact: Fact) -> str:
    """As the catalog keeps it: at the start every memory's is read, and nothing should have to be worked out again."""
    times = (fact.created, fact.changed, fact.valid_from, fact.valid_until)
    said = [
        *(fact.status, fact.scope, fact.project, fact.kind, sorted(fact.tags), sorted(fact.title_words)),
        sorted(fact.links),
        *(fact.session, fact.importance, *(moment and moment.isoformat() for moment in times)),
    ]
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def from_texts(texts: Iterable[str]) -> list[Fact]:
    # One list to parse takes half the time of many small ones.
    return [_from(*said) for said in json.loads(f"[{','.join(texts)}]")]


def _from(
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
) -> Fact:
    created, changed, valid_from, valid_until = (
        None if moment is None else datetime.fromisoformat(moment) for moment in times
    )
    return Fact(
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


def session_of(project: str | None, source: Mapping[str, Any] | None) -> str | None:
    """Agents number their sessions per project, so the name alone could mean two."""
    session = (source or {}).get("session")
    return f"{project or ''}/{session}" if session else None


class Facts:
    def __init__(self) -> None:
        self._lock = threading.RLock()  # held for microseconds
        self._facts: dict[str, Fact] = {}
        self._sessions: dict[str, list[tuple[float, str]]] = {}
        self._named_by: dict[str, set[str]] = {}
        self._filed: Filed | None = None
        """made when somebody asks with a filter: a start has no time for it"""

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._facts

    def ids(self) -> list[str]:
        with self._lock:
            return list(self._facts)

    def fill(self, facts: Iterable[tuple[str, Fact]]) -> None:
        """All at once, in the place of what was there."""
        with self._lock:
            self._facts = dict(facts)
            self._sessions = {}
            self._named_by = {}
            self._filed = None
            for memory_id, fact in self._facts.items():
                self._put_links(memory_id, fact)
                if fact.session is not None:
                    self._sessions.setdefault(fact.session, []).append(_key(memory_id, fact))
            for members in self._sessions.values():
                members.sort()

    def find(self, memory_id: str) -> Fact | None:
        return self._facts.get(memory_id)

    def is_active(self, memory_id: str) -> bool:
        fact = self._facts.get(memory_id)
        return fact is not None and fact.status == "active"

    def put(self, memory_id: str, fact: Fact) -> None:
        with self._lock:
            self.drop(memory_id)
            self._facts[memory_id] = fact
            self._put_links(memory_id, fact)
            if fact.session is not None:
                bisect.insort(self._sessions.setdefault(fact.session, []), _key(memory_id, fact))
            if self._filed is not None:
                self._filed.put(memory_id, fact)

    def drop(self, memory_id: str) -> None:
        with self._lock:
            fact = self._facts.pop(memory_id, None)
            if fact is None:
                return
            if self._filed is not None:
                self._filed.drop(memory_id, fact)
            for target in fact.links:
                self._named_by[target].discard(memory_id)
            if fact.session is not None:
                members = self._sessions[fact.session]
                members.remove(_key(memory_id, fact))
                if not members:
                    del self._sessions[fact.session]

    def within(
        self, filters: Filters, reaches: tuple[Reach, ...] | None = None, *, include_hidden: bool = False
    ) -> set[str]:
        """The memories that pass the filters and that the asker sees. It costs what the narrowest filter leaves."""
        with self._lock:
            if self._filed is None:
                self._filed = Filed(self._facts.items())
            return self._filed.within(filters, reaches, include_hidden)

    def placed(self, memory_ids: Iterable[str]) -> list[tuple[str, Fact, int]]:
        """What is known of them, each with its place in its session, in order of time. Who is gone is left out."""
        with self._lock:
            return [
                (memory_id, fact, self._place(memory_id, fact))
                for memory_id in memory_ids
                if (fact := self._facts.get(memory_id)) is not None
            ]

    def neighbours(self, memory_id: str, reach: int) -> list[str]:
        """The memories just before and after it in its session."""
        with self._lock:
            fact = self._facts.get(memory_id)
            if fact is None or fact.session is None:
                return []
            place, members = self._place(memory_id, fact), self._sessions[fact.session]
            near = members[max(0, place - reach) : place + reach + 1]
            return [other for _, other in near if other != memory_id]

    def linked(self, memory_id: str) -> set[str]:
        """The memories that it names, and those that name it."""
        with self._lock:
            fact = self._facts.get(memory_id)
            return {*(fact.links if fact is not None else ()), *self._named_by.get(memory_id, ())} - {
                memory_id
            }

    def _put_links(self, memory_id: str, fact: Fact) -> None:
        for target in fact.links:
            self._named_by.setdefault(target, set()).add(memory_id)

    def _place(self, memory_id: str, fact: Fact) -> int:
        if fact.session is None:
            return 0
        return bisect.bisect_left(self._sessions[fact.session], _key(memory_id, fact))


def _key(memory_id: str, fact: Fact) -> tuple[float, str]:
    return (fact.created.timestamp() if fact.created else 0.0, memory_id)
