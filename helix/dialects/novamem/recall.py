"""Tools that find memories: by a question, by their last change, and around one of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.novamem.arguments import (
    DEPTH,
    FLAG,
    ID,
    PROJECT,
    QUERY,
    SCOPE,
    SHOWN,
    SINCE,
    WEIGHTS,
    ArgumentRule,
    checked,
    k,
)
from helix.dialects.novamem.entries import WantedEntries, to_entry
from helix.dialects.novamem.scope import Sight, sights
from helix.dialects.novamem.ulids import find_id
from helix.index.embed import WORDS_BY_CHOICE
from helix.memory.request import Request
from helix.memory.size_limits import MOST_AT_ONCE, MOST_TOKENS
from helix.memory.tokens import Payload
from helix.vault.note import Note
from helix.vault.times import format_time, parse_time

SEARCH: Mapping[str, ArgumentRule] = {
    "query": QUERY,
    "k": k(10),
    **SCOPE,
    "weights": WEIGHTS,
    **SHOWN,
    "rerank": FLAG,
}
TODAY: Mapping[str, ArgumentRule] = {**SCOPE, "k": k(20), **SHOWN}
RECENT: Mapping[str, ArgumentRule] = {**TODAY, "since": SINCE}
NEIGHBORS: Mapping[str, ArgumentRule] = {
    "id": ID,
    "depth": DEPTH,
    "k": k(10, 50),
    "project": PROJECT,
    "includeProjects": SCOPE["includeProjects"],
    "maxSensitivity": SHOWN["maxSensitivity"],
}
_WEIGHTS: Mapping[str, float] = {"keyword": 0.3, "vector": 0.6, "graph": 0.1}
_PARTS: Mapping[str, str] = {"keyword": "words", "vector": "vector", "graph": "link"}
"""what the ranking calls them"""
_RECENCY_DAYS = 180.0
_MISS = 0.39
"""clients take a best score below 0.4 for a miss; what is merely nearest is one"""
_LONGEST_QUESTION = 4_000
_ALIKE = 3
_WORDS = re.compile(r"[^\w\s]+")


class _Found(NamedTuple):
    note: Note
    score: float
    signals: Mapping[str, float]
    is_nearest: bool


def search(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, SEARCH, ["query"])
    wanted, most = WantedEntries.of(asked), asked.get("k", 10)
    weights = asked.get("weights")
    # With weights of its own a question is ordered anew, so that all of it has to be known.
    found, is_degraded = _searched(request, asked, sights(request, asked), wanted, None if weights else most)
    if weights:
        found = _weighed(found, weights, request)
    mode = asked.get("contentMode", "full")
    results = [_entry(request, one, mode) for one in found[:most]]
    return {"results": results, "degraded": is_degraded}


def _entry(request: Request, found: _Found, mode: str) -> Payload:
    entry = to_entry(request, found.note, found.score, found.signals, mode)
    return {**entry, "nearest": True} if found.is_nearest else entry


def _searched(
    request: Request, asked: Mapping[str, Any], places: list[Sight], wanted: WantedEntries, most: int | None
) -> tuple[list[_Found], bool]:
    found: dict[str, _Found] = {}
    is_degraded = False
    view = request.view()
    now = view.now()
    for sight in places:
        there, count = sight.seen_from(request), 0
        fields = {
            "query": asked["query"][:_LONGEST_QUESTION],
            "filters": {**wanted.filters(), **sight.filters()},
            "rerank": asked.get("rerank", False),
            "response_format": "detailed",
            "limit": MOST_AT_ONCE if most is None else min(max(most, 1), MOST_AT_ONCE),
        }
        for page in _pages(there, "search", fields):
            is_degraded = is_degraded or page.get("degraded") not in (None, WORDS_BY_CHOICE)
            for hit in page["results"]:
                row = view.find_row(hit["id"])
                if row is None or not sight.has(row.project) or not wanted.has(row, now):
                    continue
                if (note := view.find(row.id)) is not None:
                    count += 1
                    best = _found(note, hit)
                    if row.id not in found or found[row.id].score < best.score:
                        found[row.id] = best
            if most is not None and count >= most:
                break
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.note.id)), is_degraded


def _found(note: Note, hit: Mapping[str, Any]) -> _Found:
    is_nearest, reasons = bool(hit.get("nearest")), hit.get("reasons", {})
    score = min(1.0, max(0.0, float(hit.get("score", 0.0))))
    signals = {name: round(max(0.0, reasons.get(part, 0.0)), 4) for name, part in _PARTS.items()}
    return _Found(note, min(score, _MISS) if is_nearest else score, signals, is_nearest)


def _weighed(found: list[_Found], given: Mapping[str, float], request: Request) -> list[_Found]:
    """Each signal as a share of its best, and the weights as shares of those that answered."""
    weights = {
        **_WEIGHTS,
        **{name: float(one) for name, one in given.items() if name in (*_WEIGHTS, "recency")},
    }
    now = request.view().now()
    best = {name: max((one.signals[name] for one in found), default=0.0) for name in _PARTS}
    whole = sum(weight for name, weight in weights.items() if name == "recency" or best.get(name)) or 1.0

    def weighed(hit: _Found) -> _Found:
        shares = {name: hit.signals[name] / most if most else 0.0 for name, most in best.items()}
        written = parse_time(hit.note.memory.updated_at or hit.note.memory.created_at)
        if "recency" in weights and written is not None:
            age = max((now - written).total_seconds() / 86_400, 0.0)
            shares["recency"] = math.exp(-age / _RECENCY_DAYS)
        score = sum(weights[name] * share for name, share in shares.items()) / whole
        signals = {name: round(share, 4) for name, share in shares.items()}
        return _Found(hit.note, round(score, 4), signals, hit.is_nearest)

    again = [weighed(one) for one in found]
    return sorted((one for one in again if one.score > 0), key=lambda hit: (-hit.score, hit.note.id))


def today(request: Request, arguments: Arguments) -> Payload:
    asked = checked(arguments, TODAY)
    since = format_time(request.view().now() - timedelta(hours=24))
    return _recent(request, {**asked, "since": since})


def recent(request: Request, arguments: Arguments) -> Payload:
    return _recent(request, checked(arguments, RECENT))


def _recent(request: Request, asked: Mapping[str, Any]) -> Payload:
    wanted, most = WantedEntries.of(asked), asked.get("k", 20)
    view = request.view()
    now = view.now()
    found: dict[str, tuple[str, Note]] = {}
    for sight in sights(request, asked):
        fields = {
            "filters": {**wanted.filters(), **sight.filters()},
            "since": asked.get("since"),
            "limit": MOST_AT_ONCE,
        }
        count = 0
        for page in _pages(sight.seen_from(request), "recent", fields):
            for memory in page["results"]:
                row = view.find_row(memory["id"])
                if row is None or not sight.has(row.project) or not wanted.has(row, now):
                    continue
                if (note := view.find(row.id)) is not None:
                    count += 1
                    found[row.id] = (row.updated_at or row.created_at or "", note)
            if count >= most:
                break
    latest = sorted(found.values(), key=_by_time, reverse=True)
    mode = asked.get("contentMode", "full")
    return {"results": [to_entry(request, note, 1.0, mode=mode) for _, note in latest[:most]]}


def _by_time(dated: tuple[str, Note]) -> tuple[float, str]:
    moment = parse_time(dated[0])
    return (0.0 if moment is None else moment.timestamp(), dated[1].id)


def neighbors(request: Request, arguments: Arguments) -> Payload:
    """Those that are linked, and at the first step also those that say something near."""
    asked = checked(arguments, NEIGHBORS, ["id"])
    wanted, most, depth = WantedEntries.of(asked), asked.get("k", 10), asked.get("depth", 1)
    places, view = sights(request, asked), request.view()
    seed_id = find_id(view, asked["id"])
    seed = None if seed_id is None else view.find(seed_id)
    if seed is None or not seed.memory.visible or not any(one.has(seed.memory.project) for one in places):
        # As many verbs are asked whether or not there is such a memory.
        ask(request, "projects", limit=1)
        return {"results": [], "degraded": False}
    now = view.now()

    def fits(memory_id: str) -> bool:
        row = view.find_row(memory_id)
        return row is not None and row.project == seed.memory.project and wanted.has(row, now)

    scores = dict(_linked(request, seed, depth, fits))
    alike, is_degraded = _alike(request, seed, places, wanted)
    near = [one for one in alike if one.note.id != seed.id and not one.is_nearest and fits(one.note.id)]
    for found in near[:_ALIKE]:
        near_by = found.signals["keyword"] + found.signals["vector"]
        if near_by > 0:
            scores.setdefault(found.note.id, round(min(near_by, 0.95), 4))
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    notes = [(view.find(memory_id), score) for memory_id, score in ordered]
    results = [to_entry(request, note, score, {"graph": score}) for note, score in notes if note is not None]
    return {"results": results, "degraded": is_degraded}


def _linked(
    request: Request, seed: Note, depth: int, fits: Callable[[str], bool]
) -> Iterator[tuple[str, float]]:
    """A step along a link that somebody drew counts whole, the second one half."""
    fields = {"memory_id": seed.id, "depth": depth, "limit": MOST_AT_ONCE}
    for page in _pages(request, "neighbors", fields):
        for there in page["neighbors"]:
            if fits(there["id"]):
                yield there["id"], round(1 / there["distance"], 4)


def _alike(
    request: Request, seed: Note, places: list[Sight], wanted: WantedEntries
) -> tuple[list[_Found], bool]:
    """What is near in words and meaning. Words alone: a text may hold what a question takes for a filter."""
    words = _WORDS.sub(" ", seed.memory.body)[:1_000].strip()
    if not words:
        return [], False
    found, is_degraded = _searched(request, {"query": words}, places, wanted, _ALIKE + 1)
    return found[: _ALIKE + 1], is_degraded


def _pages(request: Request, verb: str, fields: Mapping[str, Any]) -> Iterator[Payload]:
    cursor: str | None = None
    while True:
        given = {**fields, "max_tokens": MOST_TOKENS, "cursor": cursor}
        page = ask(request, verb, **{name: value for name, value in given.items() if value is not None})
        yield page
        cursor = page.get("next_cursor")
        if cursor is None:
            return
