"""query: facts that bear on a question, as they hold now or held at a time, each with its citation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from helix.errors import BadValue
from helix.memory.answers import Page
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.reading.search import ask
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.writing.write import check_time
from helix.sessions.answers import FactRow, Facts
from helix.sessions.contexts import passage_of, source_of
from helix.sessions.event_memory import citation_of
from helix.sessions.refs import resolve
from helix.sessions.time_travel import gather_then
from helix.sessions.validity import Validity, holds
from helix.sessions.whole_log import log_of
from helix.vault.log.log_paths import check_session
from helix.vault.times import parse_time

LONGEST_QUERY = 4096
_DEPTH = 200
"""memories that are looked at, before those that did not hold are left out"""


@verb("session_query")
def query(
    request: Request,
    *,
    query: str,
    held_at: str | None = None,
    session_ids: Sequence[str] = (),
    ref: str | None = None,
    explain: bool = False,
    limit: int = 10,
    max_tokens: int = 2000,
    cursor: str | None = None,
) -> Facts:
    check_limit(limit, 100)
    check_query(query)
    sessions = frozenset(map(check_session, session_ids))
    view = request.view()
    moment = parse_time(check_time("held_at", held_at)) or view.now()

    def entries(_: View) -> list[Any]:
        if ref is not None:
            return _then(request, query, ref, held_at, session_ids)
        validity = Validity(view)
        among = _of_sessions(view, sessions) if sessions else None
        found = ask(
            view, query, place=request.place, scope="all", limit=_DEPTH, include_deleted=True, among=among
        )
        rows = []
        for hit in found.hits:
            note = found.notes.get(hit.memory_id) or view.find(hit.memory_id)
            if note is None or note.memory.status in ("deleted", "erased"):
                continue
            start, end = validity.window(note)
            if holds(start, end, moment):
                reasons = {name: round(value, 4) for name, value in hit.reasons.items()}
                rows.append([note.id, hit.ordinal, round(hit.score, 4), reasons, start, end])
        return rows

    def render(entry: Any) -> FactRow | None:
        if isinstance(entry, dict):
            return cast(FactRow, entry)
        memory_id, ordinal, score, reasons, start, end = entry
        note = view.find(memory_id)
        if note is None or note.memory.status in ("deleted", "erased"):
            return None
        row = view.row(memory_id)
        title = note.memory.title
        is_exact = title.casefold() == " ".join(query.split()).casefold()
        source = "exact" if is_exact else source_of(reasons)
        fact: FactRow = {
            "content": passage_of(note, query, ordinal),
            "source": source,
            "score": score,
            "valid_from": start,
            "valid_to": end,
            "citation": citation_of(row),
            "entity_name": title,
            "entity_type": note.memory.kind,
            "memory_id": memory_id,
            "session_id": (row.source or {}).get("session"),
        }
        if explain:
            fact["score_explanation"] = explained(source, score, reasons)
        return fact

    _, listing = request.listed("session_query", view, cursor, entries)
    return request.page(
        "session_query", listing, render, _build, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


def _then(
    request: Request, query: str, ref: str, held_at: str | None, session_ids: Sequence[str]
) -> list[FactRow]:
    if held_at is not None or len(session_ids) > 1:
        raise BadValue(
            "a ref is a point of its own session: give it without held_at, and with one session at most"
        )
    log = log_of(request)
    point = resolve(log, ref, next(iter(session_ids), None))
    found = gather_then(request, log, query, point.chain(log), _DEPTH)
    return [
        {
            "content": fact.content,
            "source": "keyword",
            "score": fact.score,
            "valid_from": fact.valid_from,
            "valid_to": fact.valid_to,
            "citation": fact.citation,
            "entity_name": fact.entity_name or "",
            "entity_type": fact.entity_type or "",
            "memory_id": None,
            "session_id": point.shown["session_id"],
        }
        for fact in found.contexts
        if fact.lane == "graph" and fact.is_current
    ]


def check_query(query: str) -> str:
    if not query.strip() or len(query) > LONGEST_QUERY:
        raise BadValue(f"query is a text of 1 to {LONGEST_QUERY} characters")
    return query


def explained(source: str, score: float, reasons: dict[str, float]) -> dict[str, Any]:
    return {
        "source": source,
        "raw_score": score,
        "source_weight": 1.0,
        "weighted_score": score,
        "ranking_score": score,
        "reasons": reasons,
    }


def _of_sessions(view: View, sessions: frozenset[str]) -> frozenset[str]:
    return frozenset(row.id for row in view.everything() if (row.source or {}).get("session") in sessions)


def _build(_: Any, items: Sequence[FactRow], end: Page) -> Facts:
    return {"facts": list(items), **end}
