"""Cursors: the rest of an answer, kept as it was found, so that writes meanwhile make it neither repeat nor skip.

A page shows the memories as they are when it is asked for, and leaves out those that were forgotten since. A listing of
ids and scores holds whatever happens. All others may quote a memory (a link that leads nowhere, a tag, the subject of a
commit, a problem), and go when one is erased: their cursors are refused like any that is too old.

A listing of ids and scores is made with every search, and its cursors are seldom followed: it waits in memory, and is
written with others when there are many, with the next full scan of the vault, or when the daemon stops.

A listing belongs to the principal whose question found it. To everybody else its cursors are unknown.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from helix.errors import BadValue, StaleHash, StateUnwritable
from helix.state.database import StateDatabase

_KEPT = 2_000
BYTES_KEPT = 32 * 1024 * 1024
_KEY_LENGTH = 8
_WAITING = 256
_WAITING_BYTES = 1024 * 1024
_WRITTEN_AT_ONCE = 8

# Another number means another file: cursors into the one before are refused as too old.
_SCHEMA_VERSION = 3
_SCHEMA = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS pages;
DROP TABLE IF EXISTS era;
CREATE TABLE pages (
    owner TEXT NOT NULL, key TEXT NOT NULL, listing BLOB NOT NULL, quotes INTEGER NOT NULL, kept_at REAL NOT NULL,
    PRIMARY KEY (owner, key)
);
CREATE TABLE era (count INTEGER NOT NULL);
INSERT INTO era VALUES (0);
PRAGMA user_version = {_SCHEMA_VERSION};
COMMIT;
"""


@dataclass(frozen=True)
class Listing:
    """What a question found, in order, and where in it a page begins."""

    key: str
    entries: list[Any]
    start: int = 0
    commit: str | None = None
    """the commit it was asked of, when it was the past"""
    era: int | None = None
    """how many erasures there were before it was found; None for one of ids and scores alone, which quotes nothing"""
    serialized: bytes = field(default=b"", repr=False, compare=False)
    """verb, commit and entries, as they are kept; empty for one that was found by its cursor, and is kept already"""

    def cursor(self, position: int) -> str | None:
        """For what comes from this position on; None when nothing does."""
        return f"{self.key}.{position}" if position < len(self.entries) else None


class _Waiting(NamedTuple):
    """A listing that is not written yet."""

    owner: str
    key: str
    serialized: bytes
    quotes: bool
    kept_at: float


