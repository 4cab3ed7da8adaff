"""verbatim: what was said, word for word, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from helix.errors import BadValue
from helix.index.event_text import event_text
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.sessions.answers import Verbatim, VerbatimHit
from helix.sessions.event_memory import standing_of
from helix.sessions.refs import find_chain
from helix.sessions.whole_log import log_of
from helix.vault.log.event import LogEvent
from helix.vault.log.log_paths import check_session

_LONGEST_QUERY = 4096
_METADATA = {
    "document": {
        "path": "source_path",
        "start_line": "source_start_line",
        "end_line": "source_end_line",
        "sha256": "source_sha256",
    },
    "transcript": {
        "source": "transcript_source",
        "turn_index": "transcript_turn_index",
        "role": "transcript_role",
    },
}


@verb("session_verbatim")
def verbatim(
    request: Request,
    *,
    query: str,
    session_id: str | None = None,
    ref: str | None = None,
    limit: int = 10,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> Verbatim:
    check_limit(limit, 100)
    if not query.strip() or len(query) > _LONGEST_QUERY:
        raise BadValue(f"query is a text of 1 to {_LONGEST_QUERY} characters")
    among = None if session_id is None else [check_session(session_id)]
    _, chain = (None, None) if ref is None else find_chain(log_of(request), ref, session_id)

    def entries(_: View) -> list[list[Any]]:
        index = None if request.events is None else request.events.find_index()
        if index is None:
            return []
        found = index.search(query, among, 100) if chain is None else index.search_chain(query, chain, 100)
        return [[place.session, place.seq, place.hash, round(score, 4)] for place, score in found]

    def render(entry: Sequence[Any]) -> VerbatimHit | None:
        session, seq, event_hash, score = entry
        if request.events is None:
            return None
        index = request.events.index()
        event = next((event for _, event in index.read(index.find(session, seq, event_hash))), None)
        if event is None or event.erased_at is not None:
            return None
        # Of a point in the past it is not said what replaced it later.
        return _hit(event, score, None if chain else standing_of(request, event.hash)[0])

    def build(_: Any, items: Sequence[VerbatimHit], end: Page) -> Verbatim:
        return {"results": list(items), **end}

    _, listing = request.listed("session_verbatim", request.view(), cursor, entries, quotes=False)
    return request.page(
        "session_verbatim", listing, render, build, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


def _hit(event: LogEvent, score: float, overruling: str | None) -> VerbatimHit:
    kind = _kind(event)
    metadata: dict[str, Any] = {
        "event_seq": event.seq,
        "event_type": event.type,
        "event_thread": event.thread,
        "event_timestamp": event.timestamp,
    }
    for key, name in _METADATA.get(kind, {}).items():
        if event.payload.get(key) is not None:
            metadata[name] = event.payload[key]
    hit: VerbatimHit = {
        "content": event_text(event.payload),
        "source": "verbatim",
        "score": score,
        "citation": event.citation(),
        "source_kind": kind,
        "metadata": metadata,
        "session_id": event.thread,
    }
    if overruling is not None:
        hit["overruled_by"] = overruling
    return hit


def _kind(event: LogEvent) -> Literal["document", "transcript", "event"]:
    if event.type == "document.indexed":
        return "document"
    return "transcript" if event.type == "transcript.turn" else "event"
