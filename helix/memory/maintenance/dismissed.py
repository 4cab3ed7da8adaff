"""What a person does not want to see again in the inbox. Keys are digests: of what they stand for nothing is kept.

Each principal dismisses for itself."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helix.memory.principal import LOCAL
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

    def of(self, owner: str) -> OwnDismissals:
        return OwnDismissals(self, owner)

    def among(self, keys: Iterable[str]) -> set[str]:
        with self._lock:
            known = {row[0] for row in self._db.execute("SELECT key FROM dismissed")}
        return known.intersection(keys)


@dataclass(frozen=True)
class OwnDismissals:
    """What one principal dismissed."""

    _dismissed: Dismissed
    _owner: str

    def add(self, key: str) -> None:
        self._dismissed.add(self._kept(key))

    def among(self, keys: Iterable[str]) -> set[str]:
        by_kept = {self._kept(key): key for key in keys}
        return {by_kept[kept] for kept in self._dismissed.among(by_kept)}

    def _kept(self, key: str) -> str:
        return key if self._owner == LOCAL.id else f"{self._owner} {key}"
