"""What ranking and filters need to know of a memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from sys import intern
from typing import Any, NamedTuple

from helix.index.analyze import query_tokens
from helix.index.where import ACTIVE
from helix.vault.note import Memory
from helix.vault.times import parse_time

_PORTION = 500


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
    def sitting(self) -> str | None:
        """Which session it is of. Agents number their sessions per project, so the name alone could mean two."""
        return None if self.session is None else f"{self.project or ''}\0{self.session}"


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


def from_texts(ids: Iterable[str], texts: Iterable[str]) -> Iterator[Facets]:
    """One after the other, so that nobody has to hold all of them."""
    rest = zip(ids, texts, strict=True)
    while portion := list(islice(rest, _PORTION)):
        # One list to parse takes half the time of many small ones.
        parsed = json.loads(f"[{','.join(text for _, text in portion)}]")
        for (memory_id, _), values in zip(portion, parsed, strict=True):
            yield _from(memory_id, *values)


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
