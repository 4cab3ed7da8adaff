"""What one source says, and where: SQLite in a folder of its own, which is all there is to remove when it is purged.

Words are kept, not texts: a passage is read from its file when it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from helix.index import analyze
from helix.sources.passages import Span, spans, text_of
from helix.sources.reading import FileText
from helix.state.database import StateDatabase
from helix.vault.walk import Signature

# Another number means another index: it is dropped and made again from the files, never migrated.
SCHEMA_VERSION = 100 + analyze.VERSION
_RANKED = 120
"""passages that are looked at closely for a question"""
# Words are found by `analyze`; here they are only told apart by the blanks between them. Quotes are doubled.
_SIGNS = "!\"\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~''"
_SCHEMA = (
    """CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, mtime_ns INTEGER, size INTEGER, inode INTEGER,
    ctime_ns INTEGER, blob TEXT NOT NULL, lines INTEGER NOT NULL, committed INTEGER NOT NULL DEFAULT 0, reason TEXT
)""",
    "CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, first INTEGER, last INTEGER)",
    "CREATE INDEX passages_file ON passages (file)",
    "CREATE TABLE problems (path TEXT PRIMARY KEY, reason TEXT NOT NULL)",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT)",
    f"""CREATE VIRTUAL TABLE words USING fts5 (path, text, tokenize = "ascii tokenchars '{_SIGNS}'")""",
    "CREATE VIRTUAL TABLE frequencies USING fts5vocab (words, row)",
)
_PROBLEMS = "SELECT path, reason FROM problems UNION SELECT path, reason FROM files WHERE reason != ''"
_TABLES = ("frequencies", "words", "files", "passages", "problems", "about")


class MatchedPassage(NamedTuple):
    passage: int
    words: Mapping[str, int]
    """of the question, how often each is there"""
    length: int
    in_path: frozenset[str]


class PassagePlace(NamedTuple):
    path: str
    span: Span
    signature: Signature
    is_committed: bool
    """the file is as it is in the commit that is checked out"""


class Counts(NamedTuple):
    files: int
    passages: int
    lines: int


class SourceIndex(StateDatabase):
    keeps = "what sources say"

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # of memories nothing is kept here

    # Taking in

    def known(self) -> dict[str, Signature]:
        with self._lock:
            rows = self._db.execute("SELECT path, mtime_ns, size, inode, ctime_ns FROM files").fetchall()
        return {path: Signature(*signature) for path, *signature in rows}

    def put(self, path: str, file: FileText) -> None:
        lines, in_path = file.lines, " ".join(analyze.tokens(path))
        with self.transaction():
            self.drop([path])
            file_id = self._db.execute(
                "INSERT INTO files (path, mtime_ns, size, inode, ctime_ns, blob, lines) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (path, *file.signature, file.blob, len(lines)),
            ).lastrowid
            for span in spans(lines):
                words = " ".join(analyze.tokens(text_of(lines, span)))
                passage = self._db.execute(
                    "INSERT INTO passages (file, first, last) VALUES (?, ?, ?)", (file_id, *span)
                ).lastrowid
                self._db.execute(
                    "INSERT INTO words (rowid, path, text) VALUES (?, ?, ?)", (passage, in_path, words)
                )

    def drop(self, paths: Iterable[str]) -> None:
        with self.transaction():
            for path in paths:
                row = self._db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
                if row is None:
                    continue
                within = "(SELECT id FROM passages WHERE file = ?)"
                self._db.execute(f"DELETE FROM words WHERE rowid IN {within}", row)
                self._db.execute("DELETE FROM passages WHERE file = ?", row)
                self._db.execute("DELETE FROM files WHERE id = ?", row)

    def refuse(self, path: str, signature: Signature, reason: str) -> None:
        """It is not searched, and not read again until it changes; nothing for what plainly is no text."""
        with self.transaction():
            self.drop([path])
            self._db.execute(
                "INSERT INTO files (path, mtime_ns, size, inode, ctime_ns, blob, lines, reason) "
                "VALUES (?, ?, ?, ?, ?, '', 0, ?)",
                (path, *signature, reason),
            )

    def refused(self) -> set[str]:
        with self._lock:
            rows = self._db.execute("SELECT path FROM files WHERE reason IS NOT NULL").fetchall()
        return {path for (path,) in rows}

    def replace_problems(self, problems: Iterable[tuple[str, str]]) -> None:
        """Those that a listing found; what was found by reading stands with its file."""
        with self.transaction():
            self._db.execute("DELETE FROM problems")
            self._db.executemany("INSERT OR REPLACE INTO problems VALUES (?, ?)", problems)

    def clear(self) -> None:
        with self.transaction():
            for table in ("words", "files", "passages", "problems"):
                self._db.execute(f"DELETE FROM {table}")

    def say(self, **about: str | None) -> None:
        with self.transaction():
            self._db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())

    def set_committed(self, blobs: Mapping[str, str]) -> None:
        """Which files are as they are in the commit."""
        with self.transaction():
            known = self._db.execute("SELECT id, path, blob, committed FROM files").fetchall()
            changed = [
                (int(blobs.get(path) == blob), file_id)
                for file_id, path, blob, committed in known
                if bool(committed) != (blobs.get(path) == blob)
            ]
            self._db.executemany("UPDATE files SET committed = ? WHERE id = ?", changed)

    # Asking

    def about(self) -> dict[str, str | None]:
        with self._lock:
            return dict(self._db.execute("SELECT name, value FROM about").fetchall())

    def counts(self) -> Counts:
        with self._lock:
            files, lines = self._db.execute(
                "SELECT count(*), coalesce(sum(lines), 0) FROM files WHERE reason IS NULL"
            ).fetchone()
            return Counts(files, self._db.execute("SELECT count(*) FROM passages").fetchone()[0], lines)

    def problems(self, limit: int) -> tuple[list[tuple[str, str]], int]:
        """The first of them, and how many there are."""
        with self._lock:
            rows = self._db.execute(f"{_PROBLEMS} ORDER BY path LIMIT ?", (limit,)).fetchall()
            return rows, self._db.execute(f"SELECT count(*) FROM ({_PROBLEMS})").fetchone()[0]

    def frequencies(self, words: Sequence[str]) -> tuple[dict[str, int], int]:
        """In how many passages each word stands, and how many passages there are."""
        marks = ", ".join("?" * len(words))
        with self._lock:
            rows = self._db.execute(
                f"SELECT term, doc FROM frequencies WHERE term IN ({marks})", words
            ).fetchall()
            return dict(rows), self._db.execute("SELECT count(*) FROM passages").fetchone()[0]

    def candidates(self, words: Sequence[str]) -> Iterator[MatchedPassage]:
        if not words:
            return
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        with self._lock:
            rows = self._db.execute(
                "SELECT rowid, path, text FROM words WHERE words MATCH ? ORDER BY bm25(words, 2.0, 1.0), rowid LIMIT ?",
                (match, _RANKED),
            ).fetchall()
        wanted = frozenset(words)
        for passage, path, text in rows:
            found: dict[str, int] = {}
            there = text.split(" ")
            for word in there:
                if word in wanted:
                    found[word] = found.get(word, 0) + 1
            yield MatchedPassage(passage, found, len(there), wanted.intersection(path.split(" ")))

    def has_any(self, passage: int, words: Sequence[str]) -> bool:
        with self._lock:
            row = self._db.execute("SELECT text FROM words WHERE rowid = ?", (passage,)).fetchone()
        return row is not None and not frozenset(words).isdisjoint(row[0].split(" "))

    def place(self, passage: int) -> PassagePlace | None:
        with self._lock:
            row = self._db.execute(
                "SELECT f.path, p.first, p.last, f.mtime_ns, f.size, f.inode, f.ctime_ns, f.committed FROM passages p "
                "JOIN files f ON f.id = p.file WHERE p.id = ?",
                (passage,),
            ).fetchone()
        return None if row is None else _to_place(row)

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
            return
        with self.transaction():
            for table in _TABLES:
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _SCHEMA:
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _to_place(row: tuple[Any, ...]) -> PassagePlace:
    path, first, last, *signature, committed = row
    return PassagePlace(path, Span(first, last), Signature(*signature), bool(committed))


def index_file(folder: Path) -> Path:
    return folder / "words.db"
