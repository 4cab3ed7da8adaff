"""search: a question in, memories with their best passages out, within a budget."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from helix.errors import BadValue
from helix.index.confidence import FAR
from helix.index.query import SOURCE_LANE, parse
from helix.memory import answers
from helix.memory.arguments import check_limit, to_filters
from helix.memory.place import Place, reaches
from helix.memory.reading.citation import citation_of
from helix.memory.reading.passages import Passage, find_passage
from helix.memory.reading.presentation import (
    about_tokens,
    brief,
    check_format,
    full,
    passage,
)
from helix.memory.reading.source_search import lane_of, search_sources
from helix.memory.reading.view import NOW, Row, View, When
from helix.memory.request import Request, verb
from helix.memory.size_limits import HITS_SHOWN
from helix.memory.tokens import clean

if TYPE_CHECKING:
    from helix.index.search import SearchAnswer
    from helix.vault.note import Note

_DEPTH = 200  # how many hits can be paged through
# How many are shown at first of what is merely nearest: a page of neighbours costs the reader and answers nothing.
_NEAREST_OF_FAR, _NEAREST = 2, 5
# By default: of the best score, what a hit needs to be shown where the best one answers the question, and where
# that is in doubt; and how much of the question's words it takes to answer it. Chosen on the halves for tuning.
_SURE, _UNSURE = 0.65, 0.4
_ANSWERS = 0.9
_FEWEST = 4  # where it is in doubt
# Bytes of the best hit's passage. Others get as much less as their scores are lower, and little beside an answer.
_SURE_ROOM, _UNSURE_ROOM, _BESIDE_ROOM = 460, 800, 160
_LONGEST_QUERY = 20_000
SCOPES = ("project", "global", "session", "all")


@verb("search")
def search(
    request: Request,
    query: str,
    *,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    limit: int = HITS_SHOWN,
    max_tokens: int = 1500,
    response_format: str = "concise",
    include_deleted: bool = False,
    rerank: bool = False,
    cursor: str | None = None,
    when: When = NOW,
) -> answers.Hits:
    """`limit` is how many at most. By default a concise answer has as many as the ranking leaves in doubt."""
    detailed = check_format(response_format)
    check_limit(limit)
    asked_lane, rest = lane_of(query, filters)
    if asked_lane == SOURCE_LANE:
        return search_sources(
            request, rest, scope=scope, filters=filters, limit=limit, max_tokens=max_tokens, detailed=detailed,
            cursor=cursor, when=when,
        )  # fmt: skip
    query = rest
    # Whoever sends the default, as some hosts do with every default of a schema, asks for no more than who does not.
    by_doubt = limit == HITS_SHOWN and not detailed
    include_deleted = include_deleted or asks_for_hidden(filters)
    notices: answers.SearchNotices = {}
    read: Mapping[str, Note] = {}
    if cursor is not None:
        view, listing = request.continued("search", cursor)
    else:
        view = request.view(when)
        found = ask(
            view, query, place=request.place, scope=scope, filters=filters, limit=_DEPTH,
            include_deleted=include_deleted, rerank=rerank,
        )  # fmt: skip
        notices, read = _notices(found, detailed), found.notes
        entries = [
            [
                hit.memory_id,
                round(hit.score, 4),
                hit.ordinal,
                _rounded(hit.reasons) if detailed else {},
                include_deleted,
                found.fits,
            ]
            for hit in found.hits
        ]
        if not found.fits:
            limit = min(limit, nearest_shown(found))
        listing = request.cursors.start("search", entries, view.commit)
    passages = _Passages(query, listing.entries, read, view)
    if by_doubt and cursor is None:
        limit = min(limit, passages.worth_showing())
    shown: dict[str, str] = {}

    def render(entry: list[Any]) -> answers.Hit | None:
        memory_id, score, ordinal, reasons, hidden_too, *fits = entry
        note = passages.note(memory_id)
        if note is None or not (note.memory.visible or hidden_too):
            return None
        text = passage(note, ordinal)
        words = " ".join(text.split()).casefold()
        if shown.setdefault(words, memory_id) != memory_id:
            # The same text in two notes is one answer.
            return None
        marks: answers.HitMarks = {"score": score} if all(fits) else {"score": score, "nearest": True}
        if note.memory.kind == "document":
            marks.update(_cited(note, passages.of(note, ordinal, score).best))
        if detailed:
            return {**full(note, text), **marks, "reasons": reasons}
        part = passages.of(note, ordinal, score)
        if not part.is_whole:
            marks["more"] = about_tokens(note)
        return {**brief(note, part.text), **marks}

    return request.page(
        "search",
        listing,
        render,
        _hits,
        head=notices,
        limit=limit,
        max_tokens=max_tokens,
    )


class _Passages:
    """The passages of one answer, each found once."""

    def __init__(
        self, query: str, entries: Sequence[list[Any]], read: Mapping[str, Note], view: View
    ) -> None:
        self._words = frozenset(parse(query).words)
        self._entries = entries
        self._read = read
        self._view = view
        self._found: dict[str, Passage] = {}

    def note(self, memory_id: str) -> Note | None:
        return self._read.get(memory_id) or self._view.find(memory_id)

    def of(self, note: Note, ordinal: int | None, score: float) -> Passage:
        is_sure = self._is_sure  # which finds the passage of the best hit
        if note.id not in self._found:
            whole = _BESIDE_ROOM if is_sure else _UNSURE_ROOM
            room = int(whole * min(1.0, score / self._best)) if self._best > 0 else whole
            self._found[note.id] = find_passage(note.memory, self._words, ordinal, room)
        return self._found[note.id]

    def worth_showing(self) -> int:
        """How many of the hits: few where the best one answers the question."""
        if not self._words:
            return HITS_SHOWN
        least = (_SURE if self._is_sure else _UNSURE) * self._best
        near = sum(entry[1] >= least for entry in self._entries)
        return max(int(near), 1 if self._is_sure else _FEWEST)

    @property
    def _best(self) -> float:
        return float(self._entries[0][1]) if self._entries else 0.0

    @functools.cached_property
    def _is_sure(self) -> bool:
        """Whether the passage of the best hit holds nearly all words of the question."""
        note = self.note(self._entries[0][0]) if self._entries and self._words else None
        if note is None:
            return False
        best = find_passage(note.memory, self._words, self._entries[0][2], _SURE_ROOM)
        if best.covered < _ANSWERS:
            return False
        self._found[note.id] = best
        return True


def _cited(note: Note, start: int) -> answers.HitMarks:
    citation = citation_of(note, start)
    return {} if citation is None else {"citation": citation}


def _hits(head: answers.SearchNotices, items: Sequence[answers.Hit], end: answers.Page) -> answers.Hits:
    return {**head, "results": list(items), **end}


def nearest_shown(found: SearchAnswer) -> int:
    return _NEAREST_OF_FAR if found.confidence < FAR else _NEAREST


def ask(
    view: View,
    query: str,
    *,
    place: Place,
    scope: str = "project",
    filters: Mapping[str, str] | None = None,
    limit: int,
    include_deleted: bool = False,
    rerank: bool = False,
    explain: bool = False,
    among: frozenset[str] | None = None,
) -> SearchAnswer:
    """The hits themselves, for the verbs that are made of searches; `among` some memories alone."""
    from helix.index.search import Question

    if len(query) > _LONGEST_QUERY:
        raise BadValue(f"the question has {len(query)} characters; ask with at most {_LONGEST_QUERY}")
    known, own = to_filters(filters or {})
    within = reaches(check_scope(scope), place)
    only = with_keys(view, own) if own else None
    if among is not None:
        only = among if only is None else among & only
    where = replace(known, reaches=within, among=only, active_only=not include_deleted)
    question = Question(clean(query), limit, now=view.now(), where=where, rerank=rerank, explain=explain)
    return view.search(question)


def asks_for_hidden(filters: Mapping[str, str] | None) -> bool:
    """Who names a status wants to see what has it."""
    return bool(to_filters(filters or {})[0].statuses)


def check_scope(scope: str) -> str | None:
    """None stands for everything."""
    if scope not in SCOPES:
        raise BadValue(f"scope is {scope[:60]!r}; give one of {', '.join(SCOPES)}")
    return None if scope == "all" else scope


def with_keys(view: View, own: Mapping[str, str]) -> frozenset[str]:
    """The memories with these values under a person's own keys, or in what is known of their source."""

    def fits(row: Row) -> bool:
        known = {**row.extra, **(row.source or {})}
        return all(_has(known.get(key), value) for key, value in own.items())

    return frozenset(row.id for row in view.everything() if fits(row))


def _has(value: Any, wanted: str) -> bool:
    listed = value if isinstance(value, list) else [value]
    values = {str(one).casefold() for one in listed if one is not None}
    # Of several, with commas between them as in every filter, one will do; a value may have commas itself.
    return not values.isdisjoint({wanted.casefold(), *(one.strip() for one in wanted.casefold().split(","))})


def _notices(found: SearchAnswer, detailed: bool) -> answers.SearchNotices:
    notices: answers.SearchNotices = {}
    if found.note:
        notices["note"] = found.note
    if found.degraded:
        notices["degraded"] = found.degraded
    if found.suggestions:
        notices["suggestions"] = found.suggestions
    if detailed:
        notices["confidence"] = round(found.confidence, 3)
    return notices


def _rounded(reasons: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in reasons.items()}
