"""What a person does not want to see again in the inbox. Keys are digests: of what they stand for nothing is kept."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from helix.state.database import StateDatabase

_KEPT = 5_000


class Dismissed(StateDatabase):
    keeps = "what was dismissed from the inbox"

    def _prepare(self) -> None:
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS dismissed (key TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID"
        )

    def erase(self, memory_ids: Sequence[str]) -> bool:
        return True  # of what a key stands for nothing is kept

    def add(self, key: str) -> None:
        with self.transaction():
            self._db.execute("INSERT OR REPLACE INTO dismissed VALUES (?, ?)", (key, time.time()))
            self._db.execute(
                "DELETE FROM dismissed WHERE key NOT IN (SELECT key FROM dismissed ORDER BY at DESC LIMIT ?)",
                (_KEPT,),
            )

    def among(self, keys: Iterable[str]) -> set[str]:
        with self._lock:
            known = {row[0] for row in self._db.execute("SELECT key FROM dismissed")}
        return known.intersection(keys)
