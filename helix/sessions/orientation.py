"""capabilities, bootstrap and reminders: what an agent should know of its memory, and when to look at it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from helix.errors import BadValue
from helix.memory.request import Request, verb
from helix.sessions.answers import Bootstrap, Capabilities, Reminder
from helix.sessions.checkout import ACTIVITY_ACTOR, mark_activity
from helix.sessions.tool_names import tool
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft
from helix.vault.log.log_paths import check_session

_DEFAULT_QUERY = "current task, project direction, and recent decisions"
_USED = ("memory.bootstrap.shown", "memory.checkout.completed", "memory.feedback", "memory.reinforced")
_BOUNDARIES = frozenset(
    {"session-start", "start", "resume", "precompact", "compaction", "postcompact", "long-tool-run"}
)
_STALE_AFTER, _LONG_SESSION, _LONG_RUN_MS = 8, 8, 30_000
_WHERE_ARE_WE = (
    "where are we", "what is left", "what's left", "continue", "roadmap", "current goal", "status",
)  # fmt: skip
_TOOLS = (
    ("memory_capabilities", "a session begins, or it is unclear what memory can do"),
    ("memory_checkout", "before larger work, after compaction, and to answer from what is known"),
    ("context_after_turn", "a turn is done that is worth keeping"),
    ("memory_append", "a decision, a preference, a goal or a task was stated"),
    ("memory_feedback", "a cited fact was used, or was beside the point"),
    ("memory_verbatim", "the exact words of a source are needed"),
    ("memory_replay", "what happened, in its order, and whether the log verifies"),
)
_LOOP = {
    "session_start": ("memory_capabilities", "to know what memory can do here"),
    "before_major_work": ("memory_checkout", "to stand on what is decided already"),
    "after_compaction_or_resume": ("memory_checkout", "to recover what the context window lost"),
    "after_meaningful_work": ("context_after_turn", "so that the next session knows of it"),
    "when_exact_source_is_needed": ("memory_verbatim", "to quote and not to paraphrase"),
    "when_context_is_used": ("memory_feedback", "so that what helped is found sooner"),
}


@verb("session_capabilities")
def capabilities(request: Request, *, session_id: str, current_task: str | None = None) -> Capabilities:
    return _capabilities(request, check_session(session_id), _given(current_task))


@verb("session_bootstrap")
def bootstrap(request: Request, *, session_id: str, current_task: str | None = None) -> Bootstrap:
    session, task = check_session(session_id), _given(current_task)
    able = _capabilities(request, session, task)
    mark_activity(request, session, "memory.bootstrap.shown", task)
    query = task or _DEFAULT_QUERY
    prompt = "\n".join(
        [
            "# Session Bootstrap",
            f"Session: {session}",
            *([] if task is None else [f"Task: {task}"]),
            f"Call {tool('memory_checkout')} before answering questions about the roadmap or the implementation.",
            f"Call {tool('memory_feedback')} when cited context was used.",
        ]
    )
    return {
        "mode": "session_start",
        "session_id": session,
        "workspace": request.place.project,
        "current_task": task,
        "capabilities": able,
        "startup_sequence": [
            {
                "tool": tool("memory_capabilities"),
                "arguments": {"session_id": session, "current_task": task},
                "reason": "to know what memory can do here",
            },
            {
                "tool": tool("memory_checkout"),
                "arguments": {"query": query, "session_id": session},
                "reason": "to stand on what is known",
            },
        ],
        "trust_policy": {
            "prefer": "current facts with a citation",
            "ignore": "what provenance shows with a valid_to",
            "record": "decisions, preferences, goals and tasks, as they are stated",
        },
        "prompt": prompt,
    }


@verb("session_reminder")
def reminder(
    request: Request,
    *,
    session_id: str,
    trigger: str,
    turn_count: int | None = None,
    duration_ms: int | None = None,
    current_task: str | None = None,
    source: str = "hook",
) -> Reminder:
    """Whether the agent should look at its memory now. A reminder that is given is noted, no other thing is."""
    session = check_session(session_id)
    name = trigger.strip().casefold().replace("_", "-")
    if not name:
        raise BadValue("trigger is empty; say what happened, such as `session-start`, `stop` or `precompact`")
    if name == "command":
        if (duration_ms or 0) < _LONG_RUN_MS:
            return {"session_id": session, "reminder": None}
        name = "long-tool-run"
    last, since = _last_use(request, session)
    task = _given(current_task)
    reasons = _reasons(name, turn_count, task, since)
    if not reasons:
        return {"session_id": session, "reminder": None}
    query = task or _DEFAULT_QUERY
    payload: dict[str, Any] = {
        "trigger": name,
        "source": source,
        "reason": reasons[0],
        "turn_count": turn_count,
        "query": query,
        "recommended_tool": tool("memory_checkout"),
        "recommended_arguments": {"query": query, "session_id": session},
        "reasons": reasons,
        "last_bootstrap_seq": last.get("memory.bootstrap.shown"),
        "last_checkout_seq": last.get("memory.checkout.completed"),
        "last_feedback_seq": max(
            (seq for kind in _USED[2:] if (seq := last.get(kind)) is not None), default=None
        ),
        "events_since_memory_use": since,
        "prompt": f"Memory was not looked at for a while. Call {tool('memory_checkout')} with the query {query!r}.",
    }
    log_of(request).append(session, [EventDraft("memory.reminder.suggested", ACTIVITY_ACTOR, payload)])
    return {"session_id": session, "reminder": payload}


def _given(text: str | None) -> str | None:
    return None if text is None or not text.strip() else text.strip()


def _reasons(trigger: str, turns: int | None, task: str | None, since: int | None) -> list[str]:
    reasons = []
    if trigger in _BOUNDARIES:
        reasons.append("context_boundary")
    if since is None or since >= _STALE_AFTER:
        reasons.append("stale_memory_activity")
    if (turns or 0) >= _LONG_SESSION:
        reasons.append("long_session")
    if task is not None and any(words in task.casefold() for words in _WHERE_ARE_WE):
        reasons.append("where_are_we_query")
    return reasons


def _last_use(request: Request, session: str) -> tuple[dict[str, int], int | None]:
    """When memory was last used in a session, by the kind of use; and how many events came since, None for an empty
    log."""
    index = None if request.events is None else request.events.find_index()
    heads = [] if index is None else index.heads(session)
    if index is None or not heads:
        return {}, None
    last = {kind: found[0].seq for kind in _USED if (found := index.before(session, 1 << 62, [kind], 1))}
    return last, heads[0].seq - max(last.values(), default=0)


def _capabilities(request: Request, session: str, task: str | None) -> Capabilities:
    query = task or _DEFAULT_QUERY
    return cast(
        Capabilities,
        {
            "session_id": session,
            "current_task": task,
            "purpose": "Memory that its owner can read: a verifiable log of what happened, and what it taught.",
            "recommended_next_call": {
                "tool": tool("memory_checkout"),
                "arguments": {"query": query, "session_id": session},
                "reason": "to stand on what is known",
            },
            "reminder_policy": {
                "event_type": "memory.reminder.suggested",
                "triggers": [
                    "session_start",
                    "resume",
                    "compaction",
                    "long_session",
                    "long_tool_run",
                    "where_are_we_question",
                ],
                "instruction": f"When a reminder comes, call {tool('memory_checkout')} before going on.",
            },
            "ambient_loop": {key: {"tool": tool(name), "reason": why} for key, (name, why) in _LOOP.items()},
            "tools": [{"name": tool(name), "use_when": when} for name, when in _TOOLS],
            "status": _status(request, session),
            "prompt": _contract(query),
        },
    )


def _status(request: Request, session: str) -> dict[str, Any]:
    index = None if request.events is None else request.events.find_index()
    heads: Sequence[Any] = [] if index is None else index.heads(session)
    is_whole = None if request.events is None or not heads else request.events.integrity(session).ok
    return {
        "eventloom": {
            "path": f"sessions/{session}",
            "session_exists": bool(heads),
            "latest_seq": heads[0].seq if heads else None,
            "latest_hash": heads[0].hash if heads else None,
            "integrity_ok": is_whole,
            "skipped_log_count": 0,
            "skipped_logs": [],
        },
        "graph": {
            "status": "available_through_memory_checkout",
            "message": "memories are found by checkout and query",
        },
    }


def _contract(query: str) -> str:
    return "\n".join(
        [
            "# Memory Contract",
            *(f"- {tool(name)}: {when}" for name, when in _TOOLS),
            f"Next: {tool('memory_checkout')} with the query {query!r}.",
        ]
    )
