"""What the daemon answers about sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.client.answer_shape import Listing, Result, each, mapping


@dataclass(frozen=True, kw_only=True)
class LearnedMemory(Result):
    """The memory that an event became."""

    id: str
    status: str
    """`created`, `merged`, `superseded` or `noop`"""


@dataclass(frozen=True, kw_only=True)
class AppendedEvent(Result):
    """An event as it was acknowledged: its line is durable."""

    session_id: str
    seq: int
    hash: str
    citation: str
    memory: LearnedMemory | None = field(default=None, metadata={"of": LearnedMemory})
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class SealedEvent(Result):
    seq: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class IngestedEvents(Result):
    session_id: str
    imported: int
    deduped: int
    """those that the session had already"""
    events: tuple[SealedEvent, ...] = each(SealedEvent)
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class SessionSummary(Result):
    session_id: str
    events: int
    first: str
    last: str


@dataclass(frozen=True, kw_only=True)
class SessionList(Listing[SessionSummary]):
    sessions: tuple[SessionSummary, ...] = each(SessionSummary)

    @property
    def items(self) -> tuple[SessionSummary, ...]:
        return self.sessions


@dataclass(frozen=True, kw_only=True)
class SessionHead(Result):
    seq: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class SessionDetails(Result):
    session_id: str
    events: int
    first: str
    last: str
    heads: tuple[SessionHead, ...] = each(SessionHead)
    """the ends of its chains: two where two machines went on at once"""
    actors: tuple[str, ...] = ()
    types: Mapping[str, int] = mapping()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LogProblem(Result):
    path: str
    line: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class SessionIntegrity(Result):
    ok: bool
    total_events: int
    broken_at_seq: int | None = None
    broken_reason: str | None = None
    heads: tuple[SessionHead, ...] = each(SessionHead)
    erased: int = 0
    problems: tuple[LogProblem, ...] = each(LogProblem)


@dataclass(frozen=True, kw_only=True)
class VerifiedSession(SessionIntegrity):
    session_id: str


@dataclass(frozen=True, kw_only=True)
class LoggedEvent(Result):
    seq: int
    timestamp: str
    type: str
    actor: str
    thread: str
    hash: str
    citation: str
    payload: Mapping[str, Any] = mapping()
    security: Mapping[str, Any] | None = None
    prev_hash: str | None = None
    erased_at: str | None = None
    """since when its payload is gone; the hash is still that of what it was"""


@dataclass(frozen=True, kw_only=True)
class Replay(Listing[LoggedEvent]):
    session_id: str
    integrity: SessionIntegrity | None = field(default=None, metadata={"of": SessionIntegrity})
    """of the whole log; on the first page"""
    events: tuple[LoggedEvent, ...] = each(LoggedEvent)

    @property
    def items(self) -> tuple[LoggedEvent, ...]:
        return self.events


@dataclass(frozen=True, kw_only=True)
class CitedEvent(Result):
    session_id: str
    event: LoggedEvent = field(metadata={"of": LoggedEvent})
    memory_id: str | None = None
    """the memory that it became"""


@dataclass(frozen=True, kw_only=True)
class ErasedEvent(Result):
    session_id: str
    seq: int
    hash: str
    memory_id: str | None = None
    """a memory that was made of it; it is not erased with it"""


@dataclass(frozen=True, kw_only=True)
class VerbatimHit(Result):
    content: str
    source: str
    score: float
    citation: str
    source_kind: str
    session_id: str
    metadata: Mapping[str, Any] = mapping()
    overruled_by: str | None = None
    """the memory that replaced the one this event became"""
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class Verbatim(Listing[VerbatimHit]):
    results: tuple[VerbatimHit, ...] = each(VerbatimHit)

    @property
    def items(self) -> tuple[VerbatimHit, ...]:
        return self.results
