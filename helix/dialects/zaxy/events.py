"""Tools over the log of a session: what happened is added, read again in its order, and found word for word."""

from __future__ import annotations

from typing import Any

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.zaxy.arguments import count_of, needed, query_of, seq_of, session_of
from helix.dialects.zaxy.spelled import indented, on_one_line
from helix.errors import SessionNotFound
from helix.memory.request import Request
from helix.memory.size_limits import MOST_TOKENS

_MOST_REPLAYED = 1000
_VERBATIM_ROOM = 100_000
"""tokens: these clients name no budget, and what fits less well comes last"""
_VERBATIM_ROW = (
    "content", "source", "score", "citation", "source_kind", "metadata", "overruled_by", "truncated",
)  # fmt: skip
_NOTHING: dict[str, Any] = {
    "integrity": {"ok": True, "total_events": 0, "broken_at_seq": None, "broken_reason": None},
    "events": [],
    "truncated": False,
}


def append(request: Request, arguments: Arguments) -> str:
    session = session_of(request, arguments)
    done = ask(
        request.at(session=session),
        "session_append",
        session_id=session,
        event_type=needed(arguments, "event_type"),
        actor=needed(arguments, "actor"),
        payload=arguments["payload"],
    )
    return on_one_line({key: done[key] for key in ("seq", "hash", "degraded") if key in done})


def replay(request: Request, arguments: Arguments) -> str:
    needed(arguments, "session_id")
    session, first = session_of(request, arguments), seq_of(arguments, "from_seq")
    try:
        page = ask(
            request,
            "session_replay",
            session_id=session,
            from_seq=first,
            limit=_MOST_REPLAYED,
            max_tokens=MOST_TOKENS,
        )
    except SessionNotFound:
        return indented(_NOTHING)
    is_cut = page["next_cursor"] is not None
    return indented({"integrity": page["integrity"], "events": page["events"], "truncated": is_cut})


def verbatim(request: Request, arguments: Arguments) -> str:
    found = ask(
        request,
        "session_verbatim",
        query=query_of(arguments),
        session_id=session_of(request, arguments),
        limit=count_of(arguments, "limit", 10),
        max_tokens=_VERBATIM_ROOM,
    )
    return indented([{key: hit[key] for key in _VERBATIM_ROW if key in hit} for hit in found["results"]])
