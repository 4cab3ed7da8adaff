"""The file of grants and tokens: in the config folder, its owner's alone, and in no vault.

What was answered is on the disk: a grant that was ended stays ended whatever happens to the process, and a token that
was handed out works after a restart. The file is whole whenever nobody writes, so that a copy of it is a backup.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helix.errors import ConfigError
from helix.state.permissions import make_file

LOGINS_FILE = "grants.db"
_VERSION = 1
_PATIENCE_MS = 5000

_TABLES = """
CREATE TABLE clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, origin TEXT NOT NULL, created REAL NOT NULL
);
CREATE TABLE grants (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, client TEXT NOT NULL, client_name TEXT NOT NULL, scope TEXT NOT NULL,
    resource TEXT NOT NULL, workspaces TEXT, projects TEXT, created REAL NOT NULL, expires REAL NOT NULL,
    ended REAL, why TEXT
);
CREATE TABLE codes (
    digest TEXT PRIMARY KEY, grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL, expires REAL NOT NULL, used REAL
);
CREATE TABLE tokens (
    digest TEXT PRIMARY KEY, kind TEXT NOT NULL, grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    scope TEXT NOT NULL, expires REAL NOT NULL, used REAL
);
CREATE INDEX tokens_of_grant ON tokens (grant_id);
CREATE INDEX tokens_by_end ON tokens (expires);
CREATE TABLE devices (
    digest TEXT PRIMARY KEY, user_code TEXT NOT NULL UNIQUE, client TEXT NOT NULL, client_name TEXT NOT NULL,
    scope TEXT NOT NULL, resource TEXT NOT NULL, address TEXT NOT NULL, expires REAL NOT NULL,
    pause REAL NOT NULL, polled REAL, state TEXT NOT NULL, grant_id TEXT
)
"""


class LoginDatabase:
    """One connection of this process. Others may read and write the file meanwhile."""

    def __init__(self, config_dir: Path) -> None:
        self._path = config_dir / LOGINS_FILE
        self._lock = threading.RLock()
        self._writes = 0
        self._db = self._open()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def version(self) -> tuple[int, int]:
        """Another one whenever something was written, here or by another process."""
        with self.reading() as db:
            return self._writes, int(db.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                raise ConfigError(f"grants cannot be read from {self._path} ({error})") from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and on the disk when it is left."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                    self._writes += 1
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise ConfigError(f"grants cannot be written to {self._path} ({error})") from error

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            make_file(self._path)
            db = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            db.row_factory = sqlite3.Row
            for pragma in (
                f"busy_timeout={_PATIENCE_MS}", "journal_mode=DELETE", "synchronous=FULL", "foreign_keys=ON",
                "secure_delete=ON",
            ):  # fmt: skip
                db.execute(f"PRAGMA {pragma}")
            db.execute("BEGIN IMMEDIATE")
            version = int(db.execute("PRAGMA user_version").fetchone()[0])
            if version == 0:
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version={_VERSION}")
            db.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(
                f"grants cannot be read from {self._path} ({error}); mend its permissions, or move it away: then "
                "everybody logs in again"
            ) from error
        if version > _VERSION:
            raise ConfigError(f"{self._path} was made by a later Helix; update this one")
        return db
