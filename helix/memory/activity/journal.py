"""What happened to the memories, in order: a bounded file of the state folder, begun again from the notes when lost.

Beside the events it keeps what it last knew of each memory. An event is the difference between that and what is there
now, so that nothing is told twice and nothing that happened while nobody listened is missed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from helix.memory.activity.event import Event, EventFilter
from helix.state.database import StateDatabase

_KEPT = 20_000
_TRIM_EVERY = 500
_AT_ONCE = 500

_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, time TEXT NOT NULL, what TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT, project TEXT, who TEXT, name TEXT, path TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_id ON events (id);
CREATE TABLE IF NOT EXISTS known (
    id TEXT PRIMARY KEY, path TEXT NOT NULL, hash TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT, project TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS begun (at TEXT NOT NULL);
"""


class Known(NamedTuple):
    """A memory as the journal last knew it."""

    path: str
    hash: str
    status: str
    title: str = ""
    kind: str | None = None
    project: str | None = None


class Journal(StateDatabase):
    keeps = "the timeline"
    _last = 0
    _since_trim = 0

    def __init__(self, path: Path) -> None:
        self.on_events: list[Callable[[Sequence[Event]], None]] = []
        """each is told of what was recorded, on the thread that recorded it: it should be quick"""
        super().__init__(path)

    def _prepare(self) -> None:
        self._db.executescript(_SCHEMA)
        self.has_begun = bool(self._db.execute("SELECT 1 FROM begun").fetchone())
        self.is_current = False
        """whether it was compared with the catalog since it was opened"""
        self._last = self._db.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0]

    # Writing

    def begin(self, events: Iterable[Event], known: Mapping[str, Known], at: str) -> None:
        """From now on. `events` is what the notes themselves tell of the time before, the oldest first."""
        latest = list(events)[-_KEPT:]
        with self.transaction():
            for table in ("events", "known", "begun"):
                self._db.execute(f"DELETE FROM {table}")
            self._put(latest)
            self._know(known)
            self._db.execute("INSERT INTO begun VALUES (?)", (at,))
        self.has_begun = True

    def record(self, events: Sequence[Event], known: Mapping[str, Known | None]) -> None:
        """These happened, and this is how the memories are now; None for one that left."""
        if not events and not known:
            return
        with self._lock:
            with self.transaction():
                recorded = self._put(events)
                self._know(known)
                self._trim(len(events))
            # In the lock: whoever is told hears the events in their order.
            for tell in self.on_events:
                tell(recorded)

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """That something happened to them stays, and nothing of what they said."""
        with self._lock:
            with self.transaction():
                for memory_id in memory_ids:
                    self._db.execute(
                        "UPDATE events SET title = '', kind = NULL, project = NULL, name = NULL, path = '', detail = ''"
                        " WHERE id = ? AND what <> 'erased'",
                        (memory_id,),
                    )
                    self._db.execute("DELETE FROM known WHERE id = ? AND status <> 'erased'", (memory_id,))
            return self.empty_log()

    def _put(self, events: Sequence[Event]) -> list[Event]:
        # Numbers that grow with the clock too: who has heard of one hears the right rest from a journal made anew.
        first = max(self._last + 1, int(time.time() * 1000) - len(events))
        numbered = [replace(event, seq=first + number) for number, event in enumerate(events)]
        self._db.executemany(
            "INSERT INTO events (seq, time, what, id, title, kind, project, who, name, path, detail)"
            " VALUES (:seq, :time, :what, :id, :title, :kind, :project, :who, :name, :path, :detail)",
            map(vars, numbered),
        )
        self._last = first + len(events) - 1 if events else self._last
        return numbered

    def _know(self, known: Mapping[str, Known | None]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((memory_id, *one) for memory_id, one in known.items() if one is not None),
        )
        self._db.executemany(
            "DELETE FROM known WHERE id = ?",
            ((memory_id,) for memory_id, one in known.items() if one is None),
        )

    def _trim(self, added: int) -> None:
        self._since_trim += added
        if self._since_trim > _TRIM_EVERY:
            self._since_trim = 0
            self._db.execute(
                "DELETE FROM events WHERE seq <= (SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?)",
                (_KEPT,),
            )

    # Reading

    def known(self, memory_ids: Sequence[str]) -> dict[str, Known]:
        found: dict[str, Known] = {}
        with self._lock:
            for first in range(0, len(memory_ids), _AT_ONCE):
                some = memory_ids[first : first + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                for row in self._db.execute(f"SELECT * FROM known WHERE id IN ({marks})", tuple(some)):
                    found[row[0]] = Known(*row[1:])
        return found

    def everything_known(self) -> dict[str, tuple[str, str, str]]:
        """Path, hash and status of every memory."""
        with self._lock:
            return {
                row[0]: (row[1], row[2], row[3])
                for row in self._db.execute("SELECT id, path, hash, status FROM known")
            }

    def last(self) -> int:
        return self._last

    def after(self, seq: int, limit: int) -> list[Event]:
        """What came after an event, in order."""
        return self._events("seq > ? ORDER BY seq", (seq,), limit)

    def before(self, seq: int | None, wanted: EventFilter, limit: int) -> list[Event]:
        """What came before an event, the latest first; before None is everything."""
        conditions: list[tuple[str, Sequence[object]]] = []
        for condition, value in (
            ("seq < ?", seq), ("time >= ?", wanted.since), ("time < ?", wanted.until), ("project = ?", wanted.project),
        ):  # fmt: skip
            if value:
                conditions.append((condition, (value,)))
        for column, values in (("what", wanted.whats), ("who", wanted.whos)):
            if values:
                conditions.append((f"{column} IN ({', '.join('?' * len(values))})", values))
        where = " AND ".join(condition for condition, _ in conditions) or "1"
        return self._events(
            f"{where} ORDER BY seq DESC", [value for _, values in conditions for value in values], limit
        )

    def _events(self, where: str, arguments: Sequence[object], limit: int) -> list[Event]:
        query = (
            "SELECT time, what, id, title, kind, project, who, name, path, detail, seq FROM events"
            f" WHERE {where} LIMIT ?"
        )
        with self._lock:
            return [Event(*row) for row in self._db.execute(query, (*arguments, limit))]
