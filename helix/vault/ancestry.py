"""Local history: the texts of states that a later merge may need as its base, and the memories that were erased.

The erased ones are a ledger: each has a number, and of every store it is known up to which number it is clean
(`erasures`). Both stand in this file, so that no text is remembered beside an erasure, and so that they are lost
together.

A bounded SQLite file in the state folder. Losing it loses no memory: merges without a known base keep every
line of both sides. It is not derived data either, so rebuilding the index leaves it alone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence

from helix.errors import NoteError
from helix.vault import frontmatter
from helix.vault.database import StateDatabase
from helix.vault.files import content_hash
from helix.vault.frontmatter import Document
from helix.vault.merge import state_of
from helix.vault.note import ancestors_of

STATES_PER_MEMORY = 32
BYTES_KEPT = 64 * 1024 * 1024
_PRUNE_EVERY = 500

_SCHEMA = """
CREATE TABLE IF NOT EXISTS states (
    seq INTEGER PRIMARY KEY, memory TEXT NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL, data BLOB NOT NULL,
    UNIQUE (memory, state)
);
CREATE INDEX IF NOT EXISTS states_hash ON states (hash);
CREATE TABLE IF NOT EXISTS erased (memory TEXT PRIMARY KEY, deleted_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS earlier_ids (
    memory TEXT NOT NULL, earlier TEXT NOT NULL, PRIMARY KEY (memory, earlier)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger (seq INTEGER PRIMARY KEY AUTOINCREMENT, memory TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS clean (store TEXT PRIMARY KEY, upto INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO ledger (memory) SELECT memory FROM erased WHERE memory NOT IN (SELECT memory FROM ledger);
"""
_HASH_BEGINS = "hash >= :hash AND hash < :hash || 'g'"  # hex digits end before 'g'


class Ancestry(StateDatabase):
    _since_prune = 0

    def _prepare(self) -> None:
        self._db.executescript(_SCHEMA)

    def remember(self, memory_id: str, *documents: Document) -> None:
        self.remember_all((memory_id, document) for document in documents)

    def remember_all(self, states: Iterable[tuple[str, Document]]) -> set[str]:
        """The memories whose state was not known yet: no Helix of this machine wrote it.

        Of an erased memory nothing is remembered: an update that was under way, or a late file, comes after the end.
        """
        unknown = set()
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for memory_id, document in states:
                if self._db.execute("SELECT 1 FROM erased WHERE memory = ?", (memory_id,)).fetchone():
                    unknown.add(memory_id)
                    continue
                data = frontmatter.emit(document)
                added = self._db.execute(
                    "INSERT OR IGNORE INTO states (memory, state, hash, data) VALUES (?, ?, ?, ?)",
                    (memory_id, state_of(document), content_hash(data), zlib.compress(data)),
                )
                if added.rowcount:
                    unknown.add(memory_id)
                    self._since_prune += 1
                    # What the record still lists stays: minutes of an editor's automatic saves must not push out
                    # the one state that other machines have too.
                    self._db.execute(
                        "DELETE FROM states WHERE memory = ?1 AND state NOT IN (SELECT value FROM json_each(?2))"
                        " AND seq NOT IN (SELECT seq FROM states WHERE memory = ?1 ORDER BY seq DESC LIMIT ?3)",
                        (memory_id, json.dumps(ancestors_of(document.meta)), STATES_PER_MEMORY),
                    )
            if self._since_prune >= _PRUNE_EVERY:
                self._prune()
        return unknown

    def find(self, memory_id: str, state: str) -> Document | None:
        return self._find("SELECT data FROM states WHERE memory = ? AND state = ?", (memory_id, state))

    def find_by_hash(self, memory_id: str, hash_prefix: str) -> Document | None:
        """The state whose file had this content hash (or one that begins so)."""
        return self._find(
            f"SELECT data FROM states WHERE memory = :memory AND {_HASH_BEGINS}",
            {"memory": memory_id, "hash": hash_prefix},
        )

    def memory_with_hash(self, hash_prefix: str) -> str | None:
        """The memory one of whose states was written with this content hash."""
        with self._lock:
            row = self._db.execute(
                f"SELECT memory FROM states WHERE {_HASH_BEGINS}", {"hash": hash_prefix}
            ).fetchone()
        return None if row is None else str(row[0])

    def texts(self, memory_id: str) -> Iterable[Document]:
        """The states of a memory that are known, the oldest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT state FROM states WHERE memory = ? ORDER BY seq", (memory_id,)
            ).fetchall()
        return (document for (state,) in rows if (document := self.find(memory_id, state)) is not None)

    # Erasing

    def forget_texts(self, memory_id: str, deleted_at: str) -> None:
        """Drop every text of an erased memory, and remember that it was erased: for late arrivals, and for every store.

        Each call is a new entry of the ledger: a store that was cleaned when the catalog still showed the memory is
        cleaned again.
        """
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("INSERT OR IGNORE INTO erased VALUES (?, ?)", (memory_id, deleted_at))
            earlier = self._db.execute(
                "SELECT earlier FROM earlier_ids WHERE memory = ?", (memory_id,)
            ).fetchall()
            for one in (memory_id, *(row[0] for row in earlier)):
                self._db.execute("DELETE FROM states WHERE memory = ?", (one,))
                self._db.execute("INSERT OR REPLACE INTO ledger (memory) VALUES (?)", (one,))
        self.empty_log()  # when another process reads, `erase` tries again

    def erase(self, memory_ids: Sequence[str]) -> bool:
        with self._lock:
            self._db.executemany("DELETE FROM states WHERE memory = ?", ((one,) for one in memory_ids))
            return self.empty_log()

    def was_known_as(self, memory_id: str, earlier: str) -> None:
        """A note without an id was known by its path. What is kept under that name goes when the memory is erased."""
        with self._lock:
            self._db.execute("INSERT OR IGNORE INTO earlier_ids VALUES (?, ?)", (memory_id, earlier))

    def ledger_version(self) -> object:
        """Another one after every erasure."""
        with self._lock:
            return self._file, self._db.execute("SELECT max(seq) FROM ledger").fetchone()[0]

    def unclean(self, store: str) -> tuple[int, list[str]]:
        """The memories whose erasure a store has not taken in yet, and the number of the last."""
        with self._lock:
            rows = self._db.execute(
                "SELECT seq, memory FROM ledger WHERE seq > coalesce((SELECT upto FROM clean WHERE store = ?), 0)"
                " ORDER BY seq",
                (store,),
            ).fetchall()
        return (rows[-1][0] if rows else 0), [row[1] for row in rows]

    def mark_clean(self, store: str, upto: int) -> None:
        with self._lock:
            self._db.execute(
                "INSERT INTO clean VALUES (?1, ?2) ON CONFLICT (store) DO UPDATE SET upto = max(upto, ?2)",
                (store, upto),
            )

    def erased(self) -> dict[str, str]:
        """Every memory that was erased, with the date."""
        with self._lock:
            return dict(self._db.execute("SELECT memory, deleted_at FROM erased").fetchall())

    def erased_at(self, memory_id: str) -> str | None:
        with self._lock:
            row = self._db.execute("SELECT deleted_at FROM erased WHERE memory = ?", (memory_id,)).fetchone()
        return None if row is None else str(row[0])

    def count_erased(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM erased").fetchone()[0])

    def _find(self, query: str, arguments: tuple[str, ...] | dict[str, str]) -> Document | None:
        with self._lock:
            row = self._db.execute(query, arguments).fetchone()
        if row is None:
            return None
        try:
            return frontmatter.parse(zlib.decompress(row[0]))
        except (NoteError, zlib.error):
            return None  # a damaged base is an unknown base: the merge then keeps every line

    def _prune(self) -> None:
        self._since_prune = 0
        total = self._db.execute("SELECT coalesce(sum(length(data)), 0) FROM states").fetchone()[0]
        if total > BYTES_KEPT:
            self._db.execute(
                "DELETE FROM states WHERE seq IN (SELECT seq FROM (SELECT seq, sum(length(data)) OVER"
                " (ORDER BY seq DESC) AS kept FROM states) WHERE kept > ?)",
                (BYTES_KEPT * 3 // 4,),
            )
