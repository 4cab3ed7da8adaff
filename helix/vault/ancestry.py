"""Local history: the texts of states that a later merge may need as its base, and what was forgotten or erased.

The erased ones are a ledger: each has a number, and of every store it is known up to which number it is clean
(`erasures`). Both stand in this file, so that no text is remembered beside an erasure, and so that they are lost
together.

A SQLite file in the state folder, bounded but for the tombstones. Losing it loses no memory: merges without a known
base keep every line of both sides. It is not derived data either, so rebuilding the index leaves it alone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from helix.errors import NoteError, StateUnwritable
from helix.state.database import StateDatabase
from helix.vault import frontmatter
from helix.vault.frontmatter import Document
from helix.vault.note import Note, ancestors_of
from helix.vault.tombstones import Tombstone, learn

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
CREATE TABLE IF NOT EXISTS tombstones (
    memory TEXT PRIMARY KEY, status TEXT NOT NULL, deleted_at TEXT, restored_at TEXT, path TEXT NOT NULL, data BLOB
);
CREATE TABLE IF NOT EXISTS erased_texts (path TEXT, state TEXT, memory TEXT NOT NULL, PRIMARY KEY (path, state));
INSERT INTO ledger (memory) SELECT memory FROM erased WHERE memory NOT IN (SELECT memory FROM ledger);
"""
_HASH_BEGINS = "hash >= :hash AND hash < :hash || 'g'"  # hex digits end before 'g'


