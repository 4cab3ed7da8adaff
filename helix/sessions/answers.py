"""What the verbs about sessions answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.verb import About

CITATION = "eventloom://billing-api-default/events/12#9f2c41aa03de"


class LearnedMemory(TypedDict):
    id: str
    status: Annotated[str, About("`created`, `merged`, `superseded` or `noop`, as a write answers.")]


class Appended(TypedDict):
    session_id: str
    seq: int
    hash: str
    citation: Annotated[str, About(example=CITATION)]
    memory: NotRequired[Annotated[LearnedMemory | None, About("The memory that the event became.")]]
    degraded: NotRequired[
        Annotated[str | None, About("What could not be done yet, though the event is safe.")]
    ]


class SealedEvent(TypedDict):
    seq: int
    hash: str


class Ingested(TypedDict):
    session_id: str
    imported: int
    deduped: Annotated[int, About("Events whose `external_ref` the session has already.")]
    events: Annotated[list[SealedEvent], About("One for each that was given, in their order.")]
    degraded: NotRequired[str | None]


class SessionSummary(TypedDict):
    session_id: str
    events: int
    first: str
    last: str


class Sessions(Page):
    sessions: list[SessionSummary]


class SessionHead(TypedDict):
    seq: int
    hash: str


class SessionDetails(TypedDict):
    session_id: str
    events: int
    first: str
    last: str
    heads: Annotated[
        list[SessionHead], About("The ends of its chains: two where two machines went on at once.")
    ]
    actors: list[str]
    types: Annotated[dict[str, int], About("How many events there are of each type.")]
    files: Annotated[list[str], About("Where they are in the vault.")]


class LoggedEvent(TypedDict):
    seq: int
    timestamp: str
    type: str
    actor: str
    thread: str
    payload: dict[str, Any]
    security: dict[str, Any] | None
    prev_hash: str | None
    hash: str
    citation: str
    erased_at: NotRequired[
        Annotated[str | None, About("Its content was erased; the hash is that of what was there.")]
    ]


class LogProblem(TypedDict):
    path: str
    line: int
    reason: str


class SessionIntegrity(TypedDict):
    ok: bool
    total_events: int
    broken_at_seq: int | None
    broken_reason: str | None
    heads: list[SessionHead]
    erased: int
    problems: list[LogProblem]


class Replay(Page):
    session_id: str
    integrity: NotRequired[Annotated[SessionIntegrity | None, About("Of the whole log; on the first page.")]]
    events: list[LoggedEvent]


class Verified(SessionIntegrity):
    session_id: str


class CitedEvent(TypedDict):
    session_id: str
    event: LoggedEvent
    memory_id: Annotated[str | None, About("The memory that it became, if it did.")]


class ErasedEvent(TypedDict):
    session_id: str
    seq: int
    hash: str
    memory_id: Annotated[str | None, About("A memory that was made of it; it is not erased with it.")]


class VerbatimHit(TypedDict):
    content: str
    source: Literal["verbatim"]
    score: float
    citation: str
    source_kind: Literal["document", "transcript", "event"]
    metadata: dict[str, Any]
    session_id: str
    overruled_by: NotRequired[
        Annotated[str | None, About("The memory that replaced the one this event became.")]
    ]
    truncated: NotRequired[bool]


class Verbatim(Page):
    results: list[VerbatimHit]
