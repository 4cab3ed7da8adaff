"""Small files beside the vault that daemons without a folder need too: noticed when they change, and read whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

CREDENTIALS = "credentials.db"
"""who may come in (`helix.access.credentials`), with the hashes of keys"""


class ChangedFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None

    def read(self) -> bytes | None:
        """None as long as it is as it was, or is not there."""
        try:
            info = self._path.stat()
            seen = (info.st_mtime_ns, info.st_ino, info.st_size)
            if seen == self._seen:
                return None
            data = _of_database(self._path) if self._path.suffix == ".db" else self._path.read_bytes()
        except (OSError, sqlite3.Error):
            return None  # there is none, or somebody writes it: the next look sees it
        self._seen = seen
        return data


def _of_database(path: Path) -> bytes:
    """As it is between two writes."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        return database.serialize()
