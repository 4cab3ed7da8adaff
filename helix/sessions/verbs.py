"""The table of the verbs about sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from helix.memory.verbs.fields import Budgeted
from helix.memory.verbs.verb import About, Asks, Route, Verb

SessionId = Annotated[
    str,
    About(
        "1 to 128 letters, digits, `_`, `-` and `.`.", shortest=1, longest=128, example="billing-api-default"
    ),
]
MOST_SEQ = 10**15
Seq = Annotated[int, About("The number of an event.", least=1, most=MOST_SEQ)]
EventHash = Annotated[
    str | None, About("Its hash, or the first 12 digits or more of it.", longest=64, name="hash")
]
_EXAMPLE = {
    "type": "decision.made",
    "actor": "claude-code",
    "payload": {"decision": "Retry 3 times, with jitter", "rationale": "The gateway drops bursts."},
}


class AppendRequest(Asks):
    session_id: SessionId
    event_type: Annotated[
        str, About("A dotted name such as `decision.made`.", shortest=1, longest=200, name="type")
    ]
    actor: Annotated[str, About("Who did it.", shortest=1, longest=200)]
    payload: Annotated[
        Mapping[str, Any], About("What happened; credentials in it are replaced before it is kept.")
    ]
    external_ref: Annotated[
        str | None, About("Where it was taken from. A session takes one of a name once.", longest=500)
    ] = None


class EventToIngest(TypedDict):
    type: str
    actor: str
    payload: dict[str, Any]
    timestamp: NotRequired[str | None]
    external_ref: NotRequired[str | None]


class IngestRequest(Asks):
    session_id: SessionId
    events: Annotated[Sequence[EventToIngest], About(shortest=1, longest=1000)]


class SessionsRequest(Budgeted):
    limit: Annotated[int, About(least=1, most=200)] = 50


class SessionRequest(Asks):
    session_id: SessionId


class ReplayRequest(Budgeted):
    session_id: SessionId
    from_seq: Seq = 1
    to_seq: Annotated[int | None, About("The last one that is wanted.", least=1, most=MOST_SEQ)] = None
    event_type: Annotated[str | None, About("Only events of this type.", name="type")] = None
    limit: Annotated[int, About(least=1, most=1000)] = 100
    max_tokens: Annotated[int, About("The whole answer fits in so many tokens.", least=64, most=200_000)] = (
        8000
    )


class EventRequest(Asks):
    session_id: SessionId
    seq: Seq
    event_hash: EventHash = None


class CiteRequest(Asks):
    uri: Annotated[str, About("`eventloom://SESSION/events/SEQ#HASH`.", longest=400)]


class EraseEventRequest(Asks):
    session_id: SessionId
    seq: Seq
    event_hash: EventHash = None


class VerbatimRequest(Budgeted):
    query: Annotated[str, About("Words that were said, in any script.", shortest=1, longest=4096)]
    session_id: Annotated[str | None, About("Only of this session.", longest=128)] = None
    limit: Annotated[int, About(least=1, most=100)] = 10


_ANSWERS = "helix.sessions.answers:"

SESSIONS = (
    Verb(
        "session_append", AppendRequest, f"{_ANSWERS}Appended", run="sessions.append:append",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/events", "append_event", "sessions", example=_EXAMPLE),
        command="session",
        sdk="sessions.append",
        about="""Add an event to the log of a session. Answered when its line is durable on disk.

        A decision, a preference, a goal, a task and the like also become a memory that names the event as its source.
        """,
    ),
    Verb(
        "session_ingest", IngestRequest, f"{_ANSWERS}Ingested", run="sessions.append:ingest",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/ingest", "ingest_events", "sessions",
                    example={"events": [{**_EXAMPLE, "external_ref": "transcript-7.jsonl:12"}]}),
        sdk="sessions.ingest",
        about="Add many events at once. One whose `external_ref` the session has already is not added again.",
    ),
    Verb(
        "sessions", SessionsRequest, f"{_ANSWERS}Sessions", run="sessions.reading:sessions", permission="recall",
        route=Route("GET", "/sessions", "list_sessions", "sessions"), command="session",
        sdk="sessions.list",
        about="The sessions that have a log, the one that something happened in last first.",
    ),
    Verb(
        "session", SessionRequest, f"{_ANSWERS}SessionDetails", run="sessions.reading:session", permission="recall",
        route=Route("GET", "/sessions/{session_id}", "get_session", "sessions", errors=(404,)),
        command="session",
        sdk="sessions.get",
        about="What is known of a session: how many events of which type, by whom, and the ends of its chains.",
    ),
    Verb(
        "session_replay", ReplayRequest, f"{_ANSWERS}Replay", run="sessions.reading:replay", permission="recall",
        route=Route("GET", "/sessions/{session_id}/events", "replay_session", "sessions", errors=(404,)),
        command="session",
        sdk="sessions.replay",
        about="The events of a session in their order, and whether its whole log verifies.",
    ),
    Verb(
        "session_verify", SessionRequest, f"{_ANSWERS}Verified", run="sessions.reading:verify", permission="recall",
        route=Route("GET", "/sessions/{session_id}/integrity", "verify_session", "sessions", errors=(404,)),
        command="session",
        sdk="sessions.verify",
        about="Read the whole log of a session and say where its chain is broken, if it is.",
    ),
    Verb(
        "session_event", EventRequest, f"{_ANSWERS}CitedEvent", run="sessions.reading:event", permission="recall",
        route=Route("GET", "/sessions/{session_id}/events/{seq}", "get_event", "sessions", errors=(404,)),
        sdk="sessions.event",
        about="One event, and the memory that it became.",
    ),
    Verb(
        "cite", CiteRequest, f"{_ANSWERS}CitedEvent", run="sessions.reading:cite", permission="recall",
        route=Route("GET", "/cite", "cite", "sessions", errors=(404,)), command="cite",
        sdk="sessions.cite",
        about="The event that a citation names.",
    ),
    Verb(
        "session_erase", EraseEventRequest, f"{_ANSWERS}ErasedEvent", run="sessions.append:erase",
        permission="forget", changes=True,
        route=Route("POST", "/sessions/{session_id}/erase", "erase_event", "sessions", example={"seq": 12}),
        command="session",
        sdk="sessions.erase",
        about="Erase the content of an event for good. Its hash stays, so that the chain still verifies.",
    ),
    Verb(
        "session_verbatim", VerbatimRequest, f"{_ANSWERS}Verbatim", run="sessions.verbatim:verbatim",
        permission="recall",
        route=Route("GET", "/verbatim", "verbatim", "sessions"), command="session",
        sdk="sessions.verbatim",
        about="What was said word for word, with citations; by words in every script, without a model.",
    ),
)  # fmt: skip
