"""The table of the verbs about sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

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


Ref = Annotated[
    str | None,
    About(
        "Up to this point of a session, as it was known then: `HEAD` or `refs/…`. A ref names its own session.",
        longest=250,
    ),
]
RefName = Annotated[str, About("`refs/` and a name.", longest=250, example="refs/before-the-rewrite")]


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
    archived: Annotated[bool, About("List those that are archived, by name, and no others.")] = False
    limit: Annotated[int, About(least=1, most=200)] = 50


class SessionRequest(Asks):
    session_id: SessionId


class ReplayRequest(Budgeted):
    session_id: SessionId
    from_seq: Seq = 1
    to_seq: Annotated[int | None, About("The last one that is wanted.", least=1, most=MOST_SEQ)] = None
    event_type: Annotated[str | None, About("Only events of this type.", name="type")] = None
    ref: Ref = None
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
    through: Annotated[
        int | None,
        About("Erase every event from `seq` to this number, 10,000 at most.", least=1, most=MOST_SEQ),
    ] = None


class VerbatimRequest(Budgeted):
    query: Annotated[str, About("Words that were said, in any script.", shortest=1, longest=4096)]
    session_id: Annotated[str | None, About("Only of this session.", longest=128)] = None
    ref: Ref = None
    limit: Annotated[int, About(least=1, most=100)] = 10


Recent = Annotated[int, About("How many of the last events are told.", least=1, most=100)]
Found = Annotated[int, About("How many facts at most.", least=1, most=100)]
Task = Annotated[str | None, About("What the agent is about to do.", longest=4096)]
Whole = Annotated[int, About("The whole answer fits in so many tokens.", least=64, most=200_000)]
Asked = Annotated[str, About("The question.", shortest=1, longest=4096)]


class AssembleRequest(Asks):
    session_id: SessionId
    query: Asked
    replay_from_seq: Seq = 1
    limit: Found = 10
    max_recent_events: Recent = 20
    ref: Ref = None
    max_tokens: Whole = 4000


class CheckoutRequest(AssembleRequest):
    purpose: Annotated[str | None, About("What it is for; it is repeated in the answer.", longest=500)] = None


class RecapRequest(Asks):
    project: Annotated[str | None, About("The caller's when absent.", longest=200)] = None
    without: Annotated[str | None, About("Leave out this session: the one that asks.", longest=128)] = None
    max_tokens: Annotated[int, About("The whole answer fits in so many tokens.", least=64, most=200_000)] = (
        400
    )


class AfterTurnRequest(Asks):
    session_id: SessionId
    role: Annotated[str, About("Who said it, such as `user` or `assistant`.", shortest=1, longest=200)]
    content: Annotated[str, About("What was said.", shortest=1, longest=500_000)]
    query: Annotated[str | None, About("What to look for; what was said when absent.", longest=4096)] = None
    source: Annotated[str, About("Where the turn comes from.", shortest=1, longest=200)] = "agent"
    limit: Found = 10
    max_recent_events: Recent = 20
    max_tokens: Whole = 4000


class HandoverRequest(Asks):
    session_id: SessionId
    subagent_session_id: SessionId
    summary: Annotated[str, About("What came of it.", shortest=1, longest=100_000)]
    query: Asked = "subagent handoff"
    limit: Found = 10
    max_tokens: Whole = 4000


class CapabilitiesRequest(Asks):
    session_id: SessionId
    current_task: Task = None


class ReminderRequest(Asks):
    session_id: SessionId
    trigger: Annotated[
        str,
        About(
            "What happened: `session-start`, `resume`, `stop`, `precompact`, `command`, …",
            shortest=1,
            longest=100,
        ),
    ]
    turn_count: Annotated[int | None, About(least=0, most=10**9)] = None
    duration_ms: Annotated[int | None, About("How long a command ran.", least=0, most=10**12)] = None
    current_task: Task = None
    source: Annotated[str, About("Which host says so.", shortest=1, longest=200)] = "hook"


SkillId = Annotated[str, About("The name that its events share.", shortest=1, longest=200, example="release")]
SkillStatus = Literal["proposed", "validated", "revised", "deprecated", "contradicted"]
_Text = Annotated[str | None, About(longest=4000)]
_Texts = Annotated[Sequence[str], About(longest=100)]
_Share = Annotated[float | None, About(least=0, most=1)]
_Actor = Annotated[str, About("Who says so.", shortest=1, longest=200)]


class SkillRequest(Asks):
    session_id: SessionId
    action: Annotated[
        Literal[
            "proposed", "validated", "revised", "deprecated", "contradicted", "applied", "outcome_recorded"
        ],
        About("What happened to the skill."),
    ]
    skill_id: SkillId
    version: Annotated[str, About(shortest=1, longest=40)] = "1"
    name: Annotated[str | None, About("As people call it.", longest=200)] = None
    summary: _Text = None
    procedure: Annotated[Sequence[str], About("Its steps, in their order.", longest=100)] = ()
    applicability: Annotated[Sequence[str], About("When it applies.", longest=100)] = ()
    citations: Annotated[Sequence[str], About("What it is based on.", longest=100)] = ()
    task: Annotated[str | None, About("What it was applied to.", longest=4000)] = None
    success_score: Annotated[float | None, About("How well that went.", least=0, most=1)] = None
    feedback: Annotated[
        str | None, About("Such as `helpful`, `passed`, `failed` or `regressed`.", longest=200)
    ] = None
    evidence: _Texts = ()
    reason: _Text = None
    supersedes_version: Annotated[
        str | None,
        About("The version that a revision replaces; the current one, unless it is named.", longest=40),
    ] = None
    failure_modes: Annotated[Sequence[str], About("How it goes wrong.", longest=100)] = ()
    rollback: Annotated[str | None, About("How to undo what it does.", longest=4000)] = None
    contradiction_reason: _Text = None
    actor: _Actor = "agent"


class SkillsRequest(Budgeted):
    skill_id: Annotated[str | None, About("Only this one, with its outcomes.", longest=200)] = None
    status: Annotated[SkillStatus | None, About("Only such as stand so.")] = None
    limit: Annotated[int, About(least=1, most=200)] = 50


class FeedbackRequest(Asks):
    session_id: SessionId
    entity_name: Annotated[
        str, About("The id of a memory, its title, or the citation of its event.", shortest=1, longest=500)
    ]
    entity_type: Annotated[str, About("Such as `memory` or `decision`.", shortest=1, longest=200)]
    feedback: Annotated[
        Literal["used", "helpful", "irrelevant"], About("What the answer was to whoever got it.")
    ]
    query: Annotated[
        str | None, About("The question that it answered: the feedback counts most for such.", longest=4096)
    ] = None
    citation: Annotated[str | None, About("The citation that the answer had.", longest=500)] = None
    score: Annotated[float | None, About("The score that it had.", least=-(10**9), most=10**9)] = None
    reason: _Text = None
    importance: _Share = None
    source: Annotated[str | None, About("Through what it was said.", longest=200)] = None
    actor: _Actor = "agent"
    purpose: _Text = None
    outcome: _Text = None


class InvalidateRequest(Asks):
    session_id: SessionId
    entity_name: Annotated[
        str,
        About(
            "What it was stated as, or the id of a memory, its title, or the citation of its event.",
            shortest=1,
            longest=500,
        ),
    ]
    entity_type: Annotated[
        str,
        About("Such as `decision`, `preference`, `issue`, `task`; `memory` is any.", shortest=1, longest=200),
    ] = "memory"
    invalid_at: Annotated[
        str | None, About("Since when it no longer holds; now, unless it is said.", longest=64)
    ] = None
    reason: _Text = None
    actor: _Actor = "agent"


class QueryRequest(Budgeted):
    query: Asked
    held_at: Annotated[
        str | None,
        About("What held at this time, as far as is known today; now, unless it is said.", longest=64),
    ] = None
    session_ids: Annotated[
        Sequence[str], About("Only what these sessions stated; without them all memories.", longest=100)
    ] = ()
    ref: Ref = None
    explain: Annotated[bool, About("Say where each score comes from.")] = False
    limit: Annotated[int, About(least=1, most=100)] = 10


class ExportLogRequest(Asks):
    session_id: SessionId
    from_seq: Seq = 1
    head: Annotated[
        str | None, About("The hash of the end of the chain; the longest one, unless it is said.", longest=64)
    ] = None
    limit: Annotated[int, About("How many lines at most; 2 MiB at most too.", least=1, most=1000)] = 1000


class ImportLogRequest(Asks):
    session_id: SessionId
    lines: Annotated[
        Sequence[str],
        About("Lines of a log that follow each other, as they were sealed.", shortest=1, longest=1000),
    ]
    first_line: Annotated[
        int, About("The number of the first of them in its file.", least=1, most=MOST_SEQ)
    ] = 1
    allow_secrets: Annotated[bool, About("Take lines with credentials in them too.")] = False


class SetRefRequest(Asks):
    session_id: SessionId
    name: RefName
    seq: Annotated[
        int | None,
        About(
            "The number of the event it leads to; the last one, unless it is said.", least=1, most=MOST_SEQ
        ),
    ] = None
    event_hash: EventHash = None
    ref_type: Annotated[str, About("What kind of point it is.", shortest=1, longest=64)] = "ref"
    actor: _Actor = "agent"


class RefsRequest(Budgeted):
    session_id: Annotated[str | None, About("Only those that lead into this session.", longest=128)] = None
    limit: Annotated[int, About(least=1, most=200)] = 50


class RefRequest(Asks):
    name: Annotated[str, About("`HEAD` or `refs/…`.", longest=250)]
    session_id: Annotated[str | None, About("Of which session HEAD is meant.", longest=128)] = None


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
        "session_archive", SessionRequest, f"{_ANSWERS}ArchivedSession", run="sessions.archive:archive",
        permission="forget", changes=True,
        route=Route("POST", "/sessions/{session_id}/archive", "archive_session", "sessions", errors=(404,), example={}),
        command="session",
        sdk="sessions.archive",
        about="Move the log of a session to `archived-sessions`, where nothing reads it until it is brought back.",
    ),
    Verb(
        "session_restore", SessionRequest, f"{_ANSWERS}ArchivedSession", run="sessions.archive:restore",
        permission="recover", changes=True,
        route=Route("POST", "/sessions/{session_id}/restore", "restore_session", "sessions", errors=(404,), example={}),
        command="session",
        sdk="sessions.restore",
        about="Bring an archived session back. Adding to it does the same.",
    ),
    Verb(
        "session_verbatim", VerbatimRequest, f"{_ANSWERS}Verbatim", run="sessions.verbatim:verbatim",
        permission="recall",
        route=Route("GET", "/verbatim", "verbatim", "sessions"), command="session",
        sdk="sessions.verbatim",
        about="What was said word for word, with citations; by words in every script, without a model.",
    ),
    Verb(
        "session_checkout", CheckoutRequest, f"{_ANSWERS}Checkout", run="sessions.checkout:checkout",
        permission="recall", changes=True,
        route=Route("POST", "/sessions/{session_id}/checkout", "checkout", "sessions",
                    example={"query": "How often do we retry the gateway?"}),
        command="session",
        sdk="sessions.checkout",
        about="""What memory knows of a question: current facts, cited; and whether it can be answered from them.

        In a session that has a log it leaves a mark that memory was looked at, which no search finds.
        """,
    ),
    Verb(
        "session_assemble", AssembleRequest, f"{_ANSWERS}AssembledContext", run="sessions.checkout:assemble",
        permission="recall",
        route=Route("GET", "/sessions/{session_id}/context", "assemble_context", "sessions"),
        sdk="sessions.assemble",
        about="What happened last in a session and what bears on a question, as one text with its sources.",
    ),
    Verb(
        "session_after_turn", AfterTurnRequest, f"{_ANSWERS}AssembledContext",
        run="sessions.checkout:after_turn", permission="remember", changes=True,
        route=Route("POST", "/sessions/{session_id}/turns", "after_turn", "sessions",
                    example={"role": "user", "content": "Let us retry three times, with jitter."}),
        sdk="sessions.after_turn",
        about="Add a turn to the log of a session, and get what bears on it.",
    ),
    Verb(
        "session_handover", HandoverRequest, f"{_ANSWERS}Handover", run="sessions.checkout:handover",
        permission="remember", changes=True,
        route=Route("POST", "/sessions/{session_id}/handover", "hand_over", "sessions",
                    example={"subagent_session_id": "billing-api-sub-1", "summary": "The flaky test is mended."}),
        sdk="sessions.handover",
        about="A subagent is done: its session is closed, and the one it worked for hears what came of it.",
    ),
    Verb(
        "session_capabilities", CapabilitiesRequest, f"{_ANSWERS}Capabilities",
        run="sessions.orientation:capabilities", permission="recall",
        route=Route("GET", "/sessions/{session_id}/capabilities", "session_capabilities", "sessions"),
        sdk="sessions.capabilities",
        about="What an agent can do with its memory, and what is known of its session.",
    ),
    Verb(
        "session_bootstrap", CapabilitiesRequest, f"{_ANSWERS}Bootstrap",
        run="sessions.orientation:bootstrap", permission="recall", changes=True,
        route=Route("POST", "/sessions/{session_id}/bootstrap", "bootstrap_session", "sessions",
                    example={"current_task": "Mend the flaky retry test"}),
        sdk="sessions.bootstrap",
        about="What an agent should do first in a session.",
    ),
    Verb(
        "session_reminder", ReminderRequest, f"{_ANSWERS}Reminder", run="sessions.orientation:reminder",
        permission="remember", changes=True,
        route=Route("POST", "/sessions/{session_id}/reminder", "remind", "sessions",
                    example={"trigger": "precompact", "turn_count": 12}),
        sdk="sessions.reminder",
        about="Whether an agent should look at its memory now, and why.",
    ),
    Verb(
        "session_recap", RecapRequest, f"{_ANSWERS}Recap", run="sessions.recap:recap", permission="recall",
        uses_caller=True,
        route=Route("GET", "/recap", "recap", "sessions"), sdk="sessions.recap",
        about="""What the last sessions of a project left: hand-over, open tasks, decisions, first and last words.

        A session is of the project of the folder that it was started in.
        """,
    ),
    Verb(
        "session_skill", SkillRequest, f"{_ANSWERS}SkillEvent", run="sessions.skills:skill",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/skills", "record_skill", "sessions",
                    example={"action": "validated", "skill_id": "release", "name": "Release a version",
                             "procedure": ["Run the checks", "Tag the commit", "Push the tag"]}),
        sdk="sessions.skill",
        about="""Say what happened to a skill, in the log of a session. Its note is made anew from all that was said.

        That a skill was applied, or how that went, never changes how it stands. What was deprecated or contradicted
        stays so until it is validated or revised anew.
        """,
    ),
    Verb(
        "session_skills", SkillsRequest, f"{_ANSWERS}Skills", run="sessions.skills:skills", permission="recall",
        route=Route("GET", "/skills", "list_skills", "sessions", errors=(404,)), command="skill",
        sdk="sessions.skills",
        about="The skills that the logs know, the one that something happened to last first, and how they did.",
    ),
    Verb(
        "session_feedback", FeedbackRequest, f"{_ANSWERS}FeedbackGiven", run="sessions.feedback:feedback",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/feedback", "give_feedback", "sessions",
                    example={"entity_name": "mem_2026-06-18_auth-retry_a1b2", "entity_type": "memory",
                             "feedback": "helpful", "query": "how often does the client retry?"}),
        sdk="sessions.feedback",
        about="""Say whether a memory that was found helped. It is kept in the log, and no note is touched.

        The memory then stands a little higher or lower in answers, for a while, mostly for such questions.
        """,
    ),
    Verb(
        "session_export", ExportLogRequest, f"{_ANSWERS}ExportedLog", run="sessions.portability:export_log",
        permission="recall",
        route=Route("GET", "/sessions/{session_id}/log", "export_log", "sessions", errors=(404,)),
        command="session",
        sdk="sessions.export_log",
        about="The log of a session as one chain of lines, which other tools verify.",
    ),
    Verb(
        "session_import", ImportLogRequest, f"{_ANSWERS}ImportedLog", run="sessions.portability:import_log",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/log", "import_log", "sessions",
                    example={"lines": ['{"seq":1,"timestamp":"2026-06-18T09:12:44Z"}']}),
        command="session",
        sdk="sessions.import_log",
        about="""Take over lines of a log that was sealed elsewhere, as they are. What is there already stays one event.

        All of them are held against their hashes first. When one does not fit none is taken, and its number is said.
        """,
    ),
    Verb(
        "session_ref_set", SetRefRequest, f"{_ANSWERS}RefSet", run="sessions.refs:set_ref",
        permission="remember", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/refs", "set_ref", "sessions",
                    example={"name": "refs/before-the-rewrite"}),
        command="session",
        sdk="sessions.set_ref",
        about="Give a point of a session a name. It may be given to another point later; nothing is lost by that.",
    ),
    Verb(
        "session_refs", RefsRequest, f"{_ANSWERS}Refs", run="sessions.refs:refs", permission="recall",
        route=Route("GET", "/refs", "list_refs", "sessions"),
        command="session",
        sdk="sessions.refs",
        about="The refs that there are, the one that was set last first.",
    ),
    Verb(
        "session_ref", RefRequest, f"{_ANSWERS}KnownRef", run="sessions.refs:ref", permission="recall",
        route=Route("GET", "/refs/resolve", "resolve_ref", "sessions", errors=(404,)),
        command="session",
        sdk="sessions.ref",
        about="The event that a ref leads to, or HEAD: the last one of a session.",
    ),
    Verb(
        "session_query", QueryRequest, f"{_ANSWERS}Facts", run="sessions.query:query", permission="recall",
        route=Route("POST", "/facts", "query_facts", "sessions",
                    example={"query": "how often do we retry?", "held_at": "2026-06-18"}),
        command="session",
        sdk="sessions.query",
        about="""Facts that bear on a question, as they hold now or held at a time, each with its citation.

        A memory holds from its `valid_from` on, until its `valid_until` or until another one took its place.
        """,
    ),
    Verb(
        "session_invalidate", InvalidateRequest, f"{_ANSWERS}Invalidated", run="sessions.invalidate:invalidate",
        permission="modify", changes=True, uses_caller=True,
        route=Route("POST", "/sessions/{session_id}/invalidate", "invalidate", "sessions",
                    example={"entity_name": "Retry 3 times, with jitter", "entity_type": "decision"}),
        command="session",
        sdk="sessions.invalidate",
        about="""Say that what was stated no longer holds. Its memory says until when it held, and an event says so too.

        The event is in the log of the session that stated it. When nothing matches, nothing is written.
        """,
    ),
)  # fmt: skip
