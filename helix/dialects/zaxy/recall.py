"""Tools that answer from what is known: checkout, assembly, and what follows a turn or the work of a subagent."""

from __future__ import annotations

import json
from typing import Any

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.zaxy.arguments import (
    LONGEST_QUERY,
    count_of,
    given,
    needed,
    query_of,
    seq_of,
    session_of,
    text,
)
from helix.dialects.zaxy.spelled import indented, on_one_line
from helix.errors import BadValue, SessionNotFound
from helix.memory.request import Request
from helix.memory.size_limits import MOST_TOKENS
from helix.memory.tokens import Payload
from helix.vault.log.log_paths import check_session

_ROOM = 20_000
"""tokens of an answer to a client that names no budget: what a host still hands on whole"""
_LEAST_ROOM = 2_000
"""however small a budget is: query, verdict and guidance are always there"""
_SPELLING = 120
"""tokens by which an answer is longer in the words of this dialect"""
_CITED, _UNCITED = (
    "Retrieved current facts with Eventloom citations.",
    "Retrieved current facts, but they lack Eventloom citations.",
)
_WARNED = "Checkout contains warnings that reduce confidence."
_REFRESH = "Refresh memory before major follow-up work, after compaction/resume, or when task scope changes."


def checkout(request: Request, arguments: Arguments) -> str:
    answer = ask(
        request,
        "session_checkout",
        session_id=session_of(request, arguments),
        query=query_of(arguments),
        **_window(arguments),
        **given(purpose=purpose_of(arguments), ref=_ref(request, arguments)),
        max_tokens=_room(arguments),
    )
    quality, counts = answer["quality"], answer["diagnostics"]
    quality["reasons"] = _reasons(quality["reasons"], counts["current_fact_count"], counts["warning_count"])
    for next_call in (answer["guidance"]["recommended_next_call"], quality["required_action"]):
        if next_call is not None and next_call.get("tool") is not None:
            next_call["reason"] = _REFRESH
    return _written(answer, arguments)


def _reasons(reasons: list[str], facts: int, warnings: int) -> list[str]:
    """In the words that clients look for, where there are such. A memory's own citation is one, too."""
    if facts:
        reasons = [_CITED, *reasons[1:]]
    return [_WARNED if warnings and "warning(s)" in reason else reason for reason in reasons]


def assemble(request: Request, arguments: Arguments) -> str:
    answer = ask(
        request,
        "session_assemble",
        session_id=session_of(request, arguments),
        query=query_of(arguments),
        **_window(arguments),
        max_tokens=_room(arguments),
    )
    return _written(answer, arguments)


def after_turn(request: Request, arguments: Arguments) -> str:
    session, content = session_of(request, arguments), needed(arguments, "content")
    answer = ask(
        request.at(session=session),
        "session_after_turn",
        session_id=session,
        role=needed(arguments, "role"),
        content=content,
        # Looked at before anything is kept.
        query=query_of(arguments, content[:LONGEST_QUERY]),
        source=text(arguments, "source") or "mcp",
        limit=count_of(arguments, "limit", 10),
        max_recent_events=count_of(arguments, "max_recent_events", 20),
        max_tokens=_ROOM,
    )
    return indented(_without_budget(answer))


def clean_up(request: Request, arguments: Arguments) -> str:
    parent = check_session(needed(arguments, "parent_session_id"))
    child = session_of(request, {"session_id": needed(arguments, "subagent_session_id")})
    answer = ask(
        request,
        "session_handover",
        session_id=parent,
        subagent_session_id=child,
        summary=needed(arguments, "summary"),
        query=query_of(arguments, "subagent handoff"),
        limit=count_of(arguments, "limit", 10),
        max_tokens=_ROOM,
    )
    return indented(_without_budget(answer))


def _ref(request: Request, arguments: Arguments) -> str | None:
    name, session = text(arguments, "ref"), session_of(request, arguments)
    if name is None:
        return None
    try:
        led_to = ask(request, "session_ref", name=name, session_id=session)["session_id"]
    except SessionNotFound:
        if name == "HEAD":
            return None  # of a session that nothing happened in
        raise
    # A ref names a session of its own.
    if request.place.session_is == "held" and led_to != session:
        raise BadValue(f"ref {name[:80]!r} leads out of the session scope of this connection, {session!r}")
    return name


def purpose_of(arguments: Arguments) -> str | None:
    purpose = arguments.get("purpose")
    return (
        json.dumps(purpose, ensure_ascii=False) if isinstance(purpose, dict) else text(arguments, "purpose")
    )


def _window(arguments: Arguments) -> dict[str, int]:
    return {
        "replay_from_seq": seq_of(arguments, "replay_from_seq"),
        "limit": count_of(arguments, "limit", 10),
        "max_recent_events": count_of(arguments, "max_recent_events", 20),
    }


def _room(arguments: Arguments) -> int:
    wanted = int(arguments.get("max_tokens", _ROOM))
    if wanted < 0:
        raise BadValue("max_tokens must be 0 or more")
    return min(max(wanted, _LEAST_ROOM), MOST_TOKENS) - _SPELLING


def _written(answer: Payload, arguments: Arguments) -> str:
    """On one line for a client that counts tokens: indents would not fit."""
    if "max_tokens" not in arguments:
        return indented(_without_budget(answer))
    requested, used = int(arguments["max_tokens"]), answer["tokens_used"]
    return on_one_line({**answer, "budget": {"requested": requested, "used": used}})


def _without_budget(answer: Payload) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "tokens_used"}
