"""Which sources are connected: SQLite, in the state folder. What is lost with it is connected again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helix.errors import BadValue
from helix.sources.limits import MOST_SOURCES
from helix.sources.source import SourceFolder
from helix.state.database import StateDatabase

_VERSION = 1


class SourceRegistry(StateDatabase):
    keeps = "which sources are connected"

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # of memories nothing is kept here

    def sources(self) -> list[SourceFolder]:
        with self._lock:
            rows = self._db.execute("SELECT * FROM sources ORDER BY rowid").fetchall()
        return [_from_row(row) for row in rows]

    def add(self, source: SourceFolder) -> None:
        with self.transaction():
            if self._db.execute("SELECT count(*) FROM sources").fetchone()[0] >= MOST_SOURCES:
                raise BadValue(f"{MOST_SOURCES} sources are connected, and no more can be; purge one first")
            self._db.execute(
                "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    source.id, source.name, str(source.folder), source.project, source.owner,
                    source.visibility, source.created_at,
                ),
            )  # fmt: skip

    def remove(self, source_id: str) -> None:
        with self.transaction():
            self._db.execute("DELETE FROM sources WHERE id = ?", (source_id,))
        self.empty_log()  # what was deleted stands in the log until that is emptied

    def _prepare(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
            return
        with self.transaction():
            self._db.execute("DROP TABLE IF EXISTS sources")
            self._db.execute(
                "CREATE TABLE sources (id TEXT PRIMARY KEY, name TEXT, folder TEXT, project TEXT, owner TEXT, "
                "visibility TEXT, created TEXT)"
            )
            self._db.execute(f"PRAGMA user_version = {_VERSION}")


def _from_row(row: tuple[Any, ...]) -> SourceFolder:
    source_id, name, folder, project, owner, visibility, created = row
    return SourceFolder(source_id, name, Path(folder), project, owner, visibility, created)
