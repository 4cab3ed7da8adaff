"""What the verbs about sessions answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.verb import About

CITATION = "eventloom://billing-api-default/events/12#9f2c41aa03de"


class LearnedMemory(TypedDict):
    id: str
    status: Annotated[
        str, About("`created`, `merged`, `superseded` or `noop`, as a write answers; or `closed`.")
    ]


class Appended(TypedDict):
    session_id: str
    seq: int
    hash: str
    citation: Annotated[str, About(example=CITATION)]
    memory: NotRequired[Annotated[LearnedMemory | None, About("The memory that the event became.")]]
    degraded: NotRequired[
        Annotated[str | None, About("What could not be done yet, though the event is safe.")]
    ]


class SkillEvent(TypedDict):
    session_id: str
    seq: int
    hash: str
    event_type: Annotated[str, About(example="skill.validated")]
    citation: Annotated[str, About(example=CITATION)]
    status: Annotated[
        str | None, About("How the skill stands after it; null when the event is not found yet.")
    ]
    memory: NotRequired[Annotated[LearnedMemory | None, About("The note of the skill.")]]
    degraded: NotRequired[str | None]


class SkillOutcome(TypedDict):
    time: str
    task: str | None
    success_score: float | None
    feedback: str | None
    citation: str


class SkillVersion(TypedDict):
    version: str
    status: str
    supersedes_version: str | None
    applied_count: int
    outcome_count: int
    success_count: int
    failure_count: int
    contradiction_count: int
    average_success_score: float | None
    latest_citation: str
    outcomes: NotRequired[Annotated[list[SkillOutcome] | None, About("The last ones; of one skill alone.")]]


class Skill(TypedDict):
    skill_id: str
    name: str
    status: Annotated[
        str,
        About("`proposed`, `validated`, `revised`, `deprecated` or `contradicted`: of its current version."),
    ]
    version: Annotated[str, About("The current one: that which was validated or revised last.")]
    summary: str | None
    reason: str | None
    procedure: list[str]
    applicability: list[str]
    citations: list[str]
    evidence: list[str]
    failure_modes: list[str]
    rollback: str | None
    last: str
    memory_id: Annotated[str | None, About("Its note.")]
    versions: list[SkillVersion]
    truncated: NotRequired[bool]


class SkillCandidate(TypedDict):
    skill_id: str
    version: str
    status: str
    success_count: int
    failure_count: int
    average_success_score: float | None
    latest_citation: str
    reason: NotRequired[
        Annotated[
            str | None,
            About("`contradicted`, `deprecated`, `failed_outcomes` or `low_success_score`: to roll it back."),
        ]
    ]
    failure_modes: NotRequired[list[str]]
    rollback: NotRequired[str | None]


class SkillAnalytics(TypedDict):
    version_count: int
    outcome_count: int
    contradiction_count: int
    promotion_candidates: Annotated[
        list[SkillCandidate], About("Versions that went well and never badly; at most five.")
    ]
    rollback_candidates: Annotated[
        list[SkillCandidate], About("Versions that were withdrawn or went badly; at most five.")
    ]


class Skills(Page):
    analytics: NotRequired[
        Annotated[SkillAnalytics | None, About("Of all that are listed; on the first page.")]
    ]
    skills: list[Skill]


class FeedbackGiven(TypedDict):
    session_id: str
    seq: int
    hash: str
    event_type: Annotated[str, About(example="memory.reinforced")]
    citation: Annotated[str, About(example=CITATION)]
    memory_id: Annotated[
        str | None, About("The memory that is found a little better, or worse; null when none has this name.")
    ]
    degraded: NotRequired[str | None]


class Invalidated(TypedDict):
    session_id: Annotated[str, About("The session whose log says so: the one that stated it.")]
    status: Annotated[
        Literal["invalidated", "noop", "nothing_matched"],
        About("`noop`: it held no longer already."),
    ]
    memory_id: str | None
    valid_until: NotRequired[Annotated[str | None, About("Until when the memory held.")]]
    seq: NotRequired[int | None]
    hash: NotRequired[str | None]
    citation: NotRequired[Annotated[str | None, About(example=CITATION)]]
    degraded: NotRequired[str | None]


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
    archived: Annotated[int, About("How many more are archived.")]
    sessions: list[SessionSummary]


class ArchivedSession(TypedDict):
    session_id: str
    status: Literal["archived", "restored"]


class SessionHead(TypedDict):
    seq: int
    hash: str


class LearnedFrom(TypedDict):
    id: str
    title: str
    kind: str | None
    status: str


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
    learned: Annotated[
        list[LearnedFrom],
        About("Memories whose source names the session, the one that changed last first; up to 100."),
    ]


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
    ref: NotRequired[Annotated[KnownRef | None, About("What it goes up to, when a ref was given.")]]
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
    erased: Annotated[int, About("How many events were erased.")]
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


class FactRow(TypedDict):
    content: str
    source: Literal["exact", "vector", "keyword"]
    score: float
    valid_from: str | None
    valid_to: Annotated[str | None, About("Until when it holds, or held; null when nothing says so.")]
    citation: Annotated[str, About(example=CITATION)]
    entity_name: str
    entity_type: str
    memory_id: str | None
    session_id: Annotated[str | None, About("The session that stated it.")]
    score_explanation: NotRequired[
        Annotated[dict[str, Any] | None, About("Where the score comes from; when it was asked for.")]
    ]
    truncated: NotRequired[bool]


class Facts(Page):
    facts: list[FactRow]


class ExportedLog(TypedDict):
    session_id: str
    head: Annotated[str, About("The hash of the last event of the chain; give it with `from_seq`.")]
    lines: Annotated[list[str], About("Lines of the log, as they were sealed; never cut.")]
    next_seq: Annotated[int | None, About("Where it goes on; null at the end.")]


class ImportedLog(TypedDict):
    session_id: str
    imported: int
    known: Annotated[int, About("Events that were there already.")]
    memories: Annotated[int, About("Memories that were written or changed.")]
    degraded: NotRequired[str | None]


class KnownRef(TypedDict):
    name: Annotated[str, About(example="refs/before-the-rewrite")]
    session_id: str
    target_seq: int
    target_hash: str
    ref_type: str
    updated_at: str


class RefSet(TypedDict):
    status: Annotated[Literal["set", "noop"], About("`noop`: it led there already.")]
    ref: KnownRef
    degraded: NotRequired[str | None]


class Refs(Page):
    refs: list[KnownRef]


class CheckoutQuality(TypedDict):
    confidence: float
    answerability: Literal["answer_from_memory", "refresh_recommended", "ask_user"]
    required_action: dict[str, Any] | None
    reasons: list[str]


class Checkout(TypedDict):
    session_id: str
    query: str
    prompt: Annotated[str, About("All of it as a text for a model.")]
    working_set: dict[str, Any]
    ref: Annotated[KnownRef | None, About("The point of the session that was asked about.")]
    current_facts: list[dict[str, Any]]
    evidence: list[dict[str, Any]]
    provenance: Annotated[
        list[dict[str, Any]], About("What was found, also what no longer holds: that has a `valid_to`.")
    ]
    retention: dict[str, Any]
    warnings: list[str]
    guidance: dict[str, Any]
    quality: CheckoutQuality
    diagnostics: dict[str, Any]
    context_counts: dict[str, int]
    replay_event_count: int
    token_efficiency: dict[str, Any]
    compacted: bool
    assembly_policy: dict[str, Any]
    purpose: str | None
    truncated: bool
    tokens_used: int


class AssembledContext(TypedDict):
    session_id: str
    ref: Annotated[KnownRef | None, About("The point of the session that was asked about.")]
    prompt: str
    contexts: list[dict[str, Any]]
    replay_event_count: int
    compacted: bool
    assembly_policy: dict[str, Any]
    context_counts: dict[str, int]
    working_set: dict[str, Any]
    truncated: bool
    tokens_used: int


class Handover(AssembledContext):
    summary: Annotated[dict[str, Any], About("What the subagent's session leaves: goals, open tasks.")]
    integrity_ok: bool


class Capabilities(TypedDict):
    session_id: str
    current_task: str | None
    purpose: str
    recommended_next_call: dict[str, Any]
    reminder_policy: dict[str, Any]
    ambient_loop: dict[str, Any]
    tools: list[dict[str, str]]
    status: dict[str, Any]
    prompt: str


class Bootstrap(TypedDict):
    mode: Literal["session_start"]
    session_id: str
    workspace: str | None
    current_task: str | None
    capabilities: Capabilities
    startup_sequence: list[dict[str, Any]]
    trust_policy: dict[str, str]
    prompt: str


class Recap(TypedDict):
    project: str | None
    sessions: Annotated[list[str], About("Those it is about, the last first.")]
    text: Annotated[
        str, About("A line for each thing, with the event that says it; empty when there is nothing.")
    ]
    tokens_used: NotRequired[int]


class Reminder(TypedDict):
    session_id: str
    reminder: Annotated[
        dict[str, Any] | None, About("What to look at, and why; null when there is no reason.")
    ]
