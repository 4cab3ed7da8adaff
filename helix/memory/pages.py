"""Cursors: the rest of an answer, kept as it was found, so that writes meanwhile make it neither repeat nor skip.

Of memories only ids and scores are kept, never a text. A page shows the memories as they are when it is asked for, and
leaves out those that were forgotten since. What quotes them (a proposal to tidy, a problem) goes when one is erased.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix.errors import BadValue, StaleHash
from helix.vault.database import StateDatabase

_KEPT = 2_000
_TRIM_EVERY = 100
_KEY_LENGTH = 8


@dataclass(frozen=True)
class Listing:
    """What a question found, in order, and where in it a page begins."""

    key: str
    entries: list[Any]
    start: int = 0
    commit: str | None = None
    """the commit it was asked of, when it was the past"""

    def cursor(self, place: int) -> str | None:
        """For what comes from this place on; None when nothing does."""
        return f"{self.key}.{place}" if place < len(self.entries) else None


class Pages(StateDatabase):
    def _prepare(self) -> None:
        self._db.execute(
            "PRAGMA secure_delete=ON"
        )  # what is dropped by `forget_quotes` must not stay in free pages
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS pages (key TEXT PRIMARY KEY, said TEXT NOT NULL, kept_at REAL NOT NULL)"
        )

    def start(self, verb: str, entries: Sequence[Any], commit: str | None = None) -> Listing:
        """The same entries have the same key, so that the same question gets the same answer, cursor and all."""
        said = json.dumps([verb, commit, list(entries)], ensure_ascii=False)
        digest = hashlib.sha256(said.encode("utf-8", "replace")).digest()
        key = base64.b32encode(digest).decode().lower()[:_KEY_LENGTH]
        return Listing(key, list(entries), commit=commit)

    def keep(self, verb: str, listing: Listing) -> None:
        """So that its cursors can be followed, after a restart of the daemon too."""
        with self._lock:
            # The key is made of what is kept: a page that comes after another writes no listing of thousands again.
            known = self._db.execute(
                "UPDATE pages SET kept_at = ? WHERE key = ?", (time.time(), listing.key)
            ).rowcount
            if known:
                return
            said = json.dumps([verb, listing.commit, listing.entries], ensure_ascii=False)
            self._db.execute("INSERT INTO pages VALUES (?, ?, ?)", (listing.key, said, time.time()))
            [(rows,)] = self._db.execute("SELECT count(*) FROM pages")
            if rows > _KEPT + _TRIM_EVERY:
                self._db.execute(
                    "DELETE FROM pages WHERE key NOT IN (SELECT key FROM pages ORDER BY kept_at DESC LIMIT ?)",
                    (_KEPT,),
                )

    def forget_quotes(self) -> None:
        """A memory was erased: drop the listings that are not of ids."""
        with self._lock:
            self._db.execute("DELETE FROM pages WHERE json_type(said, '$[2][0]') = 'object'")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def find(self, verb: str, cursor: str) -> Listing:
        key, _, place = cursor.partition(".")
        with self._lock:
            rows = self._db.execute("SELECT said FROM pages WHERE key = ?", (key,)).fetchall()
        if not rows or not place.isdecimal() or len(place) > 9:
            raise BadValue(
                f"the cursor {cursor[:40]!r} is not known, or too old; ask again without one",
                code="bad-cursor",
            )
        of, commit, entries = json.loads(rows[0][0])
        if of != verb:
            raise BadValue(f"this cursor belongs to an answer of {of}, not of {verb}", code="bad-cursor")
        return Listing(key, entries, min(int(place), len(entries)), commit)


def place_in(cursor: str | None, digest: str, length: int) -> int:
    """Where in a text to read on: the cursor of a text says the place, and of which text it is."""
    if cursor is None:
        return 0
    place, _, of = cursor.partition(".")
    if not place.isdecimal() or len(place) > 9 or int(place) > length:
        raise BadValue(
            f"the cursor {cursor[:40]!r} is not of this text; read it from the start", code="bad-cursor"
        )
    if of != digest:
        raise StaleHash("it was changed while it was read; read it again from the start")
    return int(place)
