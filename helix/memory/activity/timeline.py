"""timeline: what happened to the memories, the latest first."""

from __future__ import annotations

from dataclasses import dataclass

from helix.errors import BadValue
from helix.memory import answers
from helix.memory.activity.event import WHATS, WHOS, Event, EventFilter
from helix.memory.budget import NO_HEAD, fit_page
from helix.memory.pagination import Listing
from helix.memory.request import Request, verb
from helix.memory.size_limits import MOST_EVENTS
from helix.vault.times import format_time, parse_time


@dataclass(frozen=True)
class _Events(Listing):
    """The cursor is the number of an event: what comes before it never changes its order."""

    def cursor(self, position: int) -> str | None:
        following: list[Event] = self.entries[position : position + 1]
        return str(following[0].seq + 1) if following else None


@verb("timeline")
def timeline(
    request: Request,
    *,
    limit: int = 50,
    since: str | None = None,
    until: str | None = None,
    project: str | None = None,
    what: str | None = None,
    who: str | None = None,
    max_tokens: int = 4000,
    cursor: str | None = None,
) -> answers.Timeline:
    """What happened to the memories, the latest first."""
    if not 1 <= limit <= MOST_EVENTS:
        raise BadValue(f"limit is {limit}; give a number from 1 to {MOST_EVENTS}")
    wanted = EventFilter(
        _moment("since", since), _moment("until", until), project or "",
        _some("what", what, WHATS), _some("who", who, WHOS),
    )  # fmt: skip
    found = request.activity.before(_number(cursor), wanted, limit + 1)
    return fit_page(
        NO_HEAD,
        _Events("", found),
        Event.to_dict,
        lambda _, items, end: answers.Timeline({"events": list(items), **end}),
        limit,
        request.budget(max_tokens),
    )


def _moment(name: str, text: str | None) -> str:
    moment = parse_time(text)
    if text and moment is None:
        raise BadValue(f"{name} is {text[:60]!r}; write a time like 2026-06-18 or 2026-06-18T09:12:44Z")
    return "" if moment is None else format_time(moment)


def _some(name: str, text: str | None, known: tuple[str, ...]) -> list[str]:
    given = [part.strip().lower() for part in (text or "").split(",") if part.strip()]
    unknown = [part for part in given if part not in known]
    if unknown:
        raise BadValue(f"{name} is {unknown[0][:60]!r}; give one or several of {', '.join(known)}")
    return given


def _number(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not cursor.isdecimal() or len(cursor) > 16:
        raise BadValue(f"the cursor {cursor[:40]!r} is not one of the timeline", code="bad-cursor")
    return int(cursor)
