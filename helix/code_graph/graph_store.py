"""The graph of one source: SQLite beside its words. Each file has rows of its own, and no row speaks of another file.

What a mention means is worked out when somebody asks, by name; so one changed file costs that file alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from helix.code_graph.languages import find_language
from helix.code_graph.parse import is_installed, parse
from helix.code_graph.parsed import ParsedFile
from helix.state.database import StateDatabase

# Another number means another graph: it is dropped and made again from the files, never migrated.
SCHEMA_VERSION = 2
_SCHEMA = (
    """CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT, module TEXT, tail TEXT,
    lines INTEGER, is_test INTEGER, has_errors INTEGER)""",
    "CREATE INDEX files_tail ON files (tail)",
    """CREATE TABLE symbols (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
    kind TEXT, container TEXT, first INTEGER, last INTEGER, is_test INTEGER, is_local INTEGER)""",
    "CREATE INDEX symbols_name ON symbols (name)",
    "CREATE INDEX symbols_folded ON symbols (folded)",
    "CREATE INDEX symbols_file ON symbols (file)",
    """CREATE TABLE mentions (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, within INTEGER, name TEXT NOT NULL,
    kind TEXT, line INTEGER, stands_on TEXT, type TEXT, module TEXT, via TEXT)""",
    "CREATE INDEX mentions_name ON mentions (name)",
    "CREATE INDEX mentions_file ON mentions (file)",
    """CREATE TABLE imports (file INTEGER NOT NULL, module TEXT, tail TEXT, name TEXT, local TEXT, line INTEGER,
    is_passed_on INTEGER)""",
    "CREATE INDEX imports_file ON imports (file)",
    "CREATE INDEX imports_tail ON imports (tail)",
)
_TABLES = ("files", "symbols", "mentions", "imports")
_SYMBOL = """SELECT s.id, s.file, f.path, f.language, f.module, s.name, s.kind, s.container, s.first, s.last,
    s.is_test OR f.is_test, s.is_local FROM symbols s JOIN files f ON f.id = s.file"""
_MENTION = """SELECT m.id, m.file, f.path, f.language, f.module, f.is_test, m.within, m.name, m.kind, m.line,
    m.stands_on, m.type, m.module, m.via FROM mentions m JOIN files f ON f.id = m.file"""


class KnownSymbol(NamedTuple):
    id: int
    file: int
    path: str
    language: str
    module: str
    name: str
    kind: str
    container: str
    first: int
    last: int
    is_test: int
    is_local: int

    @property
    def qualified(self) -> str:
        return f"{self.container}.{self.name}" if self.container else self.name


class Mention(NamedTuple):
    id: int
    file: int
    path: str
    language: str
    file_module: str
    in_test: int
    within: int | None
    name: str
    kind: str
    line: int
    on: str
    type: str
    module: str
    via: str


class KnownFile(NamedTuple):
    id: int
    path: str
    language: str
    module: str
    lines: int
    is_test: int


class KnownImport(NamedTuple):
    file: int
    module: str
    name: str
    local: str
    line: int
    is_passed_on: int


class CodeGraph(StateDatabase):
    keeps = "what code says of itself"

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # of memories nothing is kept here

    # Taking in

    def known(self) -> set[str]:
        with self._lock:
            return {path for (path,) in self._db.execute("SELECT path FROM files").fetchall()}

    def wants(self, path: str) -> bool:
        return find_language(path) is not None and is_installed()

    def put(self, path: str, text: str) -> None:
        if not self.wants(path):
            self.drop([path])
            return
        if (parsed := parse(path, text)) is not None:
            with self.transaction():
                self.drop([path])
                self._put(path, parsed)

    def drop(self, paths: Iterable[str]) -> None:
        with self.transaction():
            for path in paths:
                row = self._db.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
                if row is not None:
                    for table in ("symbols", "mentions", "imports"):
                        self._db.execute(f"DELETE FROM {table} WHERE file = ?", row)
                    self._db.execute("DELETE FROM files WHERE id = ?", row)

    def clear(self) -> None:
        with self.transaction():
            for table in _TABLES:
                self._db.execute(f"DELETE FROM {table}")

    def _put(self, path: str, parsed: ParsedFile) -> None:
        file_id = self._db.execute(
            "INSERT INTO files (path, language, module, tail, lines, is_test, has_errors) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                path, parsed.language, parsed.module, tail_of(parsed.module), parsed.lines, parsed.is_test,
                parsed.has_errors,
            ),
        ).lastrowid  # fmt: skip
        ids: list[int | None] = []
        for symbol in parsed.symbols:
            done = self._db.execute(
                "INSERT INTO symbols (file, name, folded, kind, container, first, last, is_test, is_local) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    file_id, symbol.name, symbol.name.casefold(), symbol.kind, symbol.container, symbol.first,
                    symbol.last, symbol.is_test, symbol.is_local,
                ),
            )  # fmt: skip
            ids.append(done.lastrowid)
        self._db.executemany(
            "INSERT INTO mentions (file, within, name, kind, line, stands_on, type, module, via) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    file_id, ids[mention.within] if mention.within >= 0 else None, mention.name, mention.kind,
                    mention.line, mention.on, mention.type, mention.module, mention.via,
                )
                for mention in parsed.references
            ],
        )  # fmt: skip
        self._db.executemany(
            "INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    file_id, found.module, tail_of(found.module), found.name, found.local, found.line,
                    found.is_passed_on,
                )
                for found in parsed.imports
            ],
        )  # fmt: skip

    # Asking

    def counts(self) -> tuple[int, int]:
        """Files and symbols."""
        with self._lock:
            files = self._db.execute("SELECT count(*) FROM files").fetchone()[0]
            return files, self._db.execute("SELECT count(*) FROM symbols").fetchone()[0]

    def files(self) -> list[KnownFile]:
        return [
            KnownFile(*row)
            for row in self._rows("SELECT id, path, language, module, lines, is_test FROM files")
        ]

    def has_file(self, path: str) -> bool:
        return bool(self._rows("SELECT 1 FROM files WHERE path = ?", path))

    def has_files_beside(self, path: str) -> bool:
        """In the same folder, or below it."""
        folder = f"{path.rpartition('/')[0]}/".removeprefix("/")
        return bool(
            self._rows("SELECT 1 FROM files WHERE substr(path, 1, ?) = ? LIMIT 1", len(folder), folder)
        )

    def symbols(self, where: str, *values: object) -> list[KnownSymbol]:
        """`where` is a condition of ours."""
        return [KnownSymbol(*row) for row in self._rows(f"{_SYMBOL} WHERE {where}", *values)]

    def symbol(self, symbol_id: int) -> KnownSymbol | None:
        return next(iter(self.symbols("s.id = ?", symbol_id)), None)

    def symbols_with(self, ids: Iterable[int]) -> list[KnownSymbol]:
        return self.symbols("s.id IN (SELECT value FROM json_each(?))", json.dumps([*ids]))

    def mentions_of(self, name: str) -> Iterator[Mention]:
        yield from (
            Mention(*row) for row in self._rows(f"{_MENTION} WHERE m.name = ? ORDER BY f.path, m.line", name)
        )

    def mentions_in(self, symbols: Sequence[KnownSymbol]) -> list[Mention]:
        """Those that stand within any of these symbols, or anywhere in the file of them."""
        ids = {symbol.file for symbol in symbols}
        marks = ", ".join("?" * len(ids))
        return [Mention(*row) for row in self._rows(f"{_MENTION} WHERE m.file IN ({marks})", *ids)]

    def imports(self, file: int | None = None) -> list[KnownImport]:
        text = "SELECT file, module, name, local, line, is_passed_on FROM imports"
        rows = self._rows(text) if file is None else self._rows(f"{text} WHERE file = ?", file)
        return [KnownImport(*row) for row in rows]

    def files_with_tail(self, tail: str) -> list[KnownFile]:
        text = "SELECT id, path, language, module, lines, is_test FROM files WHERE tail = ?"
        return [KnownFile(*row) for row in self._rows(text, tail)]

    def bases(self) -> list[tuple[str, str]]:
        """By the names of classes, what each is made of."""
        return self._rows(
            "SELECT s.name, m.name FROM mentions m JOIN symbols s ON s.id = m.within WHERE m.kind = 'extends'"
        )

    def version(self) -> int:
        """Another number after each change."""
        with self._lock:
            return (
                int(self._db.execute("PRAGMA data_version").fetchone()[0]) * 1_000_003
                + self._db.total_changes
            )

    def _rows(self, text: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(text, values).fetchall()

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
            return
        with self.transaction():
            for table in _TABLES:
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _SCHEMA:
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def tail_of(module: str) -> str:
    return module.rpartition("/")[2]


def graph_file(folder: Path) -> Path:
    return folder / "code.db"
