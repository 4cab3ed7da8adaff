"""The notes themselves, for daemons that have no folder: of each what the catalog keeps of it, and its bytes.

A row says with which version it came, so that who has seen one version asks for what came since. What has left the
vault leaves its id behind for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from helix.index.catalog import CatalogCopy
from helix.index.postgres.connection import Cursor, storable
from helix.index.postgres.database import Database
from helix.vault.note import Note
from helix.vault.ownership import FolderRule

_AT_ONCE = 1_000


class NewNotes(NamedTuple):
    """A part of what has changed up to a version."""

    version: int
    kept: Sequence[CatalogCopy]
    gone: Sequence[str]


class SharedFile(NamedTuple):
    name: str
    data: bytes
    version: int


class NoteTable:
    """For who only reads it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def since(self, version: int) -> Iterator[NewNotes]:
        """By parts, all of them of one moment, which is that of the version that they name."""
        with self._database.reading() as cursor:
            row = cursor.execute(
                "SELECT version FROM helix.keepers WHERE vault = %s", [self._database.schema]
            ).fetchone()
            now = 0 if row is None else cast(int, row[0])
            gone = cursor.execute("SELECT id FROM gone WHERE version > %s", [version]).fetchall()
            yield NewNotes(now, [], [str(memory_id) for (memory_id,) in gone])
            cursor.execute(
                "DECLARE news NO SCROLL CURSOR FOR SELECT row FROM notes WHERE version > %s", [version]
            )
            while rows := cursor.execute(f"FETCH {_AT_ONCE} FROM news").fetchall():
                yield NewNotes(now, [_to_kept(str(row)) for (row,) in rows], [])

    def read(self, path: str) -> Note:
        """Raises FileNotFoundError, as for a file."""
        with self._database.reading() as cursor:
            row = cursor.execute("SELECT row, body FROM notes WHERE path = %s", [storable(path)]).fetchone()
        if row is None:
            raise FileNotFoundError(path)
        *_, folder = json.loads(str(row[0]))
        rule = None if folder is None else FolderRule(*folder)
        return Note.parse_leniently(path, bytes(cast(bytes, row[1])), rule)

    def shared_since(self, version: int) -> list[SharedFile]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "SELECT name, data, version FROM shared WHERE version > %s ORDER BY version", [version]
            ).fetchall()
        return [SharedFile(str(name), bytes(cast(bytes, data)), cast(int, at)) for name, data, at in rows]


def drop_notes(cursor: Cursor, memory_ids: Sequence[str], version: int) -> None:
    names = [storable(one) for one in memory_ids]
    cursor.execute(
        "WITH dropped AS (DELETE FROM notes WHERE id = ANY(%s) RETURNING id) "
        "INSERT INTO gone SELECT id, %s FROM dropped "
        "ON CONFLICT (id) DO UPDATE SET version = excluded.version",
        [names, version],
    )


def put_notes(cursor: Cursor, notes: Sequence[Note], version: int) -> None:
    cursor.execute("DELETE FROM gone WHERE id = ANY(%s)", [[storable(note.id) for note in notes]])
    with cursor.copy("COPY notes (id, path, row, body, version) FROM STDIN WITH (FORMAT binary)") as copy:
        copy.set_types(["text", "text", "text", "bytea", "int8"])
        for note in notes:
            copy.write_row(
                (storable(note.id), storable(note.path), _to_text(note), note.document.data, version)
            )


def put_shared(database: Database, name: str, data: bytes) -> None:
    with database.writing() as cursor:
        cursor.execute(
            "INSERT INTO shared VALUES (%s, %s, %s) "
            "ON CONFLICT (name) DO UPDATE SET data = excluded.data, version = excluded.version",
            [name, data, database.writes],
        )


def _to_text(note: Note) -> str:
    # Escaped, so that it can hold what PostgreSQL cannot.
    return json.dumps([*CatalogCopy.of(note), None if note.folder is None else list(note.folder)])


def _to_kept(text: str) -> CatalogCopy:
    *values, _ = json.loads(text)
    return CatalogCopy(*values)
