"""Browsers in which somebody signed in. A browser shows an id that nobody can guess; what is kept of it is a hash.

Each is looked up in the file with each request, so that one which was ended opens nothing from the next request on,
whichever process ended it. It ends by itself when it was idle for long, when it is old, and when its user or the key
they signed in with is gone.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from helix.access.credentials_file import CredentialsFile
from helix.vault.times import format_time, parse_time

IDLE = timedelta(hours=12)
"""after which it ends when nobody asks for anything"""
LIFE = timedelta(days=7)
"""after which it ends in any case"""
_NEW_ID_AFTER = timedelta(hours=1)
# What was asked for side by side with the request that got the new id.
_OLD_ID_FOR = timedelta(seconds=30)
_MOST_OF_USER = 50
_SHOWN = re.compile(r"[A-Za-z0-9_-]{43}")
_FIELDS = "name, user, key, shown, created_at, changed_at, seen_at"


@dataclass(frozen=True)
class BrowserSession:
    name: str
    """by which it is known; it opens nothing"""
    user: str
    key: str | None
    """the id of the key they signed in with; None with a password"""
    created_at: str
    changed_at: str
    """when its id was last replaced"""
    seen_at: str
    is_shown_anew: bool = True
    """whether the present id was shown, and not the one before"""

    @property
    def ends_at(self) -> str:
        """If nobody asks for anything until then."""
        return min(_later(self.seen_at, IDLE), _later(self.created_at, LIFE))


class BrowserSessions:
    def __init__(self, file: CredentialsFile, clock: Callable[[], datetime]) -> None:
        self._file = file
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[str, str] = {}

    def create(self, user: str, key: str | None = None) -> tuple[BrowserSession, str]:
        """The session, and the id that the browser is to show: it is kept nowhere."""
        now, shown = self._now(), secrets.token_urlsafe(32)
        made = BrowserSession(secrets.token_hex(8), user, key, now, now, now)
        with self._file.writing(tells=False) as db:
            self._forget_ended(db, user)
            db.execute(
                "INSERT INTO browser_sessions VALUES (?, ?, ?, ?, NULL, ?, ?, ?)",
                (made.name, user, key, _hash(shown), now, now, now),
            )
        return made, shown

    def find(self, shown: str) -> BrowserSession | None:
        """By what a browser shows. Whoever it is has been seen now."""
        if not _SHOWN.fullmatch(shown):
            return None
        kept, now = _hash(shown), self._now()
        with self._file.reading() as db:
            row = db.execute(
                f"SELECT {_FIELDS} FROM browser_sessions WHERE shown = ?1 OR shown_before = ?1",
                (kept,),
            ).fetchone()
        session = None if row is None else self._session(row, row[3] == kept)
        if session is None or not self._is_valid(session, now):
            return None
        if not session.is_shown_anew and _later(session.changed_at, _OLD_ID_FOR) < now:
            return None
        with self._lock:
            self._seen[session.name] = now
        return session

    def find_by_name(self, name: str) -> BrowserSession | None:
        with self._file.reading() as db:
            row = db.execute(
                f"SELECT {_FIELDS} FROM browser_sessions WHERE name = ?",
                (name,),
            ).fetchone()
        session = None if row is None else self._session(row)
        return session if session is not None and self._is_valid(session, self._now()) else None

    def is_due(self, session: BrowserSession) -> bool:
        """Whether it should have a new id."""
        return session.is_shown_anew and _later(session.changed_at, _NEW_ID_AFTER) < self._now()

    def rotate(self, session: BrowserSession) -> str | None:
        """A new id for it; the one before is good for a moment more. None when another request was quicker."""
        shown = secrets.token_urlsafe(32)
        with self._file.writing(tells=False) as db:
            done = db.execute(
                "UPDATE browser_sessions SET shown_before = shown, shown = ?, changed_at = ? "
                "WHERE name = ? AND changed_at = ?",
                (_hash(shown), self._now(), session.name, session.changed_at),
            )
        return shown if done.rowcount else None

    def end(self, name: str) -> None:
        with self._file.writing(tells=False) as db:
            db.execute("DELETE FROM browser_sessions WHERE name = ?", (name,))

    def end_all(self, user: str, *, but: str | None = None) -> int:
        """Of a user, wherever they signed in; how many there were. `but` goes on."""
        with self._file.writing(tells=False) as db:
            return db.execute(
                "DELETE FROM browser_sessions WHERE user = ? AND name IS NOT ?", (user, but)
            ).rowcount

    def count(self, user: str) -> int:
        """In how many browsers they are signed in."""
        now = self._now()
        with self._file.reading() as db:
            rows = db.execute(f"SELECT {_FIELDS} FROM browser_sessions WHERE user = ?", (user,)).fetchall()
        return sum(self._is_valid(self._session(row), now) for row in rows)

    def keep_seen(self) -> None:
        """Write down when they were last seen: now and then, and not with each request."""
        with self._lock:
            seen, self._seen = self._seen, {}
        if seen:
            with self._file.writing(tells=False) as db:
                db.executemany(
                    "UPDATE browser_sessions SET seen_at = ?1 WHERE name = ?2 AND seen_at < ?1",
                    [(at, name) for name, at in seen.items()],
                )

    def _forget_ended(self, db: sqlite3.Connection, user: str) -> None:
        now = self._clock()
        db.execute(
            "DELETE FROM browser_sessions WHERE seen_at < ? OR created_at < ?",
            (format_time(now - IDLE), format_time(now - LIFE)),
        )
        # Somebody who signs in again and again, and never out.
        db.execute(
            "DELETE FROM browser_sessions WHERE user = ? AND name NOT IN "
            "(SELECT name FROM browser_sessions WHERE user = ? ORDER BY seen_at DESC LIMIT ?)",
            (user, user, _MOST_OF_USER - 1),
        )

    def _session(self, row: tuple[str, ...], is_shown_anew: bool = True) -> BrowserSession:
        name, user, key, _, created_at, changed_at, seen_at = row
        with self._lock:
            seen_at = max(seen_at, self._seen.get(name, ""))
        return BrowserSession(name, user, key, created_at, changed_at, seen_at, is_shown_anew)

    def _is_valid(self, session: BrowserSession, now: str) -> bool:
        return now < session.ends_at

    def _now(self) -> str:
        return format_time(self._clock())


def _later(at: str, by: timedelta) -> str:
    """Times are all written alike, so that they compare as texts. One that cannot be read is long ago."""
    time = parse_time(at)
    return "" if time is None else format_time(time + by)


def _hash(shown: str) -> str:
    return hashlib.sha256(shown.encode()).hexdigest()
