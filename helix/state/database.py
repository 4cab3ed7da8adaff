"""The SQLite files of the state folder, which anybody may delete, and a power cut damage, at any time.

Their disk may be full or read-only while that of the vault is not. Every write goes through `transaction`, which then
raises StateUnwritable and keeps in mind why, until a write succeeds: health and the answers of the verbs read it there.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from helix.errors import StateUnwritable
from helix.state.permissions import make_file, make_folder

DAMAGED = ".damaged"
_PATIENCE_MS = 10_000
_BRIEFLY_MS = 200
_ROOM = 256 * 1024
"""bytes without which it is of no use to try again"""

_DISK_REFUSES = {
    errno.ENOSPC: "its disk is full",
    errno.EDQUOT: "the quota of its disk is used up",
    errno.EROFS: "its disk is read-only",
    errno.EIO: "its disk fails",
}
_UNWRITABLE = {
    sqlite3.SQLITE_FULL: "its disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_IOERR: "its disk fails",
    sqlite3.SQLITE_CANTOPEN: "its files cannot be opened",
}


class StateDatabase(ABC):
    """One writer and many readers. Threads take `_lock` around what they read, and write in a `transaction`."""

    keeps: ClassVar[str]
    """what is not kept, or not up to date, while this file cannot be written"""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.trouble: str | None = None
        """why the last write failed; None when it did not"""
        self._lock = threading.RLock()
        with self._watched():
            self._start()

    @abstractmethod
    def _prepare(self) -> None:
        """Make the tables, where they are missing or of another version."""

    @abstractmethod
    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Remove everything that is kept of these memories; it may be asked again. False when that cannot be done now.

        Abstract, so that nobody adds a database without saying what an erasure means for it.
        """

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. One inside another is part of it."""
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            with self._watched():
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    if self.trouble is not None:
                        self._write_unwritten()
                    yield
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                        self._db.execute("ROLLBACK")
                    raise
            if self.trouble is not None:
                self.trouble = None
                self._drop_unwritten()

    def write_again(self) -> None:
        """After a write that failed: see whether one succeeds now, and make up for what was left undone."""
        if self.trouble is None:
            return
        with suppress(StateUnwritable), self.transaction():
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            self._db.execute(f"PRAGMA user_version = {version}")  # it writes, though it changes nothing

    def _write_unwritten(self) -> None:
        """Write what is kept in memory because it could not be written; part of the next transaction."""
        return

    def _drop_unwritten(self) -> None:
        """That transaction was committed."""
        return

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            if (why := _why(error)) is None:
                raise
            # SQLite calls several things an I/O error; the folder itself says it better.
            self.trouble = why_disk_refuses(self._path.parent) or why
            raise StateUnwritable(
                f"the state folder {self._path.parent} cannot be written ({self.trouble}); "
                "make room on its disk, or make it writable"
            ) from error

    def empty_log(self) -> bool:
        """What was overwritten or deleted leaves the log too. False while another process reads from the log."""
        with self._lock, self._watched():
            self._db.execute(f"PRAGMA busy_timeout={_BRIEFLY_MS}")
            try:
                is_busy, *_ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                self._db.execute(f"PRAGMA busy_timeout={_PATIENCE_MS}")
            return not is_busy

    def reopen_if_deleted(self) -> None:
        """An open database goes on in its file after that was deleted, and nobody would find it: start a new one."""
        with self._lock, self._watched():
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


def say_trouble(folder: Path, databases: Iterable[StateDatabase]) -> str | None:
    """What is wrong with the state folder, what that means and what to do; None when its files can be written."""
    troubled = [one for one in databases if one.trouble is not None]
    if not troubled:
        return None
    return (
        f"the state folder {folder} cannot be written ({troubled[0].trouble}). Not kept at the moment: "
        f"{'; '.join(dict.fromkeys(one.keeps for one in troubled))}. "
        "Make room on its disk or make it writable; Helix catches up by itself"
    )


def why_disk_refuses(folder: Path) -> str | None:
    """Why the disk of a folder takes no more; None when it does, or when it is not the disk. Leaves nothing behind."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_ROOM))
    except OSError as error:
        return _why(error)
    return None


def _why(error: Exception) -> str | None:
    """None for what says nothing of the disk: a lock, a mistake in a statement."""
    if isinstance(error, OSError):
        return _DISK_REFUSES.get(error.errno or 0)
    return _UNWRITABLE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)


def open_to_read(path: Path) -> sqlite3.Connection:
    """A database as it is, to look at: nothing is made, migrated or set aside."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
