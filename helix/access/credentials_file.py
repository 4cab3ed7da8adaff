"""The file of who may come in: one SQLite file in the config folder, its owner's alone, and in no vault.

It is whole whenever nobody writes (a rollback journal and no log beside it), so that a copy of it is a backup. It is
never set aside and begun anew as derived data are: who may come in is not made again from anything.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helix.errors import ConfigError
from helix.state.permissions import make_file

CREDENTIALS_FILE = "credentials.db"
_VERSION = 3
_PATIENCE_MS = 5000

_TABLES = """
CREATE TABLE users (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, created_at TEXT NOT NULL, removed_at TEXT
);
CREATE TABLE keys (
    id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users (name), name TEXT NOT NULL, hash TEXT NOT NULL,
    role TEXT NOT NULL, permissions TEXT, projects TEXT, agent TEXT, connector TEXT, harness TEXT,
    created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT, last_used_at TEXT
);
"""


# What later versions added to the tables, by the version that did.
_ADDED = {
    2: """
ALTER TABLE users ADD COLUMN org TEXT NOT NULL DEFAULT 'main';
ALTER TABLE users ADD COLUMN workspaces TEXT;
ALTER TABLE keys ADD COLUMN workspaces TEXT
""",
    # A browser session of somebody who signed in with a key ends with that key. Of the ids that a browser shows, the
    # present one and the one before, hashes alone are kept.
    3: """
ALTER TABLE users ADD COLUMN password TEXT;
CREATE TABLE browser_sessions (
    name TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users (name), key TEXT REFERENCES keys (id),
    shown TEXT NOT NULL UNIQUE, shown_before TEXT UNIQUE,
    created_at TEXT NOT NULL, changed_at TEXT NOT NULL, seen_at TEXT NOT NULL
);
CREATE INDEX browser_sessions_of_user ON browser_sessions (user)
""",
}


class CredentialsFile:
    """One connection for whoever needs it: users and keys, passwords, browser sessions."""

    def __init__(self, config_dir: Path) -> None:
        self._path = config_dir / CREDENTIALS_FILE
        self._lock = threading.RLock()
        self._db = self._open()
        self._file = _file_at(self._path)
        self._changes = 0

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def version(self) -> tuple[int, int]:
        """Another one when somebody wrote, this process or another, or when there is another file in its place."""
        with self.reading():
            if _file_at(self._path) != self._file:
                self._db.close()
                self._db, self._file = self._open(), _file_at(self._path)
                self._changes += 1
            return self._changes, int(self._db.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                raise ConfigError(f"users and keys cannot be read from {self._path} ({error})") from error

    @contextmanager
    def writing(self, *, tells: bool = True) -> Iterator[sqlite3.Connection]:
        """`tells` says whether this changes who may come in: what is remembered of that is then read again."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise ConfigError(f"users and keys cannot be written to {self._path} ({error})") from error
            self._changes += tells

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            make_file(self._path)
            db = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            db.execute(f"PRAGMA busy_timeout={_PATIENCE_MS}")
            db.execute("PRAGMA journal_mode=DELETE")
            db.execute("PRAGMA synchronous=FULL")
            db.execute("PRAGMA secure_delete=ON")
            db.execute("BEGIN IMMEDIATE")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _TABLES.split(";"):
                    db.execute(statement)
            for later in range(max(version, 1) + 1, _VERSION + 1):
                for statement in _ADDED[later].split(";"):
                    db.execute(statement)
            if version < _VERSION:
                db.execute(f"PRAGMA user_version={_VERSION}")
            db.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(
                f"users and keys cannot be read from {self._path} ({error}); bring it back from a backup, or mend its "
                "permissions. Without it nobody is let in"
            ) from error
        if version > _VERSION:
            raise ConfigError(f"{self._path} was made by a later Helix; update this one")
        return db


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
