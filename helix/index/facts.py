"""What ranking and filters need to know of every memory, kept in memory: a query must not ask the disk.

A view of the catalog, filled from it at the start and kept up with every change.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from helix.index.analyze import query_tokens
from helix.vault.note import Memory
from helix.vault.times import parse_time


@dataclass(frozen=True, slots=True)
class Fact:
    status: str
    scope: str
    project: str | None
    kind: str
    tags: frozenset[str]
    title_words: frozenset[str]
    session: str | None
    created: datetime | None
    changed: datetime | None
    importance: float | None
    valid_from: datetime | None
    valid_until: datetime | None
    links: frozenset[str] = frozenset()
    """the memories it names, whatever the kind of the edge"""

    @property
    def created_on(self) -> date | None:
        return None if self.created is None else self.created.date()


def fact_of(memory: Memory) -> Fact:
    return from_meta(memory.status, {key: value for key, value in vars(memory).items() if value is not None})


def from_meta(status: str, meta: Mapping[str, Any]) -> Fact:
    """From the catalog's columns: the status, and the rest of the memory as it is kept there."""
    project = meta.get("project")
    created, changed = parse_time(meta.get("created_at")), parse_time(meta.get("updated_at"))
    return Fact(
        status=status,
        scope=meta["scope"],
        project=project,
        kind=meta["kind"],
        tags=frozenset(tag.casefold() for tag in meta.get("tags", ())),
        title_words=frozenset(query_tokens(meta["title"])),
        session=session_of(project, meta.get("source")),
        created=created,
        changed=changed or created,
        importance=meta.get("importance"),
        valid_from=parse_time(meta.get("valid_from")),
        valid_until=parse_time(meta.get("valid_until")),
        links=frozenset(target for targets in meta.get("edges", {}).values() for target in targets),
    )


def session_of(project: str | None, source: Mapping[str, Any] | None) -> str | None:
    """Agents number their sessions per project, so the name alone could mean two."""
    session = (source or {}).get("session")
    return f"{project or ''}/{session}" if session else None


class Facts:
    def __init__(self) -> None:
        self._facts: dict[str, Fact] = {}
        self._sessions: dict[str, list[tuple[float, str]]] = {}
        self._named_by: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._facts)

    def ids(self) -> list[str]:
        return list(self._facts)

    def fill(self, facts: Iterable[tuple[str, Fact]]) -> None:
        """All at once, in the place of what was there."""
        self._facts = dict(facts)
        self._sessions = {}
        self._named_by = {}
        for memory_id, fact in self._facts.items():
            self._put_links(memory_id, fact)
            if fact.session is not None:
                self._sessions.setdefault(fact.session, []).append(_key(memory_id, fact))
        for members in self._sessions.values():
            members.sort()

    def find(self, memory_id: str) -> Fact | None:
        return self._facts.get(memory_id)

    def put(self, memory_id: str, fact: Fact) -> None:
        self.drop(memory_id)
        self._facts[memory_id] = fact
        self._put_links(memory_id, fact)
        if fact.session is not None:
            bisect.insort(self._sessions.setdefault(fact.session, []), _key(memory_id, fact))

    def drop(self, memory_id: str) -> None:
        fact = self._facts.pop(memory_id, None)
        for target in fact.links if fact is not None else ():
            self._named_by[target].discard(memory_id)
        if fact is not None and fact.session is not None:
            members = self._sessions[fact.session]
            members.remove(_key(memory_id, fact))
            if not members:
                del self._sessions[fact.session]

    def place(self, memory_id: str) -> int:
        """Its place in its session, in order of time."""
        fact = self._facts[memory_id]
        if fact.session is None:
            return 0
        return bisect.bisect_left(self._sessions[fact.session], _key(memory_id, fact))

    def neighbours(self, memory_id: str, reach: int) -> Iterable[str]:
        """The memories just before and after it in its session."""
        fact = self._facts.get(memory_id)
        if fact is None or fact.session is None:
            return []
        place, members = self.place(memory_id), self._sessions[fact.session]
        return [
            other for _, other in members[max(0, place - reach) : place + reach + 1] if other != memory_id
        ]

    def linked(self, memory_id: str) -> set[str]:
        """The memories that it names, and those that name it."""
        fact = self._facts.get(memory_id)
        return {*(fact.links if fact is not None else ()), *self._named_by.get(memory_id, ())} - {memory_id}

    def _put_links(self, memory_id: str, fact: Fact) -> None:
        for target in fact.links:
            self._named_by.setdefault(target, set()).add(memory_id)


def _key(memory_id: str, fact: Fact) -> tuple[float, str]:
    return (fact.created.timestamp() if fact.created else 0.0, memory_id)
