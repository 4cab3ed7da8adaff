"""What the daemon answers about sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.client.answer_shape import Listing, Result, each, mapping


@dataclass(frozen=True, kw_only=True)
class Ref(Result):
    """A named point of a session."""

    name: str
    session_id: str
    target_seq: int
    target_hash: str
    ref_type: str
    updated_at: str


@dataclass(frozen=True, kw_only=True)
class SetRef(Result):
    status: str
    """`set`, or `noop` when it led there already"""
    ref: Ref = field(metadata={"of": Ref})
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class RefList(Listing[Ref]):
    refs: tuple[Ref, ...] = each(Ref)

    @property
    def items(self) -> tuple[Ref, ...]:
        return self.refs


@dataclass(frozen=True, kw_only=True)
class ExportedLog(Result):
    session_id: str
    head: str
    """the hash of the last event of the chain; give it with `from_seq`"""
    lines: tuple[str, ...] = ()
    """as they were sealed; never cut"""
    next_seq: int | None = None
    """where it goes on; None at the end"""


@dataclass(frozen=True, kw_only=True)
class ImportedLog(Result):
    session_id: str
    imported: int
    known: int
    """events that were there already"""
    memories: int = 0
    """that were written or changed"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class LearnedMemory(Result):
    """The memory that an event became."""

    id: str
    status: str
    """`created`, `merged`, `superseded`, `noop` or `closed`"""


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
class ArchivedSession(Result):
    session_id: str
    status: str
    """`archived` or `restored`"""


@dataclass(frozen=True, kw_only=True)
class SessionList(Listing[SessionSummary]):
    archived: int = 0
    """how many more are archived"""
    sessions: tuple[SessionSummary, ...] = each(SessionSummary)

    @property
    def items(self) -> tuple[SessionSummary, ...]:
        return self.sessions


@dataclass(frozen=True, kw_only=True)
class SessionHead(Result):
    seq: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class LearnedFrom(Result):
    id: str
    title: str
    status: str
    kind: str | None = None


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
    learned: tuple[LearnedFrom, ...] = each(LearnedFrom)
    """memories whose source names the session"""


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
    ref: Ref | None = field(default=None, metadata={"of": Ref})
    """what it goes up to, when a ref was given"""
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
    erased: int = 1
    """how many events were erased"""
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


@dataclass(frozen=True, kw_only=True)
class CheckoutQuality(Result):
    confidence: float
    answerability: str
    """`answer_from_memory`, `refresh_recommended` or `ask_user`"""
    required_action: Mapping[str, Any] | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AssembledContext(Result):
    session_id: str
    prompt: str
    """all of it as a text for a model"""
    replay_event_count: int
    compacted: bool
    tokens_used: int
    ref: Ref | None = field(default=None, metadata={"of": Ref})
    """the point of the session that was asked about"""
    contexts: tuple[Mapping[str, Any], ...] = ()
    assembly_policy: Mapping[str, Any] = mapping()
    context_counts: Mapping[str, int] = mapping()
    working_set: Mapping[str, Any] = mapping()
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class Handover(AssembledContext):
    integrity_ok: bool
    summary: Mapping[str, Any] = mapping()


@dataclass(frozen=True, kw_only=True)
class Checkout(Result):
    session_id: str
    query: str
    prompt: str
    quality: CheckoutQuality = field(metadata={"of": CheckoutQuality})
    replay_event_count: int
    compacted: bool
    tokens_used: int
    current_facts: tuple[Mapping[str, Any], ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    provenance: tuple[Mapping[str, Any], ...] = ()
    """what was found, also what no longer holds: that has a `valid_to`"""
    warnings: tuple[str, ...] = ()
    working_set: Mapping[str, Any] = mapping()
    ref: Ref | None = field(default=None, metadata={"of": Ref})
    retention: Mapping[str, Any] = mapping()
    guidance: Mapping[str, Any] = mapping()
    diagnostics: Mapping[str, Any] = mapping()
    context_counts: Mapping[str, int] = mapping()
    token_efficiency: Mapping[str, Any] = mapping()
    assembly_policy: Mapping[str, Any] = mapping()
    purpose: str | None = None
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class Capabilities(Result):
    session_id: str
    purpose: str
    prompt: str
    current_task: str | None = None
    recommended_next_call: Mapping[str, Any] = mapping()
    reminder_policy: Mapping[str, Any] = mapping()
    ambient_loop: Mapping[str, Any] = mapping()
    tools: tuple[Mapping[str, str], ...] = ()
    status: Mapping[str, Any] = mapping()


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Result):
    mode: str
    session_id: str
    prompt: str
    capabilities: Capabilities = field(metadata={"of": Capabilities})
    workspace: str | None = None
    current_task: str | None = None
    startup_sequence: tuple[Mapping[str, Any], ...] = ()
    trust_policy: Mapping[str, str] = mapping()


