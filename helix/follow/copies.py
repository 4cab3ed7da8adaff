"""Which memories stand in several files: conflict copies, or copies that a person made.

Kept up with every commit: to look through all notes after each would take longer the more there are.
"""

from __future__ import annotations

import threading

from helix.follow.note_lane import Committed
from helix.index.catalog import Catalog, Row


class Copies:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()  # commits come from writers' threads
        self._several: set[str] | None = None
        """known at the last look, or touched since; None when all have to be looked through"""

    def committed(self, committed: Committed) -> None:
        touched = {change.memory_id for change in committed.changes}
        for path, change in committed.paths.items():
            # A copy beside the file that counts changes no memory, or ends the one that the file held before.
            if change is None or change.note is None:
                row = self._catalog.at(path)
                touched |= set() if row is None else {row.id}
        with self._lock:
            if self._several is not None:
                self._several |= touched

    def scanned(self) -> None:
        with self._lock:
            self._several = None

    def find(self) -> list[list[Row]]:
        """The files of each such memory, as far as they can be read, in the order of the ids."""
        with self._lock:
            ids = self._several
            self._several = set()  # what is committed from here on is touched again
        if ids is None:
            found = self._catalog.duplicates()
        else:
            found = {memory_id: self._readable(memory_id) for memory_id in sorted(ids)}
        groups = {memory_id: rows for memory_id, rows in found.items() if len(rows) > 1}
        with self._lock:
            if self._several is not None:
                self._several |= groups.keys()
        return list(groups.values())

    def _readable(self, memory_id: str) -> list[Row]:
        return [row for row in self._catalog.rows_of(memory_id) if not row.is_stub and not row.is_stale]
