"""checkout and assemble: what memory knows of a question and of the work, ready to be read, within a budget.

Everything is made of the same contexts; what does not fit is left out from the end of every list alike, so that the
best is always there. The verdict is made before anything is left out: a small budget makes no doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from helix.errors import BadValue, HelixError
from helix.memory.arguments import check_limit
from helix.memory.request import Request, verb
from helix.sessions.answers import AssembledContext, Checkout, Handover
from helix.sessions.checkout_answer import Gathered, to_assembly, to_checkout
from helix.sessions.contexts import Context, gather, recent
from helix.sessions.learn import learn
from helix.sessions.quality import BEARS, judge, plan_for
from helix.sessions.refs import find_chain
from helix.sessions.skill_recall import RecalledSkills, recall_skills
from helix.sessions.time_travel import gather_then
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft, LogEvent
from helix.vault.log.log_paths import check_session

_LONGEST_QUERY = 4096
_CLEARLY = 0.15
"""by how much more of the question what no longer holds must hold, to make the facts doubtful"""
# How much of every list, and how many characters of every text, are tried one after the other.
_SIZES = (
    (1.0, 600), (0.8, 400), (0.6, 300), (0.5, 240), (0.4, 200), (0.3, 160), (0.2, 120), (0.1, 100), (0.0, 80),
)  # fmt: skip
ACTIVITY_ACTOR = "helix-memory"


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
        return to_checkout(known, purpose, share, longest)

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
        AssembledContext, _fitting(request, max_tokens, lambda share, size: to_assembly(known, share, size))
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
        AssembledContext, _fitting(request, max_tokens, lambda share, size: to_assembly(known, share, size))
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
        return {**to_assembly(known, share, size), "summary": closing, "integrity_ok": is_whole}

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
) -> Gathered:
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
    return Gathered(
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
