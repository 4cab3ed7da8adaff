"""From when until when a memory holds: its own dates, and those of what took its place."""

from __future__ import annotations

from datetime import datetime

from helix.memory.reading.view import Row, View
from helix.vault.note import Note
from helix.vault.times import parse_time


class Validity:
    """For one answer: which memories were replaced is read once."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._newer: dict[str, list[str]] = {}
        for edge in view.links().edges:
            if edge.rel == "supersedes":
                self._newer.setdefault(edge.target, []).append(edge.source)

    def window(self, note: Note) -> tuple[str | None, str | None]:
        """When it begins and when it ends to hold, as they are written; an end of None is open."""
        row = self._view.row(note.id)
        ends = [row.valid_until, *map(self._start_of, self._newer.get(note.id, ()))]
        if row.status == "superseded" and not any(ends):
            ends.append(row.updated_at or row.created_at)
        known = [(moment, end) for end in ends if (moment := parse_time(end)) is not None]
        return note.memory.valid_from or row.created_at, min(known)[1] if known else None

    def _start_of(self, memory_id: str) -> str | None:
        row = self._view.find_row(memory_id)
        if row is None or row.status in ("deleted", "erased"):
            return None
        return self._start(row)

    def _start(self, row: Row) -> str | None:
        note = self._view.find(row.id)
        return (None if note is None else note.memory.valid_from) or row.created_at


def holds(start: str | None, end: str | None, moment: datetime) -> bool:
    """Whether something that holds between two times holds at a third; from its start on, and at its end no more."""
    begins, ends = parse_time(start), parse_time(end)
    return (begins is None or begins <= moment) and (ends is None or moment < ends)
