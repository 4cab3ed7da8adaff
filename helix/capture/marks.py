"""How far each transcript has been read: derived, and what is lost is read again and taken once all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helix.capture.draft import SoFar
from helix.state.database import StateDatabase

MARKS_FILE = "capture.db"


@dataclass(frozen=True)
class TranscriptMark:
    inode: int
    size: int
    touched: int
    """the size and the time of change that the file had then"""
    offset: int
    head: str
    """a digest of how the file begins: one that was rotated begins otherwise"""
    so_far: str

    def to_so_far(self) -> SoFar:
        return SoFar.from_json(self.so_far)


class Marks(StateDatabase):
    keeps = "how far the transcripts of agents have been read"

    @property
    def folder(self) -> Path:
        return self._path.parent

    def _prepare(self) -> None:
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS mark (path TEXT PRIMARY KEY, session TEXT NOT NULL, inode INTEGER NOT NULL,"
            " size INTEGER NOT NULL, touched INTEGER NOT NULL, offset INTEGER NOT NULL, head TEXT NOT NULL,"
            " so_far TEXT NOT NULL) WITHOUT ROWID"
        )

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # of memories nothing is kept

    def find(self, path: str) -> TranscriptMark | None:
        with self._lock:
            row = self._db.execute(
                "SELECT inode, size, touched, offset, head, so_far FROM mark WHERE path = ?", (path,)
            ).fetchone()
        return None if row is None else TranscriptMark(*row)

    def put(self, path: str, session: str, mark: TranscriptMark) -> None:
        with self.transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (path, session, mark.inode, mark.size, mark.touched, mark.offset, mark.head, mark.so_far),
            )

    def sessions(self) -> list[str]:
        """Of which something was read."""
        with self._lock:
            return [row[0] for row in self._db.execute("SELECT DISTINCT session FROM mark ORDER BY session")]

    def clear(self) -> None:
        with self.transaction():
            self._db.execute("DELETE FROM mark")
        self.empty_log()
