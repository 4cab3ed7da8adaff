"""The catalog: which file holds which memory, as the follower last saw it. SQLite, derived, rebuildable."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from helix.index import analyze
from helix.index.facets import facets_of, session_of, to_text
from helix.state.database import StateDatabase, open_to_read
from helix.vault.conflict_names import choose_best
from helix.vault.frontmatter import emit
from helix.vault.note import Note
from helix.vault.ownership import PRIVATE
from helix.vault.problem import Problem
from helix.vault.text_merge import COLLISION
from helix.vault.times import parse_time
from helix.vault.walk import Signature

# Another number means another catalog: it is dropped and rebuilt from the notes, never migrated.
# The words of titles stand in it, so another way of finding words is another catalog too.
SCHEMA_VERSION = 514 + analyze.VERSION

CATALOG_FILE = "catalog.db"

_SCHEMA = """
CREATE TABLE seen (
    path TEXT PRIMARY KEY, mtime_ns INTEGER, size INTEGER, inode INTEGER, ctime_ns INTEGER
) WITHOUT ROWID;
CREATE TABLE notes (
    path TEXT PRIMARY KEY, hash TEXT NOT NULL, state TEXT NOT NULL, id TEXT NOT NULL, folded TEXT NOT NULL,
    has_id INTEGER NOT NULL, is_stub INTEGER NOT NULL, needs TEXT NOT NULL,
    status TEXT NOT NULL, meta TEXT NOT NULL, is_stale INTEGER NOT NULL, facets TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX notes_id ON notes (id);
CREATE INDEX notes_folded ON notes (folded);
CREATE INDEX notes_hash ON notes (hash);
CREATE INDEX notes_key ON notes (json_extract(meta, '$.idempotency_key'));
CREATE INDEX notes_of_projects ON notes (path) WHERE json_extract(meta, '$.kind') = 'project';
CREATE INDEX notes_needs ON notes (path) WHERE needs <> '';
CREATE TABLE problems (
    path TEXT NOT NULL, code TEXT NOT NULL, reason TEXT NOT NULL, remedy TEXT NOT NULL, line INTEGER,
    detail TEXT NOT NULL, PRIMARY KEY (path, code)
) WITHOUT ROWID;
CREATE TABLE doubted (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE folder_rules (text TEXT NOT NULL);
"""
_ROW = "path, hash, state, id, has_id, is_stub, needs, status, meta, is_stale"
_REMEMBERED_COMMITS = 64
_BELOW = "(path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0'))"  # '0' comes right after '/'


_SEVERAL = "(id IN (SELECT id FROM notes WHERE NOT is_stub GROUP BY id HAVING count(*) > 1))"


class Row(NamedTuple):
    """What is known of a memory without its body."""

    path: str
    hash: str
    state: str
    id: str
    has_id: bool
    is_stub: bool
    needs: str
    """what Helix still has to write into the file (`vault.Standing`): `stamp`, `erase`, `bury`, or nothing"""
    status: str
    title: str
    kind: str
    scope: str
    project: str | None
    tags: Sequence[str]
    edges: Mapping[str, Sequence[str]]
    """by their kind, what each names"""
    source: Mapping[str, Any] | None
    extra: Mapping[str, Any]
    """a person's own keys"""
    importance: float | None
    created_at: str | None
    updated_at: str | None
    deleted_at: str | None
    restored_at: str | None
    valid_until: str | None
    idempotency_key: str | None
    unmerged: int | None
    """the line where a merge had to keep both texts"""
    owner: str | None
    visibility: str
    is_unread: bool
    """known by its text alone: its properties could never be read"""
    is_stale: bool = False
    """the file cannot be read any more, and this is what it last said"""

    @classmethod
    def of(cls, note: Note) -> Row:
        """The row of a note as it is now, whether or not it is in a catalog."""
        memory = note.memory
        return cls(
            note.path, note.hash, note.state, note.id, note.has_id, note.is_stub, "", memory.status,
            memory.title, memory.kind, memory.scope, memory.project,
            memory.tags, memory.edges, memory.source, memory.extra or {}, memory.importance,
            memory.created_at, memory.updated_at, memory.deleted_at, memory.restored_at, memory.valid_until,
            memory.idempotency_key, _unmerged(note), memory.owner, memory.visibility, note.unread is not None,
        )  # fmt: skip

    @property
    def session(self) -> str | None:
        return session_of(self.source)

    @property
    def created(self) -> datetime | None:
        return parse_time(self.created_at)


class CatalogCopy(NamedTuple):
    """What a row keeps of a note, as plain values: another catalog takes it over as it is."""

    path: str
    hash: str
    state: str
    id: str
    has_id: bool
    is_stub: bool
    status: str
    meta: str
    facets: str

    @classmethod
    def of(cls, note: Note) -> CatalogCopy:
        return cls(
            *(note.path, note.hash, note.state, note.id, note.has_id, note.is_stub, note.memory.status),
            json.dumps(_meta(note), ensure_ascii=False, default=list),
            to_text(facets_of(note.memory)),
        )


class Indexed(NamedTuple):
    """What the search index compares itself with."""

    id: str
    path: str
    hash: str
    facets_text: str
    """for `facets.from_texts`: as objects those of all memories would take ten times the room"""


class _Commits(NamedTuple):
    """Those that changed what is known of memories."""

    made: int = 0
    latest: tuple[frozenset[str], ...] = ()
    """of the last ones, which memories"""


class Catalog(StateDatabase):
    """Who reads does not wait for who writes: it sees the last commit. Only the thread of a transaction sees more."""

    keeps = "what was written or edited since, so that answers do not show it yet"

    def __init__(self, path: Path) -> None:
        self._reading = threading.Lock()
        self._reader = sqlite3.connect(":memory:")  # until there is a file
        self._openings = 0
        self._commits = _Commits()
        """exchanged as one, when what it tells of can be read"""
        self._touched: set[str] = set()
        """the memories of the rows that this transaction changes"""
        self.is_ours = False
        """whether nobody but this process takes notes in: then it need not ask the file whether somebody did"""
        self._writer: int | None = None
        """the thread that is inside a transaction"""
        super().__init__(path)

    def close(self) -> None:
        with self._reading:
            self._reader.close()
        super().close()

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """The row of the erased record has taken the place of what it said. What stays is what a copy said that
        cannot be read any more, and the log."""
        with self.transaction():
            self._touched.update(memory_ids)
            self._db.executemany(
                "DELETE FROM notes WHERE id = ? AND is_stale", ((one,) for one in memory_ids)
            )
        return self.empty_log()

    def _open(self) -> None:
        super()._open()
        with self._reading:
            self._reader.close()  # of the file that was here before
            self._reader = sqlite3.connect(
                self._path, check_same_thread=False, isolation_level=None, timeout=10
            )
            self._reader.execute("PRAGMA query_only=ON")
            self._openings += 1

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
            self._rebuild()

    def _rebuild(self) -> None:
        with self.transaction():
            names = self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in names:
                self._db.execute(f'DROP TABLE "{name}"')
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, also against a kill: what is not committed is reconciled again."""
        with self._lock:
            with super().transaction():
                self._writer = threading.get_ident()
                try:
                    yield
                finally:
                    self._writer = None
            if self._touched and not self._db.in_transaction:
                latest = (*self._commits.latest[1 - _REMEMBERED_COMMITS :], frozenset(self._touched))
                self._commits = _Commits(self._commits.made + 1, latest)
                self._touched.clear()

    def forget_signatures(self) -> None:
        """The next full reconcile reads every file again; until then the rows serve as they are."""
        with self.transaction():
            self._db.execute("UPDATE seen SET mtime_ns = -1")

    def folder_rules(self) -> str:
        """The rules by which its rows have owners whose notes name none."""
        rows = self._rows("SELECT text FROM folder_rules")
        return str(rows[0][0]) if rows else ""

    def put_folder_rules(self, text: str) -> None:
        self._db.execute("DELETE FROM folder_rules")
        self._db.execute("INSERT INTO folder_rules VALUES (?)", (text,))

    # The disk as it was last seen

    def signatures(self, below: str | None = None) -> dict[str, Signature]:
        """Every path that was looked at, readable or not; or only one path and what lies below it."""
        query = "SELECT path, mtime_ns, size, inode, ctime_ns FROM seen"
        rows = self._rows(query) if below is None else self._rows(f"{query} WHERE {_BELOW}", below)
        return {row[0]: Signature(*row[1:]) for row in rows}

    def see(self, path: str, signature: Signature) -> None:
        """The path was looked at in this state, whatever came of it. A note that cannot be read any more keeps its
        last good row."""
        self._db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)", (path, *signature))
        self._db.execute("DELETE FROM problems WHERE path = ?", (path,))
        self._touch(path)
        self._db.execute("UPDATE notes SET is_stale = 1 WHERE path = ?", (path,))

    def put(self, note: Note, needs: str = "") -> None:
        self._put(CatalogCopy.of(note), needs)

    def put_copy(self, kept: CatalogCopy) -> None:
        """A row of another catalog of the same vault."""
        self.drop_copy(kept.id)
        self._put(kept, "")

    def drop_copy(self, memory_id: str) -> None:
        self._touched.add(memory_id)
        self._db.execute("DELETE FROM notes WHERE id = ?", (memory_id,))

    def _put(self, kept: CatalogCopy, needs: str) -> None:
        self._touch(kept.path)
        self._touched.add(kept.id)
        self._db.execute(
            "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (
                *(kept.path, kept.hash, kept.state, kept.id, kept.id.casefold()),
                *(kept.has_id, kept.is_stub, needs, kept.status, kept.meta, kept.facets),
            ),
        )

    def put_problem(self, problem: Problem) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?, ?, ?)",
            (problem.path, problem.code, problem.reason, problem.remedy, problem.line, problem.detail),
        )

    def clear_problems(self, code: str, path: str | None = None) -> None:
        self._db.execute("DELETE FROM problems WHERE code = ?1 AND path = coalesce(?2, path)", (code, path))

    def drop(self, path: str) -> None:
        self._touch(path)
        for table in ("seen", "notes", "problems"):
            self._db.execute(f"DELETE FROM {table} WHERE path = ?", (path,))

    def drop_note(self, path: str) -> None:
        """The path stays seen, but no memory is known in it."""
        self._touch(path)
        self._db.execute("DELETE FROM notes WHERE path = ?", (path,))

    def _touch(self, path: str) -> None:
        self._touched.update(
            row[0] for row in self._db.execute("SELECT id FROM notes WHERE path = ?", (path,))
        )

    # What the index behind the catalog may have been told in vain

    def doubt(self, memory_ids: Iterable[str]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO doubted VALUES (?)", ((one,) for one in memory_ids))

    def end_doubts(self) -> None:
        self._db.execute("DELETE FROM doubted")

    def doubted(self) -> set[str]:
        return {row[0] for row in self._rows("SELECT id FROM doubted")}

    # What it means

    def find(self, memory_id: str) -> Row | None:
        """The row of a memory. Of several files with one id it is the one that a merge will keep."""
        return _choose(memory_id, self.rows_of(memory_id))

    def find_all(self, memory_ids: Sequence[str]) -> dict[str, Row]:
        """The same for a few, at once; those that are there."""
        marks = ", ".join("?" * len(memory_ids))
        found: dict[str, list[Row]] = {}
        for row in _rows(self._rows(f"SELECT {_ROW} FROM notes WHERE id IN ({marks})", *memory_ids)):
            found.setdefault(row.id, []).append(row)
        chosen = {memory_id: _choose(memory_id, rows) for memory_id, rows in found.items()}
        return {memory_id: row for memory_id, row in chosen.items() if row is not None}

    def find_path(self, memory_id: str) -> str | None:
        row = self.find(memory_id)
        return None if row is None else row.path

    def find_folded(self, memory_id: str) -> Row | None:
        """The same for an id that somebody typed: exactly, or else without regard to case."""
        return best_typed(memory_id, self.rows_folded(memory_id))

    def rows_folded(self, memory_id: str) -> list[Row]:
        """The memories whose ids are spelled like that, without regard to case."""
        query = f"SELECT {_ROW} FROM notes WHERE folded = ? ORDER BY path"
        found: dict[str, list[Row]] = {}
        for row in _rows(self._rows(query, memory_id.casefold())):
            found.setdefault(row.id, []).append(row)
        chosen = (_choose(one, rows) for one, rows in found.items())
        return [row for row in chosen if row is not None]

    def find_by_key(self, idempotency_key: str) -> Row | None:
        """The memory that was created under this key."""
        query = (
            f"SELECT {_ROW} FROM notes WHERE json_extract(meta, '$.idempotency_key') = ?"
            " AND NOT is_stub ORDER BY path LIMIT 1"
        )
        return next(iter(_rows(self._rows(query, idempotency_key))), None)

    def project_notes(self) -> list[Row]:
        """The memories that say who is a member of a project; stale ones too, which nobody has taken back."""
        query = (
            f"SELECT {_ROW} FROM notes WHERE json_extract(meta, '$.kind') = 'project' AND status = 'active'"
        )
        return _rows(self._rows(f"{query} AND NOT is_stub ORDER BY path"))

    def rows_of(self, memory_id: str) -> list[Row]:
        return _rows(self._rows(f"SELECT {_ROW} FROM notes WHERE id = ? ORDER BY path", memory_id))

    def rows_with(self, content_hash: str) -> list[Row]:
        query = f"SELECT {_ROW} FROM notes WHERE hash = ? ORDER BY path"
        return _rows(self._rows(query, content_hash))

    def erased_with(self, hash_prefix: str) -> bool:
        """Whether an erased record has a content hash that begins so."""
        query = "SELECT 1 FROM notes WHERE status = 'erased' AND hash >= ?1 AND hash < ?1 || 'g' LIMIT 1"
        return bool(self._rows(query, hash_prefix))

    def at(self, path: str) -> Row | None:
        rows = _rows(self._rows(f"SELECT {_ROW} FROM notes WHERE path = ?", path))
        return rows[0] if rows else None

    def is_taken(self, folded_id: str) -> bool:
        return bool(self._rows("SELECT 1 FROM notes WHERE folded = ? LIMIT 1", folded_id))

    def memories(self, *, include_hidden: bool = False) -> list[Row]:
        """One row per memory, in the order of their paths; stubs are none."""
        where = "" if include_hidden else "AND status = 'active'"
        rows = _rows(self._rows(f"SELECT {_ROW} FROM notes WHERE NOT is_stub {where} ORDER BY path"))
        chosen = self._chosen()
        return [row for row in rows if chosen.get(row.id, row.path) == row.path]

    def states(self) -> dict[str, tuple[str, str, str]]:
        """Of every memory the path, the hash and the status: enough to see whether something happened to it."""
        chosen = self._chosen()
        rows = self._rows("SELECT id, path, hash, status FROM notes WHERE NOT is_stub")
        return {row[0]: (row[1], row[2], row[3]) for row in rows if chosen.get(row[0], row[1]) == row[1]}

    def _chosen(self) -> dict[str, str]:
        """Of each memory that stands in several files, the one that counts."""
        # Stubs too, of which the index on ids knows nothing: to leave them out would mean to look at every row.
        several = self._rows("SELECT id FROM notes GROUP BY id HAVING count(*) > 1")
        return {memory_id: row.path for (memory_id,) in several if (row := self.find(memory_id)) is not None}

    def indexed(self) -> list[Indexed]:
        """The memories that search may find, hidden ones too."""
        rows = self._rows(
            "SELECT id, path, hash, facets FROM notes WHERE NOT is_stub AND status <> 'erased' ORDER BY path"
        )
        chosen = self._chosen()
        return [row for row in map(Indexed._make, rows) if chosen.get(row.id, row.path) == row.path]

    def duplicates(self) -> dict[str, list[Row]]:
        """Ids that stand in several files, with the files: conflict copies, or copies that a person made."""
        readable = "NOT is_stub AND NOT is_stale"
        query = (
            f"SELECT {_ROW} FROM notes WHERE {readable} AND id IN (SELECT id FROM notes"
            f" WHERE {readable} GROUP BY id HAVING count(*) > 1) ORDER BY id, path"
        )
        groups: dict[str, list[Row]] = {}
        for row in _rows(self._rows(query)):
            groups.setdefault(row.id, []).append(row)
        return groups

    def needing(self) -> list[Row]:
        query = f"SELECT {_ROW} FROM notes WHERE needs <> '' AND NOT is_stale ORDER BY path"
        return _rows(self._rows(query))

    def problems(self) -> list[Problem]:
        query = "SELECT path, code, reason, remedy, line, detail FROM problems ORDER BY path, code"
        return [Problem(*row) for row in self._rows(query)]

    def count_seen(self) -> int:
        return int(self._rows("SELECT count(*) FROM seen")[0][0])

    def count_by_status(self) -> dict[str, int]:
        query = f"SELECT status, count(*) FROM notes WHERE NOT is_stub AND NOT {_SEVERAL} GROUP BY status"
        counts = Counter(dict(self._rows(query)))
        several = {row[0] for row in self._rows(f"SELECT id FROM notes WHERE {_SEVERAL}")}
        counts.update(row.status for memory_id in several if (row := self.find(memory_id)))
        return dict(counts)

    def version(self) -> tuple[object, ...]:
        """Another one when a row has changed: what was worked out from the rows is true as long as it is the same."""
        if self.is_ours:
            return self._openings, self._commits.made  # asked for every row of every answer
        with self._reading:
            return self._openings, "of the file", *self._reader.execute("PRAGMA data_version").fetchone()

    def changed_since(self, version: tuple[object, ...]) -> frozenset[str] | None:
        """The memories of which something may have changed since this version; None when that is not known any more."""
        made, latest = self._commits
        for ago in range(len(latest) + 1):
            if version == (self._openings, made - ago):
                return frozenset().union(*latest[len(latest) - ago :])
        return None

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything, in order: two catalogs of one vault are equal when these are."""
        tables = ("seen", "notes", "problems")
        return {table: self._rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables}

    def _rows(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        if self._writer == threading.get_ident():
            return self._db.execute(query, arguments).fetchall()
        with self._reading:
            return self._reader.execute(query, arguments).fetchall()


def read_signatures(path: Path) -> dict[str, Signature] | None:
    """What a catalog last saw of the disk, read beside whoever keeps it; None for one of another version."""
    database = open_to_read(path)
    try:
        if database.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
            return None
        rows = database.execute("SELECT path, mtime_ns, size, inode, ctime_ns FROM seen").fetchall()
    finally:
        database.close()
    return {row[0]: Signature(*row[1:]) for row in rows}


def read_problems(path: Path, codes: Collection[str]) -> list[Problem]:
    """The problems of these codes that a catalog lists, read in the same way."""
    database = open_to_read(path)
    try:
        rows = database.execute("SELECT path, code, reason, remedy, line, detail FROM problems").fetchall()
    finally:
        database.close()
    return [problem for row in rows if (problem := Problem(*row)).code in codes]


def read_needing(path: Path, needs: Collection[str]) -> list[str]:
    """The paths of files into which Helix has to write one of these, read in the same way."""
    database = open_to_read(path)
    try:
        rows = database.execute("SELECT path, needs FROM notes WHERE needs <> '' ORDER BY path").fetchall()
    finally:
        database.close()
    return [path for path, needed in rows if needed in needs]


def _meta(note: Note) -> dict[str, Any]:
    """What else a row has, as far as the note says it."""
    memory = note.memory
    meta = {
        key: value
        for key, value in vars(memory).items()
        if key not in ("id", "status", "body")
        and value not in (None, (), {})
        and (key, value) != ("visibility", PRIVATE)
    }
    if note.unread is not None:
        meta["unread"] = note.unread.line
    if (line := _unmerged(note)) is not None:
        meta["unmerged"] = line
    return meta


def _unmerged(note: Note) -> int | None:
    """The line where a merge had to keep both texts."""
    if COLLISION not in note.memory.body:
        return None
    return 1 + emit(note.document).decode().partition(COLLISION)[0].count("\n")


def _choose(memory_id: str, rows: Sequence[Row]) -> Row | None:
    """Of the files that carry an id, the one that counts."""
    known = [row for row in rows if not row.is_stub]
    rows = [row for row in known if not row.is_stale] or known
    if len(rows) < 2:
        return rows[0] if rows else None
    best = choose_best(memory_id, [row.path for row in rows])
    return next(row for row in rows if row.path == best)


def best_typed(memory_id: str, rows: Sequence[Row]) -> Row | None:
    """Exactly what was typed, or else without regard to case."""
    return next((row for row in rows if row.id == memory_id), rows[0] if rows else None)


def _rows(kept: Sequence[tuple[Any, ...]]) -> list[Row]:
    """As the table keeps them: `_ROW`."""
    # One list to parse takes less time than many small ones.
    metas = json.loads("[" + ",".join([row[8] for row in kept]) + "]")
    rows = []
    for (path, hash_, state, memory_id, has_id, is_stub, needs, status, _, is_stale), meta in zip(
        kept, metas, strict=True
    ):
        get = meta.get
        row = Row(
            path, hash_, state, memory_id, bool(has_id), bool(is_stub), needs, status,
            meta["title"], meta["kind"], meta["scope"], get("project"),
            get("tags") or (), get("edges") or {}, get("source"), get("extra") or {}, get("importance"),
            get("created_at"), get("updated_at"), get("deleted_at"), get("restored_at"), get("valid_until"),
            get("idempotency_key"), get("unmerged"), get("owner"), get("visibility", PRIVATE),
            "unread" in meta, bool(is_stale),
        )  # fmt: skip
        rows.append(row)
    return rows
