"""checkout and assemble: what memory knows of a question and of the work, ready to be read, within a budget.

Everything is made of the same contexts; what does not fit is left out from the end of every list alike, so that the
best is always there. The verdict is made before anything is left out: a small budget makes no doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from helix.errors import BadValue, HelixError
from helix.memory.arguments import check_limit
from helix.memory.request import Request, verb
from helix.sessions.answers import AssembledContext, Checkout, Handover, KnownRef
from helix.sessions.contexts import Context, Found, gather, recent
from helix.sessions.learn import learn
from helix.sessions.quality import BEARS, EvidencePlan, Quality, judge, next_query, plan_for
from helix.sessions.refs import find_chain
from helix.sessions.skill_recall import RecalledSkills, recall_skills
from helix.sessions.time_travel import gather_then
from helix.sessions.tool_names import tool
from helix.sessions.whole_log import log_of
from helix.sessions.working_set import summary_of, working_set
from helix.vault.log.event import EventDraft, LogEvent, parse_citation
from helix.vault.log.log_paths import check_session

_LONGEST_QUERY = 4096
_VERBATIM_SLOTS = 1
_CLEARLY = 0.15
"""by how much more of the question what no longer holds must hold, to make the facts doubtful"""
# How much of every list, and how many characters of every text, are tried one after the other.
_SIZES = (
    (1.0, 600), (0.8, 400), (0.6, 300), (0.5, 240), (0.4, 200), (0.3, 160), (0.2, 120), (0.1, 100), (0.0, 80),
)  # fmt: skip
ACTIVITY_ACTOR = "helix-memory"


@dataclass(frozen=True)
class _Gathered:
    session: str
    query: str
    ref: KnownRef | None
    found: Found
    facts: Sequence[Context]
    """that hold, and bear on the question"""
    closed: Sequence[Context]
    """that would bear on it, and no longer hold"""
    events: Sequence[LogEvent]
    is_compacted: bool
    warnings: Sequence[str]
    plan: EvidencePlan
    quality: Quality
    skills: RecalledSkills


@verb("session_checkout")
def checkout(
    request: Request,
    *,
    session_id: str,
    query: str,
    replay_from_seq: int = 1,
    limit: int = 10,
    max_recent_events: int = 20,
    purpose: str | None = None,
    ref: str | None = None,
    max_tokens: int = 4000,
) -> Checkout:
    known = _gather(request, session_id, query, replay_from_seq, limit, max_recent_events, ref)
    if ref is None:
        mark_activity(request, session_id, "memory.checkout.completed", query)

    def build(share: float, longest: int) -> dict[str, Any]:
        return _checkout(known, purpose, share, longest)

    return cast(Checkout, _fitting(request, max_tokens, build))


@verb("session_assemble")
def assemble(
    request: Request,
    *,
    session_id: str,
    query: str,
    replay_from_seq: int = 1,
    limit: int = 10,
    max_recent_events: int = 20,
    ref: str | None = None,
    max_tokens: int = 4000,
) -> AssembledContext:
    known = _gather(request, session_id, query, replay_from_seq, limit, max_recent_events, ref)
    return cast(
        AssembledContext, _fitting(request, max_tokens, lambda share, size: _assembly(known, share, size))
    )


@verb("session_after_turn")
def after_turn(
    request: Request,
    *,
    session_id: str,
    role: str,
    content: str,
    query: str | None = None,
    source: str = "agent",
    limit: int = 10,
    max_recent_events: int = 20,
    max_tokens: int = 4000,
) -> AssembledContext:
    payload = {"role": role, "content": content, "source": source}
    log_of(request).append(session_id, [EventDraft("transcript.turn", role, payload)])
    asked = query if query and query.strip() else content[:_LONGEST_QUERY]
    known = _gather(request, session_id, asked, 1, limit, max_recent_events)
    return cast(
        AssembledContext, _fitting(request, max_tokens, lambda share, size: _assembly(known, share, size))
    )


@verb("session_handover")
def handover(
    request: Request,
    *,
    session_id: str,
    subagent_session_id: str,
    summary: str,
    query: str = "subagent handoff",
    limit: int = 10,
    max_tokens: int = 4000,
) -> Handover:
    """A subagent is done: its session is closed, and the one that it worked for gets to know what came of it."""
    log = log_of(request)
    parent, child = check_session(session_id), check_session(subagent_session_id)
    if parent == child:
        raise BadValue("a session cannot hand over to itself; give the subagent's own session id")
    about = {"parent_session_id": parent, "subagent_session_id": child}
    short = summary if len(summary) <= 240 else f"{summary[:239]}…"
    done = {**about, "status": "succeeded", "summary": short}
    log.append(
        child,
        [
            EventDraft("subagent.cleaned", ACTIVITY_ACTOR, {**about, "summary": summary}),
            EventDraft("subagent.completed", ACTIVITY_ACTOR, done),
        ],
    )
    handed_on = {"title": f"from {child}: {short}", "summary": summary, "subagent_session_id": child}
    [handed], _ = log.append(parent, [EventDraft("handoff.created", ACTIVITY_ACTOR, handed_on)])
    learn(request, handed)
    known = _gather(request, child, query, 1, limit, 20)
    is_whole = log.integrity(child).ok
    closing = _closing(request, child)

    def build(share: float, size: int) -> dict[str, Any]:
        return {**_assembly(known, share, size), "summary": closing, "integrity_ok": is_whole}

    return cast(Handover, _fitting(request, max_tokens, build))


def mark_activity(request: Request, session: str, kind: str, query: str | None) -> None:
    """Leave a mark that memory was used, for reminders. No later reading finds it, and none makes a session."""
    index = None if request.events is None else request.events.find_index()
    if request.events is None or index is None or not index.heads(check_session(session)):
        return
    payload = {"activity": kind.split(".")[1], **({} if query is None else {"query": query})}
    try:
        request.events.append(session, [EventDraft(kind, ACTIVITY_ACTOR, payload)])
    except (HelixError, OSError):
        # Reading must work on a full disk and where logs are not kept.
        return


def _gather(
    request: Request,
    session_id: str,
    query: str,
    first: int,
    limit: int,
    most_recent: int,
    ref: str | None = None,
) -> _Gathered:
    check_limit(limit, 100)
    session = check_session(session_id)
    if not query.strip() or len(query) > _LONGEST_QUERY:
        raise BadValue(f"query is a text of 1 to {_LONGEST_QUERY} characters")
    known_ref, chain = (None, None) if ref is None else find_chain(log_of(request), ref, session)
    if known_ref is None or chain is None:
        found = gather(request, query, None, limit)
    else:
        session = known_ref["session_id"]
        found = gather_then(request, log_of(request), query, chain, limit)
    bearing = [context for context in found.contexts if context.held >= BEARS]
    facts = [context for context in bearing if context.is_current][:limit]
    closed = [context for context in bearing if not context.is_current]
    events, is_compacted = recent(request, session, first, most_recent, chain)
    warnings = [*_contradictions(request, facts)]
    if facts and any(context.held > facts[0].held + _CLEARLY for context in closed):
        warnings.append("what fits the question best no longer holds")
    if is_compacted and not facts:
        warnings.append(f"the log was compacted to its last {most_recent} events, and no fact is cited")
    plan = plan_for(query)
    groups = len({context.citation for context in facts})
    # How skills stand is known of now alone.
    skills = recall_skills(request, found.contexts) if known_ref is None else RecalledSkills()
    quality = judge(query, facts, cited=groups, superseded=len(closed), warnings=len(warnings), plan=plan)
    return _Gathered(
        session, query, known_ref, found, facts, closed, events, is_compacted, warnings, plan, quality, skills
    )


def _contradictions(request: Request, facts: Sequence[Context]) -> list[str]:
    names = {fact.memory_id: fact.entity_name for fact in facts if fact.memory_id}
    if not any(names):
        return []
    edges = request.view().links().edges
    pairs = {
        tuple(sorted((edge.source, edge.target)))
        for edge in edges
        if edge.rel == "contradicts" and (edge.source in names or edge.target in names)
    }
    return [f"{first} and {second} contradict each other" for first, second in sorted(pairs)]


def _fitting(
    request: Request, max_tokens: int, build: Callable[[float, int], dict[str, Any]]
) -> dict[str, Any]:
    budget = request.budget(max_tokens)
    for share, longest in _SIZES:
        answer = budget.measure(build(share, longest))
        if budget.holds(answer):
            return answer
    raise BadValue(f"nothing of it fits in {max_tokens} tokens; raise max_tokens")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _part(items: Sequence[Any], share: float) -> list[Any]:
    """As many of them from the front; one as long as there is any."""
    return list(items[: max(1, round(len(items) * share))])


def _fact(context: Context, longest: int) -> dict[str, Any]:
    fact: dict[str, Any] = {
        "content": _cut(context.content, longest),
        "source": context.source,
        "score": context.score,
        "citation": context.citation,
        "valid_from": context.valid_from,
        "valid_to": context.valid_to,
        "source_lane": context.lane,
    }
    if context.entity_name is not None:
        fact["entity_name"], fact["entity_type"] = _cut(context.entity_name, 160), context.entity_type
    return fact


def _event_of(citation: str) -> dict[str, Any]:
    if not citation.startswith("eventloom://"):
        return {"event_seq": None, "event_hash": None}
    _, seq, fragment = parse_citation(citation)
    return {"event_seq": seq, "event_hash": fragment}


def _counts(known: _Gathered) -> dict[str, int]:
    lanes = [context.lane for context in known.facts]
    return {
        "graph": lanes.count("graph"),
        "verbatim": lanes.count("verbatim"),
        "packet_memory": 0,
        "replay": len(known.events),
    }


_POLICY = {
    "verbatim_enabled": True,
    "verbatim_slots": _VERBATIM_SLOTS,
    "packet_memory_enabled": False,
    "packet_memory_slots": 0,
}


def _checkout(known: _Gathered, purpose: str | None, share: float, longest: int) -> dict[str, Any]:
    facts = _part(known.facts, share)
    events = list(known.events[-max(1, round(len(known.events) * share)) :]) if known.events else []
    guidance = _guidance(known, facts)
    lanes = [fact.lane for fact in facts]
    diagnostics = {
        "source_lanes": {lane: lanes.count(lane) for lane in sorted(set(lanes))},
        "citation_count": len(facts),
        "current_citation_count": len({fact.citation for fact in facts}),
        "current_fact_count": len(facts),
        "superseded_contexts_excluded": len(known.closed),
        "warning_count": len(known.warnings),
        "feedback_recommended": bool(facts),
        "feedback_tool": tool("memory_feedback"),
        "feedback_reason": "say which of the facts were used, so that they are found sooner",
        "evidence_plan": known.plan.to_dict(),
        "evidence_set": {"groups": sorted({fact.citation for fact in facts})[:8]},
        "search_confidence": round(known.found.confidence, 3),
        **known.skills.diagnostics(longest),
    }
    workset = working_set(events, facts)
    prompt = _checkout_prompt(known, facts, events, workset, longest)
    tokens = max(1, (len(prompt) + 3) // 4)
    return {
        "session_id": known.session,
        "query": known.query,
        "prompt": prompt,
        "working_set": workset,
        "ref": known.ref,
        "current_facts": [_fact(fact, longest) for fact in facts],
        "evidence": [
            {
                "citation": fact.citation,
                "content": _cut(fact.content, min(longest, 160)),
                "source": fact.source,
                "source_lane": fact.lane,
                "score": fact.score,
                **_event_of(fact.citation),
            }
            for fact in facts
        ],
        "provenance": [
            {
                "citation": context.citation,
                **_event_of(context.citation),
                "source": context.source,
                "source_lane": context.lane,
                "valid_from": context.valid_from,
                "valid_to": context.valid_to,
            }
            for context in [*facts, *(_part(known.closed, share) if known.closed else [])]
        ],
        "retention": {"policy": "current_only", "superseded_contexts_excluded": len(known.closed)},
        "warnings": list(known.warnings),
        "guidance": guidance,
        "quality": known.quality.to_dict(),
        "diagnostics": diagnostics,
        "context_counts": _counts(known),
        "replay_event_count": len(known.events),
        "token_efficiency": {
            "prompt_tokens": tokens,
            "current_fact_count": len(facts),
            "evidence_count": len(facts),
            "facts_per_1k_prompt_tokens": round(1000 * len(facts) / tokens, 2),
        },
        "compacted": known.is_compacted,
        "assembly_policy": dict(_POLICY),
        "purpose": purpose,
        "truncated": share < 1.0,
    }


def _guidance(known: _Gathered, facts: Sequence[Context]) -> dict[str, Any]:
    action = known.quality.answerability
    following = {
        "tool": tool("memory_checkout"),
        "query": next_query(known.query),
        "reason": "to see where the work stands"
        if action == "answer_from_memory"
        else "what was found is not sure",
    }
    return {
        "trust": ["Current facts with a citation; each names the event or the memory that it stands on."],
        "ignore": ["What provenance shows with a valid_to: it no longer holds."],
        "recommended_next_call": following,
        "feedback": {
            "tool": tool("memory_feedback"),
            "when": "a cited fact was used in an answer",
            "payloads": [
                {
                    "entity_name": _cut(fact.entity_name or fact.content, 160),
                    "entity_type": fact.entity_type or "memory",
                    "feedback": "used",
                    "actor": "assistant",
                    "query": known.query,
                    "source": fact.source,
                    "score": fact.score,
                    "citation": fact.citation,
                    "importance": 0.6,
                }
                for fact in facts[:1]
            ],
        },
        "synthesis": None,
    }


def _assembly(known: _Gathered, share: float, longest: int) -> dict[str, Any]:
    graph = [context for context in known.found.contexts if context.is_current and context.lane == "graph"]
    spoken = [
        context for context in known.found.contexts if context.is_current and context.lane == "verbatim"
    ]
    room = max(1, round(10 * share))
    # Words of the log keep their place beside the memories, however many of those there are.
    taken = graph[: max(1, room - (_VERBATIM_SLOTS if spoken else 0))]
    contexts = [*taken, *spoken[: max(_VERBATIM_SLOTS, room - len(taken))]][:room]
    events = list(known.events[-max(1, round(len(known.events) * share)) :]) if known.events else []
    workset = working_set(events, contexts)
    rows = [
        {**_fact(context, longest), "metadata": {"assembly_lane": context.lane, "citation": context.citation}}
        for context in contexts
    ]
    prompt = "\n".join(
        [
            *_working_lines(workset),
            *_event_lines(events, longest),
            "# Retrieved Context",
            *(f"- {_cut(' '.join(one.content.split()), longest)} ({one.citation})" for one in contexts),
        ]
    )
    return {
        "session_id": known.session,
        "ref": known.ref,
        "prompt": prompt,
        "contexts": rows,
        "replay_event_count": len(known.events),
        "compacted": known.is_compacted,
        "assembly_policy": dict(_POLICY),
        "context_counts": _counts(known),
        "working_set": workset,
        "truncated": share < 1.0,
    }


def _checkout_prompt(
    known: _Gathered,
    facts: Sequence[Context],
    events: Sequence[LogEvent],
    workset: dict[str, Any],
    longest: int,
) -> str:
    quality = known.quality
    action = "none" if quality.required_action is None else quality.answerability
    lines = ["# Memory Checkout", f"Query: {_cut(known.query, max(longest, 200))}", "## Current Facts"]
    lines += [f"- {_cut(' '.join(fact.content.split()), longest)} ({fact.citation})" for fact in facts] or [
        "- none"
    ]
    lines += ["## Evidence", *(f"- {fact.citation} [{fact.lane}]" for fact in facts)]
    lines += known.skills.lines(longest)
    lines += [
        "## Checkout Quality",
        f"- Answerability: {quality.answerability}",
        f"- Confidence: {quality.confidence}",
        f"- Citations: {len(facts)}",
        f"- Required action: {action}",
        "## Checkout Guidance",
        f"- Suggested next call: {tool('memory_checkout')}('{_cut(next_query(known.query), 200)}')",
        f"- Feedback: call {tool('memory_feedback')} for each cited fact that was used",
        "## Checkout Diagnostics",
        f"- Left out because they no longer hold: {len(known.closed)}",
        *_working_lines(workset),
        *_event_lines(events, longest),
    ]
    if known.warnings:
        lines += ["# Context Warnings", *(f"- {warning}" for warning in known.warnings)]
    return "\n".join(lines)


def _working_lines(workset: dict[str, Any]) -> list[str]:
    return [
        "# Active Memory Working Set",
        *(f"- {item['category']}: {item['summary']} ({item['citation']})" for item in workset["items"]),
    ]


def _event_lines(events: Sequence[LogEvent], longest: int) -> list[str]:
    lines = ["# Recent Events"]
    for event in events:
        lines.append(f"[{event.seq}] {event.type} by {event.actor}")
        if text := summary_of(event):
            lines.append(f"  {_cut(text, longest)}")
    return lines


def _closing(request: Request, session: str) -> dict[str, Any]:
    """What a session leaves: its goals, and the tasks that nobody completed."""
    events, _ = recent(request, session, 1, 1000)
    done = {event.payload.get("taskId") for event in events if event.type.startswith("task.completed")}
    tasks: dict[Any, LogEvent] = {}
    for event in events:
        task = event.payload.get("taskId")
        if event.type.startswith("task.") and isinstance(task, str) and task not in done:
            tasks[task] = event
    return {
        "event_count": len(events),
        "goals": [
            title
            for event in events
            if event.type.startswith("goal.") and isinstance(title := event.payload.get("title"), str)
        ][-20:],
        "open_tasks": [
            {"type": event.type, "actor": event.actor, "payload": dict(event.payload)}
            for event in list(tasks.values())[-20:]
        ],
        "last_actor": events[-1].actor if events else None,
        "last_timestamp": events[-1].timestamp if events else None,
    }
