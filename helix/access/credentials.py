"""Users and their keys: one SQLite file in the config folder, its owner's alone, and in no vault.

The file is whole whenever nobody writes (a rollback journal and no log beside it), so that a copy of it is a backup.
It is never set aside and begun anew as derived data are: who may come in is not made again from anything.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from helix.access.api_key import hash_secret, make_key
from helix.access.roles import ROLES, check_permissions, check_role
from helix.access.workspaces import MAIN, checked_name
from helix.errors import AlreadyExists, BadValue, ConfigError, CredentialNotFound
from helix.state.permissions import make_file
from helix.vault.times import format_time

CREDENTIALS_FILE = "credentials.db"
_VERSION = 2
_PATIENCE_MS = 5000
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
# What is said of nobody in particular, or of the owner of the machine.
_RESERVED = frozenset({"local", "unknown", "private", "project", "team", "everyone", "nobody"})
_LONGEST_NAME = 100
_DURATION = re.compile(r"(?P<count>[1-9][0-9]{0,4})(?P<unit>[hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}

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
}


@dataclass(frozen=True)
class User:
    name: str
    role: str
    created_at: str
    org: str = MAIN
    """whose workspaces they may ask for"""
    workspaces: frozenset[str] | None = None
    """of these alone; None for all that the org has"""


@dataclass(frozen=True)
class KeyBounds:
    """What a key is narrower in than its user. None bounds nothing."""

    permissions: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    agent: str | None = None
    connector: str | None = None
    harness: str | None = None
    workspaces: frozenset[str] | None = None


@dataclass(frozen=True)
class Key:
    id: str
    user: str
    name: str
    """what a person calls it"""
    hash: str
    role: str
    bounds: KeyBounds
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None

    def allowed(self, user_role: str) -> frozenset[str]:
        """What it is good for: never more than its user may do now."""
        allowed = ROLES[user_role] & ROLES[self.role]
        return allowed if self.bounds.permissions is None else allowed & self.bounds.permissions

    def is_valid_at(self, now: str) -> bool:
        """Times are all written alike, so that they compare as texts."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class Credentials:
    def __init__(self, config_dir: Path) -> None:
        self._path = config_dir / CREDENTIALS_FILE
        self._lock = threading.RLock()
        self._db = self._open()
        self._file = _file_at(self._path)
        self._replaced = 0

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # Users

    def add_user(
        self, name: str, role: str, *, org: str = MAIN, workspaces: Iterable[str] | None = None
    ) -> User:
        """Somebody who was removed comes back under the name, without the keys that they had."""
        some = None if workspaces is None else frozenset(checked_name(one) for one in workspaces)
        user = User(_checked_name(name), check_role(role), _now(), checked_name(org, "an org"), some)
        with self._writing() as db:
            known = db.execute("SELECT removed_at FROM users WHERE name = ?", (user.name,)).fetchone()
            if known is not None and known[0] is None:
                raise AlreadyExists(f"there is a user {user.name} already")
            db.execute(
                "INSERT INTO users (name, role, created_at, org, workspaces) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET role = excluded.role, created_at = excluded.created_at, "
                "removed_at = NULL, org = excluded.org, workspaces = excluded.workspaces",
                (user.name, user.role, user.created_at, user.org, _listed(user.workspaces)),
            )
        return user

    def remove_user(self, name: str) -> int:
        """Their keys open nothing any more; how many those were. What they wrote stays."""
        with self._writing() as db:
            user, now = self._get_user(db, name), _now()
            admins = [one.name for one in self._users(db) if one.role == "admin" and one.org == user.org]
            if admins == [user.name]:
                raise BadValue(f"{user.name} is the last admin; add another one first")
            db.execute("UPDATE users SET removed_at = ? WHERE name = ?", (now, user.name))
            return db.execute(
                "UPDATE keys SET revoked_at = ? WHERE user = ? AND revoked_at IS NULL", (now, user.name)
            ).rowcount

    def list_users(self) -> list[User]:
        with self._reading() as db:
            return self._users(db)

    # Keys

    def create_key(
        self,
        user_name: str,
        *,
        name: str = "",
        role: str | None = None,
        bounds: KeyBounds | None = None,
        expires_in: str | None = None,
    ) -> tuple[Key, str]:
        """The key and its text, which is kept nowhere."""
        bounds, made = bounds or KeyBounds(), make_key()
        if len(name) > _LONGEST_NAME or not name.isprintable():
            raise BadValue(f"the name of a key is one line of at most {_LONGEST_NAME} characters")
        with self._writing() as db:
            user = self._get_user(db, user_name)
            role = check_role(role or user.role)
            wanted = ROLES[role] if bounds.permissions is None else check_permissions(bounds.permissions)
            if more := sorted(wanted - (ROLES[role] & ROLES[user.role])):
                narrower = role if ROLES[role] < ROLES[user.role] else user.role
                raise BadValue(f"a key of {user.name} cannot be good for {more[0]!r}: {_spoken(narrower)}")
            if (of_user := user.workspaces) is not None and (
                more := sorted((bounds.workspaces or of_user) - of_user)
            ):
                raise BadValue(
                    f"a key of {user.name} cannot open {more[0]!r}: they may use {', '.join(sorted(of_user))}"
                )
            key = Key(
                made.id, user.name, name, hash_secret(made.secret), role, bounds,
                _now(), None if expires_in is None else _now(parse_duration(expires_in)), None, None,
            )  # fmt: skip
            db.execute("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _to_row(key))
        return key, made.text

    def revoke_key(self, key_id: str) -> Key:
        with self._writing() as db:
            db.execute("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (_now(), key_id))
            key = next((one for one in self._keys(db) if one.id == key_id), None)
        if key is None:
            raise CredentialNotFound(f"there is no key {key_id[:40]!r}; `helix key list` shows their ids")
        return key

    def list_keys(self) -> list[Key]:
        with self._reading() as db:
            return self._keys(db)

    # For whoever lets people in

    def version(self) -> tuple[int, int]:
        """Another one when another process wrote, or when there is another file in its place."""
        with self._reading():
            if _file_at(self._path) != self._file:
                self._db.close()
                self._db, self._file = self._open(), _file_at(self._path)
                self._replaced += 1
            return self._replaced, int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def everyone(self) -> tuple[Mapping[str, User], Mapping[str, Key]]:
        """Users and keys as they are together at one moment."""
        with self._reading() as db:
            db.execute("BEGIN")
            try:
                return (
                    {user.name: user for user in self._users(db)},
                    {key.id: key for key in self._keys(db)},
                )
            finally:
                db.execute("COMMIT")

    def used(self, times: Mapping[str, str]) -> None:
        """When keys were last shown, by their ids."""
        with self._writing() as db:
            db.executemany(
                "UPDATE keys SET last_used_at = ? WHERE id = ?",
                [(at, key_id) for key_id, at in times.items()],
            )

    def _users(self, db: sqlite3.Connection) -> list[User]:
        rows = db.execute(
            "SELECT name, role, created_at, org, workspaces FROM users WHERE removed_at IS NULL ORDER BY name"
        )
        return [
            User(name, role, created_at, org, _unlisted(workspaces))
            for name, role, created_at, org, workspaces in rows
        ]

    def _get_user(self, db: sqlite3.Connection, name: str) -> User:
        user = next((one for one in self._users(db) if one.name == name), None)
        if user is None:
            raise CredentialNotFound(f"there is no user {name[:80]!r}; `helix user list` shows them")
        return user

    def _keys(self, db: sqlite3.Connection) -> list[Key]:
        return [_from_row(row) for row in db.execute("SELECT * FROM keys ORDER BY created_at, id")]

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

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                raise ConfigError(f"users and keys cannot be read from {self._path} ({error})") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
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


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def parse_duration(text: str) -> timedelta:
    """`12h`, `30d`, `8w`."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise BadValue(f"{text[:40]!r} is no time that a key can live; give something like 12h, 30d or 8w")
    return timedelta(hours=int(found["count"]) * _HOURS[found["unit"]])


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadValue(
            f"{name[:80]!r} cannot be the name of a user; it has 1 to 64 of a-z, 0-9, dot, dash and underscore"
        )
    if name in _RESERVED:
        raise BadValue(f"{name!r} has a meaning of its own in Helix; choose another name")
    return name


def _spoken(role: str) -> str:
    return f"{role} may {' '.join(sorted(ROLES[role]))}"


def _now(later: timedelta = timedelta(0)) -> str:
    return format_time(datetime.now(UTC) + later)


def _to_row(key: Key) -> tuple[str | None, ...]:
    bounds = key.bounds
    return (
        key.id, key.user, key.name, key.hash, key.role, _listed(bounds.permissions), _listed(bounds.projects),
        bounds.agent, bounds.connector, bounds.harness, key.created_at, key.expires_at, key.revoked_at,
        key.last_used_at, _listed(bounds.workspaces),
    )  # fmt: skip


def _from_row(row: tuple[str, ...]) -> Key:
    key_id, user, name, kept, role, permissions, projects, agent, connector, harness, *times, workspaces = row
    bounds = KeyBounds(
        _unlisted(permissions), _unlisted(projects), agent, connector, harness, _unlisted(workspaces)
    )
    return Key(key_id, user, name, kept, role, bounds, *times)


def _listed(names: Iterable[str] | None) -> str | None:
    return None if names is None else json.dumps(sorted(names), ensure_ascii=False)


def _unlisted(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))
