"""The journal for who sees everything, and for who sees a part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helix.memory.activity.event import Event, EventFilter
from helix.memory.activity.journal import Journal
from helix.memory.reading.view import View

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

    def __init__(self, journal: Journal, view: View) -> None:
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
        return [
            replace(event, detail=self._detail(event))
            for event in events
            if self._view.find_row(event.id) is not None
        ]

    def _detail(self, event: Event) -> str:
        """Nothing where it names a memory that is not seen."""
        words = _WORD.findall(event.detail)
        return "" if any(map(self._view.hides, words)) else event.detail