class Pages(StateDatabase):
    keeps = "the cursors of long answers"

    def __init__(self, path: Path) -> None:
        self._waiting: OrderedDict[tuple[str, str], _Waiting] = OrderedDict()
        self._waiting_bytes = 0
        super().__init__(path)

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] != _SCHEMA_VERSION:
            self._db.executescript(_SCHEMA)

    def of(self, owner: str) -> Cursors:
        """The listings of one principal."""
        return Cursors(self, owner)

    def era(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count FROM era").fetchone()[0])

    def keep(self, owner: str, listing: Listing) -> None:
        row = _Waiting(owner, listing.key, listing.serialized, listing.era is not None, time.time())
        with suppress(StateUnwritable), self._lock:  # the page is shown all the same
            if row.quotes:
                self._keep_quoting(row, listing.era)
                return
            known = self._waiting.pop((owner, listing.key), None)
            self._waiting[owner, listing.key] = row if known is None else known._replace(kept_at=row.kept_at)
            self._waiting_bytes += len(row.serialized) if known is None else 0
            while len(self._waiting) > _WAITING or self._waiting_bytes > _WAITING_BYTES:
                self._write(_WRITTEN_AT_ONCE)

    def write_again(self) -> None:
        """With every full scan."""
        super().write_again()
        with suppress(StateUnwritable):
            self._write(_WAITING + 1)

    def close(self) -> None:
        with suppress(StateUnwritable):
            self._write(_WAITING + 1)
        super().close()

    def _keep_quoting(self, row: _Waiting, era: int | None) -> None:
        """At once: what quotes a memory must be where an erasure looks for it."""
        with self.transaction():
            if era == self.era():
                self._put(row)
                self._prune(_KEPT)

    def _write(self, most: int) -> None:
        """The oldest of those that wait."""
        with self._lock:
            rows = [row for _, row in zip(range(most), self._waiting.values(), strict=False)]
            if not rows:
                return
            with self.transaction():
                for row in rows:
                    self._put(row)
                self._prune(_KEPT - len(self._waiting) + len(rows))
            for row in rows:
                del self._waiting[row.owner, row.key]
                self._waiting_bytes -= len(row.serialized)

    def _put(self, row: _Waiting) -> None:
        # The key is made of what is kept: a page that comes after another writes no listing of thousands again.
        known = self._db.execute(
            "UPDATE pages SET kept_at = ? WHERE owner = ? AND key = ?", (row.kept_at, row.owner, row.key)
        ).rowcount
        if not known and row.serialized:
            self._db.execute(
                "INSERT INTO pages VALUES (?, ?, ?, ?, ?)",
                (row.owner, row.key, zlib.compress(row.serialized, 1), row.quotes, row.kept_at),
            )

    def _prune(self, kept: int) -> None:
        # The latest stays, however long it is.
        self._db.execute(
            "DELETE FROM pages WHERE rowid IN (SELECT rowid FROM (SELECT rowid, row_number() OVER latest AS place,"
            " sum(length(listing)) OVER latest AS bytes FROM pages"
            " WINDOW latest AS (ORDER BY kept_at DESC, rowid DESC))"
            " WHERE place > 1 AND (place > ? OR bytes > ?))",
            (kept, BYTES_KEPT),
        )

    def erase(self, memory_ids: Sequence[str]) -> bool:
        with self._lock:
            with self.transaction():
                self._db.execute("UPDATE era SET count = count + 1")
                self._db.execute("DELETE FROM pages WHERE quotes")
            return self.empty_log()

    def find(self, owner: str, verb: str, cursor: str) -> Listing:
        key, _, position = cursor.partition(".")
        with self._lock:
            serialized, era = self._find(owner, key)
        if serialized is None or not position.isdecimal() or len(position) > 9:
            raise BadValue(
                f"the cursor {cursor[:40]!r} is not known, or too old; ask again without one",
                code="bad-cursor",
            )
        of, commit, entries = json.loads(serialized.decode("utf-8", "surrogatepass"))
        if of != verb:
            raise BadValue(f"this cursor belongs to an answer of {of}, not of {verb}", code="bad-cursor")
        return Listing(key, entries, min(int(position), len(entries)), commit, era)

    def _find(self, owner: str, key: str) -> tuple[bytes | None, int | None]:
        """A listing as it is kept, and of one that quotes the era."""
        waiting = self._waiting.get((owner, key))
        if waiting is not None and waiting.serialized:
            return waiting.serialized, None
        rows = self._db.execute(
            "SELECT listing, quotes FROM pages WHERE owner = ? AND key = ?", (owner, key)
        ).fetchall()
        if not rows:
            return None, None
        return zlib.decompress(rows[0][0]), self.era() if rows[0][1] else None


@dataclass(frozen=True)
class Cursors:
    """The listings of one principal."""

    _pages: Pages
    _owner: str

    def start(
        self, verb: str, entries: Sequence[Any], commit: str | None = None, era: int | None = None
    ) -> Listing:
        """The same entries have the same key, so that the same question gets the same answer, cursor and all."""
        serialized = _serialized(verb, commit, entries)
        key = base64.b32encode(hashlib.sha256(serialized).digest()).decode().lower()[:_KEY_LENGTH]
        return Listing(key, list(entries), commit=commit, era=era, serialized=serialized)

    def era(self) -> int:
        """To be asked before the entries of a listing that quotes are found."""
        return self._pages.era()

    def keep(self, listing: Listing) -> None:
        """So that its cursors can be followed, after a restart of the daemon too.

        Not one that was found before an erasure and would be kept after it: it may quote what was erased.
        """
        self._pages.keep(self._owner, listing)

    def find(self, verb: str, cursor: str) -> Listing:
        return self._pages.find(self._owner, verb, cursor)


def _serialized(verb: str, commit: str | None, entries: Sequence[Any]) -> bytes:
    try:
        return orjson.dumps([verb, commit, list(entries)])
    except TypeError:  # halves of surrogate pairs, in a name that a file has
        text = json.dumps([verb, commit, list(entries)], ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")


def position_in(cursor: str | None, digest: str, length: int) -> int:
    """Where in a text to read on: the cursor of a text says the position, and of which text it is."""
    if cursor is None:
        return 0
    position, _, of = cursor.partition(".")
    if not position.isdecimal() or len(position) > 9 or int(position) > length:
        raise BadValue(
            f"the cursor {cursor[:40]!r} is not of this text; read it from the start", code="bad-cursor"
        )
    if of != digest:
        raise StaleHash("it was changed while it was read; read it again from the start")
    return int(position)
