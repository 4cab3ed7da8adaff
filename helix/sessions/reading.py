"""Reading logs: which sessions there are, what happened in one, and whether it can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypedDict

from helix.errors import SessionNotFound
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.event_log import EventLog
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.sessions.answers import (
    CitedEvent,
    KnownRef,
    LearnedFrom,
    LoggedEvent,
    Replay,
    SessionDetails,
    SessionIntegrity,
    Sessions,
    SessionSummary,
    Verified,
)
from helix.sessions.event_memory import memory_of
from helix.sessions.refs import find_chain
from helix.sessions.whole_log import log_of, shown
from helix.vault.log.event import parse_citation
from helix.vault.log.integrity import Integrity
from helix.vault.log.log_paths import FOLDER

_MOST_LISTED = 10_000
"""events that one replay goes through; from the next one on it is asked again"""
_MOST_LEARNED = 100


@verb("sessions")
def sessions(
    request: Request,
    *,
    archived: bool = False,
    limit: int = 50,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> Sessions:
    check_limit(limit, 200)
    put_away = [] if request.events is None else request.events.archived()

    def entries(_: View) -> list[SessionSummary]:
        if archived and request.events is not None:
            return [summary for name in put_away if (summary := _archived(request.events, name)) is not None]
        return [
            {"session_id": found.session, "events": found.events, "first": found.first, "last": found.last}
            for found in (request.events.sessions() if request.events is not None else [])
        ]

    def render(entry: SessionSummary) -> SessionSummary:
        return entry

    def build(_: Any, items: Sequence[SessionSummary], end: Page) -> Sessions:
        return {"archived": 0 if archived else len(put_away), "sessions": list(items), **end}

    what = "archived sessions" if archived else "sessions"
    _, listing = request.listed(what, request.view(), cursor, entries)
    return request.page(what, listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens)


def _archived(log: EventLog, name: str) -> SessionSummary | None:
    """As far as its first and its last line tell."""
    ends = log.logs().archived_ends(name)
    if ends is None:
        return None
    return {
        "session_id": name,
        "events": ends[1].seq,
        "first": ends[0].timestamp,
        "last": ends[1].timestamp,
    }


@verb("session")
def session(request: Request, *, session_id: str) -> SessionDetails:
    log = log_of(request)
    index = log.get_index(session_id)
    counts = index.sessions(session_id)[0]
    return {
        "session_id": session_id,
        "events": counts.events,
        "first": counts.first,
        "last": counts.last,
        "heads": [{"seq": head.seq, "hash": head.hash} for head in index.heads(session_id)],
        "actors": index.actors(session_id),
        "types": index.types(session_id),
        "files": [f"{FOLDER}/{session_id}/{name}" for name in log.logs().files(session_id)],
        "learned": list(islice(_learned(request, session_id), _MOST_LEARNED)),
    }


def _learned(request: Request, session_id: str) -> Iterator[LearnedFrom]:
    for row in request.view().latest():
        if (row.source or {}).get("session") == session_id and row.status not in ("deleted", "erased"):
            yield {"id": row.id, "title": row.title, "kind": row.kind, "status": row.status}


class _ReplayHead(TypedDict, total=False):
    ref: KnownRef
    integrity: SessionIntegrity


@verb("session_replay")
def replay(
    request: Request,
    *,
    session_id: str,
    from_seq: int = 1,
    to_seq: int | None = None,
    event_type: str | None = None,
    ref: str | None = None,
    limit: int = 100,
    max_tokens: int = 8000,
    cursor: str | None = None,
) -> Replay:
    check_limit(limit, 1000)
    log = log_of(request)
    known_ref, chain = find_chain(log, ref, session_id)
    if known_ref is not None:
        session_id = known_ref["session_id"]
    index = log.get_index(session_id)
    head: _ReplayHead = {} if known_ref is None else {"ref": known_ref}
    if cursor is None:
        head["integrity"] = _integrity(log.integrity(session_id))

    def entries(_: View) -> list[list[Any]]:
        kinds = () if event_type is None else (event_type,)
        last = to_seq if chain is None else min(chain.seq, to_seq or chain.seq)
        places = index.span(session_id, from_seq, last, _MOST_LISTED, kinds)
        return [[place.seq, place.hash] for place in places if chain is None or chain.holds(place)]

    def render(entry: Sequence[Any]) -> LoggedEvent | None:
        found = index.find(session_id, entry[0], entry[1])
        event = next((event for _, event in index.read(found)), None)
        return None if event is None else shown(event)

    def build(head: _ReplayHead, items: Sequence[LoggedEvent], end: Page) -> Replay:
        return {"session_id": session_id, **head, "events": list(items), **end}

    _, listing = request.listed(f"replay {session_id}", request.view(), cursor, entries, quotes=False)
    return request.page(
        f"replay {session_id}", listing, render, build, head=head, limit=limit, max_tokens=max_tokens
    )


@verb("session_verify")
def verify(request: Request, *, session_id: str) -> Verified:
    return {"session_id": session_id, **_integrity(log_of(request).verify(session_id))}


@verb("session_event")
def event(request: Request, *, session_id: str, seq: int, event_hash: str | None = None) -> CitedEvent:
    return _cited(request, session_id, seq, event_hash)


@verb("cite")
def cite(request: Request, *, uri: str) -> CitedEvent:
    return _cited(request, *parse_citation(uri))


def _cited(request: Request, session_id: str, seq: int, prefix: str | None) -> CitedEvent:
    log = log_of(request)
    place = log.get_place(session_id, seq, prefix)
    found = next(event for _, event in log.read([place]))
    if found is None:
        raise SessionNotFound(f"the file of session {session_id!r} is being changed; ask again in a moment")
    return {
        "session_id": session_id,
        "event": shown(found),
        "memory_id": memory_of(request, place.hash, found),
    }


def _integrity(found: Integrity) -> SessionIntegrity:
    first = found.problems[0] if found.problems else None
    return {
        "ok": found.ok,
        "total_events": found.total_events,
        "broken_at_seq": None if first is None else first.seq,
        "broken_reason": None if first is None else first.reason,
        "heads": [{"seq": head.seq, "hash": head.hash} for head in found.heads],
        "erased": found.erased,
        "problems": [
            {"path": problem.path, "line": problem.line, "reason": problem.reason}
            for problem in found.problems[:50]
        ],
    }