@dataclass(frozen=True, kw_only=True)
class Recap(Result):
    project: str | None = None
    sessions: tuple[str, ...] = ()
    text: str = ""
    tokens_used: int = 0


@dataclass(frozen=True, kw_only=True)
class Reminder(Result):
    session_id: str
    reminder: Mapping[str, Any] | None = None
    """null when there is no reason to look"""


@dataclass(frozen=True, kw_only=True)
class SkillEvent(Result):
    """What was said of a skill, as it was acknowledged."""

    session_id: str
    seq: int
    hash: str
    event_type: str
    citation: str
    status: str | None = None
    """how the skill stands after it"""
    memory: LearnedMemory | None = field(default=None, metadata={"of": LearnedMemory})
    """the note of the skill"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class SkillOutcome(Result):
    time: str
    citation: str
    task: str | None = None
    success_score: float | None = None
    feedback: str | None = None


@dataclass(frozen=True, kw_only=True)
class SkillVersion(Result):
    version: str
    status: str
    latest_citation: str
    supersedes_version: str | None = None
    applied_count: int = 0
    outcome_count: int = 0
    success_count: int = 0
    failure_count: int = 0
    contradiction_count: int = 0
    average_success_score: float | None = None
    outcomes: tuple[SkillOutcome, ...] = each(SkillOutcome)
    """the last ones; of one skill alone"""


@dataclass(frozen=True, kw_only=True)
class Skill(Result):
    skill_id: str
    name: str
    status: str
    """`proposed`, `validated`, `revised`, `deprecated` or `contradicted`"""
    version: str
    """the current one: that which was validated or revised last"""
    last: str
    summary: str | None = None
    reason: str | None = None
    procedure: tuple[str, ...] = ()
    applicability: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    failure_modes: tuple[str, ...] = ()
    rollback: str | None = None
    memory_id: str | None = None
    versions: tuple[SkillVersion, ...] = each(SkillVersion)
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class SkillCandidate(Result):
    skill_id: str
    version: str
    status: str
    latest_citation: str
    success_count: int = 0
    failure_count: int = 0
    average_success_score: float | None = None
    reason: str | None = None
    """why to roll it back"""
    failure_modes: tuple[str, ...] = ()
    rollback: str | None = None


@dataclass(frozen=True, kw_only=True)
class SkillAnalytics(Result):
    version_count: int
    outcome_count: int
    contradiction_count: int
    promotion_candidates: tuple[SkillCandidate, ...] = each(SkillCandidate)
    rollback_candidates: tuple[SkillCandidate, ...] = each(SkillCandidate)


@dataclass(frozen=True, kw_only=True)
class SkillList(Listing[Skill]):
    analytics: SkillAnalytics | None = field(default=None, metadata={"of": SkillAnalytics})
    """on the first page"""
    skills: tuple[Skill, ...] = each(Skill)

    @property
    def items(self) -> tuple[Skill, ...]:
        return self.skills


@dataclass(frozen=True, kw_only=True)
class GivenFeedback(Result):
    """What was said of an answer, as it was acknowledged."""

    session_id: str
    seq: int
    hash: str
    event_type: str
    citation: str
    memory_id: str | None = None
    """the memory that it is about; None when none has this name"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class Invalidation(Result):
    """What holds no longer, as it was acknowledged."""

    session_id: str
    """the session whose log says so: the one that stated it"""
    status: str
    """`invalidated`, `noop` when it held no longer already, or `nothing_matched`"""
    memory_id: str | None = None
    valid_until: str | None = None
    seq: int | None = None
    hash: str | None = None
    citation: str | None = None
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class FactRow(Result):
    content: str
    source: str
    """`exact`, `vector` or `keyword`"""
    score: float
    citation: str
    entity_name: str
    entity_type: str
    valid_from: str | None = None
    valid_to: str | None = None
    """until when it holds, or held; None when nothing says so"""
    memory_id: str | None = None
    session_id: str | None = None
    """the session that stated it"""
    score_explanation: Mapping[str, Any] = mapping()
    """when it was asked for"""
    truncated: bool = False


@dataclass(frozen=True, kw_only=True)
class FactList(Listing[FactRow]):
    facts: tuple[FactRow, ...] = each(FactRow)

    @property
    def items(self) -> tuple[FactRow, ...]:
        return self.facts
