"""search in the lane of sources: passages of files that lie where they lie, cited by path and lines at a commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from helix.errors import BadValue
from helix.index.query import LANE, check_lane, find_lane, parse
from helix.memory import answers
from helix.memory.arguments import to_filters
from helix.memory.place import reaches
from helix.memory.reading.view import NOW, When
from helix.memory.request import Request
from helix.memory.tokens import clean

if TYPE_CHECKING:
    from helix.sources.found import Shown

_DEPTH = 200
_SCOPES = ("project", "global", "session", "all")
_NONE_CONNECTED = "no source is connected here; `helix source connect FOLDER` connects one"
_NONE_FITS = "nothing in the sources fits; sources are searched by words alone"


def lane_of(query: str, filters: Mapping[str, str] | None) -> tuple[str, str]:
    """The lane that is asked for, in the question or among the filters, and the question without it."""
    lane, rest = find_lane(query)
    for key, value in (filters or {}).items():
        if key.lower() == LANE:
            asked = check_lane(value)
            if rest != query and asked != lane:
                raise BadValue("a question is asked in one lane; give lane: once")
            lane = asked
    return lane, rest


def search_sources(
    request: Request,
    query: str,
    *,
    scope: str,
    filters: Mapping[str, str] | None,
    limit: int,
    max_tokens: int,
    detailed: bool,
    cursor: str | None,
    when: When,
) -> answers.Hits:
    if when != NOW:
        raise BadValue("sources are searched as they are now; leave as_of and ref away")
    if scope not in _SCOPES:
        raise BadValue(f"scope is {scope[:60]!r}; give one of {', '.join(_SCOPES)}")
    known, own = to_filters({key: value for key, value in (filters or {}).items() if key.lower() != LANE})
    if own:
        raise BadValue(f"sources have no {next(iter(own))[:60]!r} to filter by")
    sources = request.sources()
    within = reaches(None if scope == "all" else scope, request.place)
    parsed = parse(clean(query), replace(known, reaches=within))
    notices: answers.SearchNotices = {}

    def entries(_: Any) -> Sequence[list[Any]]:
        hits = sources.find(parsed, parsed.where, _DEPTH)
        if not hits:
            notices["note"] = _NONE_FITS if sources.seen() else _NONE_CONNECTED
        # Nothing of what a file says: a listing outlives the source that it leads into.
        return [[hit.source.id, hit.passage, hit.score] for hit in hits]

    _, listing = request.listed("search-sources", request.view(), cursor, entries)

    def render(entry: list[Any]) -> answers.Hit | None:
        source_id, passage, score = entry
        shown = sources.show(source_id, passage, parsed.words, whole=detailed)
        if shown is None:
            return None
        where = str(shown.source.folder) if sources.may_tell_folder(shown.source) else shown.source.name
        return _hit(shown, where, passage, score, detailed)

    def build(head: answers.SearchNotices, items: Sequence[answers.Hit], end: answers.Page) -> answers.Hits:
        return {**head, "results": list(items), **end}

    return request.page(
        "search-sources", listing, render, build, head=notices, limit=limit, max_tokens=max_tokens
    )


def _hit(shown: Shown, where: str, passage: int, score: float, detailed: bool) -> answers.Hit:
    source, (first, last) = shown.source, shown.span
    at = f"@{shown.commit[:12]}" if shown.commit else ""
    lines = f"#L{first}" if first == last else f"#L{first}-L{last}"
    hit: answers.Hit = {
        "id": f"{source.id}:{passage}",
        "text": shown.text,
        "kind": source.kind,
        "citation": f"{where}/{shown.path}{at}{lines}",
        "score": score,
    }
    if detailed:
        hit["title"] = shown.path
        hit["status"] = source.status
        hit["reasons"] = {"words": score}
        hit["path"] = f"{where}/{shown.path}"
        hit["project"] = source.project
        hit["source"] = f"source={source.name} commit={shown.commit or 'none'}"
    return hit
