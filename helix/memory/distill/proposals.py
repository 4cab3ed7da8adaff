"""Where in the logs of sessions something stands that may be worth a memory.

Only places are kept, never what is said there: that is read from the log when it is shown, so what is erased there is
gone here. Derived, and found again when the file is lost.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from helix.memory import answers
from helix.memory.distill.statements import normalized
from helix.state.database import StateDatabase

PROPOSALS_FILE = "proposals.db"
WHAT: Literal["proposed"] = "proposed"

# Another number means that all logs are gone through again, as after a change of the rules.
_VERSION = 1
_RUNS_KEPT = 7 * 24 * 3600.0


class EvidencePlace(NamedTuple):
    """An event of a session."""

    seq: int
    hash: str


class ProposalPlace(NamedTuple):
    key: str
    session: str
    seq: int
    hash: str
    """of the event that says it"""
    rule: answers.Rule
    """`said`: a sentence of a turn"""
    kind: str
    start: int
    end: int
    others: tuple[EvidencePlace, ...] = ()
    """what else it rests on"""


class AskedSession(NamedTuple):
    """What is known of a session that a program was asked about."""

    session: str
    through: int = 0
    """the last event that it was told of"""
    tries: int = 0
    """that failed since"""
    not_before: float = 0.0
    """when it may be tried again"""
    at: float = 0.0
    outcome: str = ""


def key_of(kind: str, text: str) -> str:
    """The same for what says the same, so that a person is asked once."""
    identity = f"{kind}\n{normalized(text)}"
    return f"{WHAT}-{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}"


class Proposals(StateDatabase):
    keeps = "what the logs of sessions propose"

    def __init__(self, path: Path) -> None:
        self.looking = threading.Lock()
        """held by who goes through the logs"""
        self.compared: dict[str, tuple[object, bool]] = {}
        """of each, whether it was a memory already, and what had happened last to memories then"""
        super().__init__(path)

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            for table in ("proposal", "mark"):
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
            self._db.execute(f"PRAGMA user_version = {_VERSION}")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS proposal (key TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL,"
            " hash TEXT NOT NULL, rule TEXT NOT NULL, kind TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,"
            " others TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (key, hash)) WITHOUT ROWID"
        )
        self._db.execute("CREATE INDEX IF NOT EXISTS proposal_at ON proposal (at)")
        self._db.execute("CREATE TABLE IF NOT EXISTS mark (event INTEGER NOT NULL, hash TEXT NOT NULL)")

        self._db.execute(
            "CREATE TABLE IF NOT EXISTS asked (session TEXT PRIMARY KEY, through INTEGER NOT NULL,"
            " tries INTEGER NOT NULL, not_before REAL NOT NULL, at REAL NOT NULL, outcome TEXT NOT NULL) WITHOUT ROWID"
        )
        self._db.execute("CREATE TABLE IF NOT EXISTS run (at REAL NOT NULL)")

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # of memories nothing is kept, and of events where they stand

    def mark(self) -> tuple[int, str]:
        """The last event that was looked at: its number in the index, and its hash."""
        with self._lock:
            row = self._db.execute("SELECT event, hash FROM mark").fetchone()
        return (0, "") if row is None else (int(row[0]), str(row[1]))

    def put(self, found: Sequence[tuple[ProposalPlace, str]], mark: tuple[int, str]) -> None:
        """Places, each with the time when it was said; and how far the logs have been looked at."""
        with self.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO proposal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(*place[:8], json.dumps(place.others), at) for place, at in found],
            )
            self._db.execute("DELETE FROM mark")
            self._db.execute("INSERT INTO mark VALUES (?, ?)", mark)

    def keys(self) -> list[str]:
        """Of everything that was ever found; what was said last first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT key FROM proposal GROUP BY key ORDER BY max(at) DESC, key"
            ).fetchall()
        return [row[0] for row in rows]

    def places(self, key: str) -> list[ProposalPlace]:
        """Where it is said, the last first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT key, session, seq, hash, rule, kind, start, end, others FROM proposal WHERE key = ?"
                " ORDER BY at DESC, hash LIMIT 20",
                (key,),
            ).fetchall()
        return [
            ProposalPlace._make((*row[:8], tuple(EvidencePlace(*one) for one in json.loads(row[8]))))
            for row in rows
        ]

    def asked(self, session: str) -> AskedSession:
        with self._lock:
            row = self._db.execute("SELECT * FROM asked WHERE session = ?", (session,)).fetchone()
        return AskedSession(session) if row is None else AskedSession._make(row)

    def note_run(self, at: float) -> None:
        """That the program was asked: each time counts, however it goes."""
        with self.transaction():
            self._db.execute("DELETE FROM run WHERE at < ?", (at - _RUNS_KEPT,))
            self._db.execute("INSERT INTO run VALUES (?)", (at,))

    def note_asked(self, asked: AskedSession) -> None:
        with self.transaction():
            self._db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?, ?, ?)", asked)

    def asked_since(self, moment: float) -> int:
        """How often the program was asked."""
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM run WHERE at >= ?", (moment,)).fetchone()[0])

    def last_asked(self) -> AskedSession | None:
        with self._lock:
            row = self._db.execute("SELECT * FROM asked ORDER BY at DESC LIMIT 1").fetchone()
        return None if row is None else AskedSession._make(row)

    def drop(self, places: Sequence[ProposalPlace]) -> None:
        with self.transaction():
            self._db.executemany(
                "DELETE FROM proposal WHERE key = ? AND hash = ?", [(one.key, one.hash) for one in places]
            )
