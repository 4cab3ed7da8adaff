"""The journal for who sees everything, and for who sees a part."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from helix.memory.activity.event import Event, EventFilter
from helix.memory.activity.journal import Journal
from helix.memory.reading.view import Row, View

_AT_ONCE = 200
_WORD = re.compile(r"[^\s;,]+")


class AllActivity:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def before(self, seq: int | None, wanted: EventFilter, limit: int) -> list[Event]:
        return self._journal.before(seq, wanted, limit)

    def after(self, seq: int, limit: int) -> tuple[list[Event], int | None]:
        events = self._journal.after(seq, limit)
        return events, events[-1].seq if len(events) == limit else None

    def seen(self, events: Sequence[Event]) -> list[Event]:
        return list(events)


class NarrowedActivity:
    """What happened to a memory that is not there any more, or to none, is nobody's to see."""

    def __init__(self, journal: Journal, view: Callable[[], View]) -> None:
        """`view` is what is seen at the time when it is asked for: who listens does so for hours."""
        self._journal = journal
        self._view = view

    def before(self, seq: int | None, wanted: EventFilter, limit: int) -> list[Event]:
        found: list[Event] = []
        while len(found) < limit:
            events = self._journal.before(seq, wanted, _AT_ONCE)
            found += self.seen(events)
            if len(events) < _AT_ONCE:
                break
            seq = events[-1].seq
        return found[:limit]

    def after(self, seq: int, limit: int) -> tuple[list[Event], int | None]:
        events = self._journal.after(seq, limit)
        return self.seen(events), events[-1].seq if len(events) == limit else None

    def seen(self, events: Sequence[Event]) -> list[Event]:
        view = self._view()
        rows = ((event, view.find_row(event.id)) for event in events)
        return [_as_seen(event, row, view) for event, row in rows if row is not None]


def _as_seen(event: Event, row: Row, view: View) -> Event:
    """As the memory is called by now: before it was shared it may have had another name and another place. Of other
    memories nothing is said that are not seen."""
    now = replace(event, title=row.title, kind=row.kind, project=row.project, path=row.path)
    names_others = any(map(view.hides, _WORD.findall(event.detail)))
    return now if now == event and not names_others else replace(now, detail="")
