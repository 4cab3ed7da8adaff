"""What ranking and filters need to know of a memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from helix.index.analyze import query_tokens
from helix.index.filters import ACTIVE, to_micros
from helix.vault.note import Memory
from helix.vault.ownership import PRIVATE
from helix.vault.times import parse_time

_PORTION = 2_000


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
    owner: str | None = None
    visibility: str = PRIVATE

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
        owner=memory.owner,
        visibility=memory.visibility,
    )


class FacetValues(NamedTuple):
    """What the catalog keeps of a memory, all but its id, in the order in which it keeps it."""

    status: str
    scope: str
    project: str | None
    kind: str
    owner: str | None
    visibility: str
    session: str | None
    importance: float | None
    created: int | None
    """this and the other times in microseconds"""
    changed: int | None
    valid_from: int | None
    valid_until: int | None
    tags: Sequence[str]
    title_words: Sequence[str]
    links: Sequence[str]


def to_values(facets: Facets) -> FacetValues:
    times = (facets.created, facets.changed, facets.valid_from, facets.valid_until)
    created, changed, valid_from, valid_until = (
        None if moment is None else to_micros(moment) for moment in times
    )
    return FacetValues(
        *(facets.status, facets.scope, facets.project, facets.kind, facets.owner, facets.visibility),
        *(facets.session, facets.importance),
        *(created, changed, valid_from, valid_until),
        *(sorted(facets.tags), sorted(facets.title_words), sorted(facets.links)),
    )


def to_text(facets: Facets) -> str:
    """As the catalog keeps it: at the start every memory's is read, and nothing should have to be worked out again."""
    return json.dumps(to_values(facets), ensure_ascii=False, separators=(",", ":"))


def from_texts(texts: Iterable[str]) -> Iterator[list[list[Any]]]:
    """Values in the order of `FacetValues`, a few thousand at a time, so that nobody has to hold all of them."""
    rest = iter(texts)
    while portion := list(islice(rest, _PORTION)):
        # One list to parse takes half the time of many small ones.
        yield json.loads(f"[{','.join(portion)}]")


def session_of(source: Mapping[str, Any] | None) -> str | None:
    session = (source or {}).get("session")
    return str(session) if session else None
