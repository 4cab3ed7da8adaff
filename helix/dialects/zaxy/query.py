"""The tool that looks for facts: as they hold, or held at a time, in pages if they are wanted so.

A cursor is what its clients know it as: the question, the session and the time that it belongs to, and how many rows
were given already.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.zaxy.arguments import count_of, given, query_of, session_of, text
from helix.dialects.zaxy.spelled import indented
from helix.errors import BadValue
from helix.memory.request import Request
from helix.vault.log.log_paths import check_session
from helix.vault.times import parse_time

_ROOM = 100_000
"""tokens: these clients name no budget, and what fits less well comes last"""
_WINDOW = 100
"""rows of a question, in all its pages"""
_ROW = (
    "content", "source", "score", "valid_from", "valid_to", "citation", "score_explanation", "entity_name",
    "entity_type", "truncated",
)  # fmt: skip


def query(request: Request, arguments: Arguments) -> str:
    limit, cursor = count_of(arguments, "limit", 10), text(arguments, "cursor")
    session, sessions = session_of(request, arguments), _sessions(request, arguments)
    asked = {"query": query_of(arguments), "session_id": session, "temporal_point": _moment(arguments)}
    if not (cursor or arguments.get("paged")):
        return indented(_rows(request, asked, sessions, limit))
    offset = 0 if cursor is None else _offset(cursor, asked)
    # One more than is wanted, to know whether there are more.
    found = _rows(request, asked, sessions, min(offset + limit + 1, _WINDOW))
    following = offset + limit
    has_more = len(found) > following
    page = {
        "contexts": found[offset:following],
        "next_cursor": _cursor(asked, following) if has_more else None,
        "cursor": cursor,
        "has_more": has_more,
        "offset": offset,
        "session_id": session,
    }
    return indented(page)


def _sessions(request: Request, arguments: Arguments) -> list[str]:
    """Those that a question is narrowed to; none, when it is about everything that is known."""
    if "session_ids" not in arguments:
        return []
    if request.place.session_is == "held":
        raise BadValue("session_ids: this connection is held to its session scope; leave them out")
    if text(arguments, "cursor"):
        raise BadValue("session_ids cannot be given together with a cursor; leave one of them out")
    found = [check_session(one.strip()) for one in arguments["session_ids"]]
    if not found:
        raise BadValue("session_ids is empty; name the sessions, or leave it out")
    return found


def _moment(arguments: Arguments) -> str | None:
    given_time = text(arguments, "temporal_filter")
    if given_time is not None and parse_time(given_time) is None:
        raise BadValue(f"temporal_filter is {given_time[:60]!r}; write a time like 2026-06-18T09:12:44Z")
    return given_time


def _rows(request: Request, asked: dict[str, Any], sessions: list[str], limit: int) -> list[dict[str, Any]]:
    facts = ask(
        request,
        "session_query",
        query=asked["query"],
        limit=limit,
        max_tokens=_ROOM,
        explain=True,
        **given(held_at=asked["temporal_point"], session_ids=sessions),
    )["facts"]
    shown = (*_ROW, "session_id") if sessions else _ROW
    return [{key: fact[key] for key in shown if key in fact} for fact in facts]


def _cursor(asked: dict[str, Any], offset: int) -> str:
    document = json.dumps({**asked, "offset": offset, "v": 1}, sort_keys=True, separators=(",", ":"))
    return base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")


def _offset(cursor: str, asked: dict[str, Any]) -> int:
    try:
        document = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        document = None
    offset = document.get("offset") if isinstance(document, dict) else None
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset < _WINDOW:
        raise BadValue("cursor is not one that was given out; ask again without it")
    if document != {**asked, "offset": offset, "v": 1}:
        raise BadValue(
            "cursor belongs to another query, session_id or temporal_filter; repeat those that it came with"
        )
    return offset