class Ancestry(StateDatabase):
    keeps = "the earlier texts that a merge builds on, without which it keeps more lines"
    _since_prune = 0
    is_new = False
    """whether there was no record of what was forgotten: whoever knows of something should tell"""

    def __init__(self, path: Path) -> None:
        self._tombstones: dict[str, Tombstone] = {}
        """without their records. In memory, because every reading of a note asks: it must not wait for who writes"""
        self._at_path: dict[str, str] = {}
        self._erased_texts: dict[tuple[str, str], str] = {}
        self._unwritten_erasures: dict[str, str] = {}
        self._unwritten_texts: dict[tuple[str, str], str] = {}
        """what must hold at once, and stands in no file yet: the disk is full"""
        self._version: object = None
        super().__init__(path)

    def _prepare(self) -> None:
        there = "SELECT 1 FROM sqlite_master WHERE name = 'tombstones'"
        self.is_new = self._db.execute(there).fetchone() is None
        self._db.executescript(_SCHEMA)
        if self.is_new:  # deleted while we ran: what is known does not go with the file
            for memory_id, known in self._tombstones.items():
                self._keep(memory_id, known)
            for (path, state), memory_id in self._erased_texts.items():
                self.mark_erased_text(path, state, memory_id)
        self._load()

    def remember(self, memory_id: str, *documents: Document) -> None:
        """For whoever is about to write a file, which matters more: a merge without a base only keeps more lines."""
        with suppress(StateUnwritable):
            self.remember_all((memory_id, document) for document in documents)

    def remember_all(self, states: Iterable[tuple[str, Document]]) -> set[str]:
        """The memories whose state was not known yet: no Helix of this machine wrote it.

        Of an erased memory nothing is remembered: an update that was under way, or a late file, comes after the end.
        """
        unknown = set()
        with self.transaction():
            for memory_id, document in states:
                if self._db.execute("SELECT 1 FROM erased WHERE memory = ?", (memory_id,)).fetchone():
                    unknown.add(memory_id)
                    continue
                # Our own write is here already when the follower sees it, and need not be packed again.
                known = "SELECT 1 FROM states WHERE memory = ? AND state = ?"
                if self._db.execute(known, (memory_id, document.state)).fetchone() is None:
                    self._db.execute(
                        "INSERT INTO states (memory, state, hash, data) VALUES (?, ?, ?, ?)",
                        (memory_id, document.state, document.hash, zlib.compress(document.data)),
                    )
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
        with self._lock:
            try:
                with self.transaction():
                    self._record_erasure(memory_id, deleted_at)
            except StateUnwritable:
                self._unwritten_erasures[memory_id] = deleted_at
                self._note(memory_id, Tombstone("erased", deleted_at))
                raise
        self.empty_log()  # when another process reads, `erase` tries again

    def _record_erasure(self, memory_id: str, deleted_at: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO erased VALUES (?, ?)", (memory_id, deleted_at))
        earlier = self._db.execute(
            "SELECT earlier FROM earlier_ids WHERE memory = ?", (memory_id,)
        ).fetchall()
        for known_id in (memory_id, *(row[0] for row in earlier)):
            self._drop_texts(known_id)
            self._db.execute("INSERT OR REPLACE INTO ledger (memory) VALUES (?)", (known_id,))
        self._note(memory_id, Tombstone("erased", self.erased_at(memory_id)))

    def erase(self, memory_ids: Sequence[str]) -> bool:
        with self.transaction():
            for memory_id in memory_ids:
                self._drop_texts(memory_id)
        return self.empty_log()

    def _drop_texts(self, memory_id: str) -> None:
        for table in ("states", "tombstones"):
            self._db.execute(f"DELETE FROM {table} WHERE memory = ?", (memory_id,))

    def was_known_as(self, memory_id: str, earlier: str) -> None:
        """A note without an id was known by its path. What is kept under that name goes when the memory is erased."""
        with self.transaction():
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
        with self.transaction():
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

    # What was taken out of the answers

    def tombstone_of(self, memory_id: str) -> Tombstone | None:
        return self._with_record(memory_id) if memory_id in self._tombstones else None

    def tombstone_at(self, path: str) -> Tombstone | None:
        """The tombstone that was last seen at a path: for a file there that has no id."""
        memory_id = self._at_path.get(path)
        return None if memory_id is None else self._with_record(memory_id)

    def mark_erased_text(self, path: str, state: str, memory_id: str) -> None:
        """A file that had no id was erased as this memory: what its text was is told by its hash alone."""
        with self._lock:
            self._erased_texts[path, state] = memory_id
            try:
                with self.transaction():
                    self._db.execute(
                        "INSERT OR REPLACE INTO erased_texts VALUES (?, ?, ?)", (path, state, memory_id)
                    )
            except StateUnwritable:
                self._unwritten_texts[path, state] = memory_id
                raise

    @property
    def has_erased_texts(self) -> bool:
        return bool(self._erased_texts)

    def find_erased_text(self, path: str, state: str) -> str | None:
        return self._erased_texts.get((path, state))

    def learn(self, note: Note) -> bool:
        """Take in what a file that speaks for its memory says of its being hidden; whether that is news."""
        before = self.tombstone_of(note.id)
        after = learn(before, note)
        if after == before:
            return False
        self.put_tombstone(note.id, after)
        return before is None or after is None or replace(before, path="", record=None) != replace(
            after, path="", record=None
        )  # fmt: skip

    def put_tombstone(self, memory_id: str, known: Tombstone | None) -> None:
        with self.transaction():
            self._keep(memory_id, known)
            self._note(memory_id, known)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is learned meanwhile is committed together, or not at all."""
        try:
            with self.transaction():
                yield
        except StateUnwritable:
            with self._lock:
                self._load()  # what is learned only in memory would not be news the next time
            raise

    def catch_up(self) -> None:
        """Another process, a command, may have written since."""
        with self._lock:
            if self._db.execute("PRAGMA data_version").fetchone() != self._version:
                self._load()

    def _keep(self, memory_id: str, known: Tombstone | None) -> None:
        if known is None:
            self._db.execute("DELETE FROM tombstones WHERE memory = ?", (memory_id,))
        elif known.status == "erased":
            self._db.execute("INSERT OR IGNORE INTO erased VALUES (?, ?)", (memory_id, known.deleted_at))
            self._db.execute("INSERT OR IGNORE INTO ledger (memory) VALUES (?)", (memory_id,))
        else:
            data = None if known.record is None else zlib.compress(known.record.data)
            self._db.execute(
                "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?, ?, ?)",
                (memory_id, known.status, known.deleted_at, known.restored_at, known.path, data),
            )

    def _load(self) -> None:
        """Readers look at the map meanwhile, so it is exchanged and never empty."""
        self._version = self._db.execute("PRAGMA data_version").fetchone()
        query = "SELECT memory, status, deleted_at, restored_at, path FROM tombstones"
        known = {memory_id: Tombstone(*facts) for memory_id, *facts in self._db.execute(query)}
        self._at_path = {one.path: memory_id for memory_id, one in known.items()}
        texts = self._db.execute("SELECT path, state, memory FROM erased_texts")
        self._erased_texts = {(path, state): memory_id for path, state, memory_id in texts}
        self._erased_texts |= self._unwritten_texts
        erased = self._db.execute("SELECT memory, deleted_at FROM erased")
        ended = self._unwritten_erasures | dict(erased)
        self._tombstones = known | {memory_id: Tombstone("erased", at) for memory_id, at in ended.items()}

    def _write_unwritten(self) -> None:
        for memory_id, deleted_at in self._unwritten_erasures.items():
            self._record_erasure(memory_id, deleted_at)
        for (path, state), memory_id in self._unwritten_texts.items():
            self.mark_erased_text(path, state, memory_id)

    def _drop_unwritten(self) -> None:
        self._unwritten_erasures, self._unwritten_texts = {}, {}

    def _note(self, memory_id: str, known: Tombstone | None) -> None:
        before = self._tombstones.get(memory_id)
        if before is not None and self._at_path.get(before.path) == memory_id:
            del self._at_path[before.path]
        if known is None:
            self._tombstones.pop(memory_id, None)
        else:
            self._tombstones[memory_id] = replace(known, record=None)
            self._at_path[known.path] = memory_id

    def _with_record(self, memory_id: str) -> Tombstone | None:
        known = self._tombstones.get(memory_id)
        if known is None or known.status in ("erased", "active"):
            return known
        return replace(known, record=self._find("SELECT data FROM tombstones WHERE memory = ?", (memory_id,)))

    def _find(self, query: str, arguments: tuple[str, ...] | dict[str, str]) -> Document | None:
        with self._lock:
            row = self._db.execute(query, arguments).fetchone()
        if row is None or row[0] is None:
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
