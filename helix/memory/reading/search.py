"""search: a question in, memories with their best passages out, within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from helix.errors import BadValue
from helix.index.catalog import Row
from helix.index.gate import FAR
from helix.memory.reader import NOW, Reader, When, check_limit, to_filters
from helix.memory.reading.presentation import brief, check_format, full, passage
from helix.memory.reading.view import Caller, View, reaches
from helix.memory.tokens import Payload, clean

if TYPE_CHECKING:
    from helix.index.search import Answer

_DEPTH = 200  # how many hits can be paged through
# How many are shown at first of what is merely nearest: a page of neighbours costs the reader and answers nothing.
_NEAREST_OF_FAR, _NEAREST = 2, 5
_LONGEST_QUERY = 20_000
SCOPES = ("project", "global", "session", "all")


def search(
    reader: Reader,
    query: str,
    *,
    caller: Caller,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    limit: int = 8,
    max_tokens: int = 1500,
    response_format: str = "concise",
    include_deleted: bool = False,
    rerank: bool = False,
    cursor: str | None = None,
    when: When = NOW,
) -> Payload:
    detailed = check_format(response_format)
    check_limit(limit)
    include_deleted = include_deleted or asks_for_hidden(filters)
    answer: Payload = {}
    if cursor is not None:
        view, listing = reader.continued("search", cursor)
    else:
        view = reader.view(when)
        found = ask(
            view, query, caller=caller, scope=scope, filters=filters, limit=_DEPTH,
            include_deleted=include_deleted, rerank=rerank,
        )  # fmt: skip
        answer = _notices(found, detailed)
        entries = [
            [
                hit.memory_id,
                round(hit.score, 4),
                hit.ordinal,
                _rounded(hit.reasons),
                include_deleted,
                found.fits,
            ]
            for hit in found.hits
        ]
        if not found.fits:
            limit = min(limit, nearest_shown(found))
        listing = reader.pages.start("search", entries, view.commit)
    shown: dict[str, str] = {}

    def render(entry: list[Any]) -> Payload | None:
        memory_id, score, ordinal, reasons, hidden_too, *fits = entry
        note = view.find(memory_id)
        if note is None or not (note.memory.visible or hidden_too):
            return None
        text = passage(note, ordinal)
        words = " ".join(text.split()).casefold()
        if shown.setdefault(words, memory_id) != memory_id:
            return None  # the same text in two notes is one answer
        said = {"score": score} if all(fits) else {"score": score, "nearest": True}
        if detailed:
            return {**full(note, text), **said, "reasons": reasons}
        return {**brief(note, text), **said}

    return reader.page(
        "search",
        listing,
        render,
        lambda items: {"results": list(items)},
        limit=limit,
        max_tokens=max_tokens,
        answer=answer,
    )


def nearest_shown(found: Answer) -> int:
    return _NEAREST_OF_FAR if found.confidence < FAR else _NEAREST


def ask(
    view: View,
    query: str,
    *,
    caller: Caller,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    limit: int,
    include_deleted: bool = False,
    rerank: bool = False,
    explain: bool = False,
) -> Answer:
    """The hits themselves, for the verbs that are made of searches."""
    from helix.index.search import Question

    if len(query) > _LONGEST_QUERY:
        raise BadValue(f"the question has {len(query)} characters; ask with at most {_LONGEST_QUERY}")
    known, own = to_filters(filters or {})
    seen = reaches(check_scope(scope), caller)
    only = _with_keys(view, own) if own else None
    where = replace(known, reaches=seen, among=only, active_only=not include_deleted)
    question = Question(clean(query), limit, now=view.now(), where=where, rerank=rerank, explain=explain)
    return view.searcher().search(question)


def asks_for_hidden(filters: Mapping[str, str] | None) -> bool:
    """Who names a status wants to see what has it."""
    return bool(to_filters(filters or {})[0].statuses)


def check_scope(scope: str) -> str | None:
    """None stands for everything."""
    if scope not in SCOPES:
        raise BadValue(f"scope is {scope[:60]!r}; give one of {', '.join(SCOPES)}")
    return None if scope == "all" else scope


def _with_keys(view: View, own: Mapping[str, str]) -> frozenset[str]:
    """The memories with these values under a person's own keys, or in what is known of their source."""

    def fits(row: Row) -> bool:
        known = {**(row.meta.get("extra") or {}), **(row.meta.get("source") or {})}
        return all(_has(known.get(key), value) for key, value in own.items())

    return frozenset(row.id for row in view.everything() if fits(row))


def _has(value: Any, wanted: str) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(one is not None and str(one).casefold() == wanted.casefold() for one in values)


def _notices(found: Answer, detailed: bool) -> Payload:
    said: Payload = {}
    if found.note:
        said["note"] = found.note
    if found.degraded:
        said["degraded"] = found.degraded
    if found.suggestions:
        said["suggestions"] = found.suggestions
    if detailed:
        said["confidence"] = round(found.confidence, 3)
    return said


def _rounded(reasons: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in reasons.items()}
