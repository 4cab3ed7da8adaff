"""The SQLite files of the state folder, which anybody may delete, and a power cut damage, at any time."""

from __future__ import annotations

import os
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from helix.vault.private import make_file, make_folder

DAMAGED = ".damaged"
_PATIENCE_MS = 10_000
_BRIEFLY_MS = 200


class StateDatabase(ABC):
    """One writer and many readers, autocommit. Threads take `_lock` around what they do with `_db`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._start()

    @abstractmethod
    def _prepare(self) -> None:
        """Make the tables, where they are missing or of another version."""

    @abstractmethod
    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Remove everything that is kept of these memories; it may be asked again. False when that cannot be done now.

        Abstract, so that nobody adds a database without saying what an erasure means for it.
        """

    def empty_log(self) -> bool:
        """What was overwritten or deleted leaves the log too. False while another process reads from the log."""
        with self._lock:
            self._db.execute(f"PRAGMA busy_timeout={_BRIEFLY_MS}")
            try:
                is_busy, *_ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                self._db.execute(f"PRAGMA busy_timeout={_PATIENCE_MS}")
            return not is_busy

    def reopen_if_deleted(self) -> None:
        """An open database goes on in its file after that was deleted, and nobody would find it: start a new one."""
        with self._lock:
            if _file_at(self._path) != self._file:
                self._db.close()
                self._start()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _start(self) -> None:
        try:
            self._open()
        except sqlite3.OperationalError:
            raise  # locked, not permitted, no space: nothing is wrong with the file
        except sqlite3.DatabaseError:
            for end in ("-wal", "-shm"):
                self._path.with_name(self._path.name + end).unlink(missing_ok=True)
            self._path.replace(self._path.with_name(f"{self._path.name}{DAMAGED}"))
            self._open()

    def _open(self) -> None:
        make_folder(self._path.parent)
        make_file(self._path)
        self._db = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
        self._db.execute(f"PRAGMA busy_timeout={_PATIENCE_MS}")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA secure_delete=ON")  # what was erased must not stay in free pages
        # The last rows may go with a power cut; they are made again from the notes.
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._file = _file_at(self._path)
        self._prepare()


def open_to_read(path: Path) -> sqlite3.Connection:
    """A database as it is, to look at: nothing is made, migrated or set aside."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
