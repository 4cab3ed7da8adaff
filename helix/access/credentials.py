"""Users and their keys, and whether a user has a password: what each may, and for how long."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from helix.access.api_key import hash_secret, make_key
from helix.access.credentials_file import CredentialsFile
from helix.access.roles import ROLES, check_permissions, check_role
from helix.access.workspaces import MAIN, checked_name
from helix.errors import AlreadyExists, BadValue, CredentialNotFound
from helix.vault.times import format_time

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
# What is said of nobody in particular, or of the owner of the machine.
_RESERVED = frozenset({"local", "unknown", "private", "project", "team", "everyone", "nobody"})
_LONGEST_NAME = 100
_DURATION = re.compile(r"(?P<count>[1-9][0-9]{0,4})(?P<unit>[hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


@dataclass(frozen=True)
class User:
    name: str
    role: str
    created_at: str
    org: str = MAIN
    """whose workspaces they may ask for"""
    workspaces: frozenset[str] | None = None
    """of these alone; None for all that the org has"""
    has_password: bool = False
    """whether they can sign in without a key"""


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
        self.file = CredentialsFile(config_dir)

    def close(self) -> None:
        self.file.close()

    # Users

    def add_user(
        self, name: str, role: str, *, org: str = MAIN, workspaces: Iterable[str] | None = None
    ) -> User:
        """Somebody who was removed comes back under the name, without the keys that they had."""
        some = None if workspaces is None else frozenset(checked_name(one) for one in workspaces)
        user = User(checked_user_name(name), check_role(role), _now(), checked_name(org, "an org"), some)
        with self.file.writing() as db:
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
        with self.file.writing() as db:
            user, now = self._get_user(db, name), _now()
            admins = [one.name for one in self._users(db) if one.role == "admin" and one.org == user.org]
            if admins == [user.name]:
                raise BadValue(f"{user.name} is the last admin; add another one first")
            db.execute("UPDATE users SET removed_at = ?, password = NULL WHERE name = ?", (now, user.name))
            db.execute("DELETE FROM browser_sessions WHERE user = ?", (user.name,))
            return db.execute(
                "UPDATE keys SET revoked_at = ? WHERE user = ? AND revoked_at IS NULL", (now, user.name)
            ).rowcount

    def set_password(self, name: str, kept: str, *, but: str | None = None) -> int:
        """`kept` is its hash. They sign in anew wherever they were, but for one session; in how many browsers that
        was."""
        with self.file.writing() as db:
            user = self._get_user(db, name)
            db.execute("UPDATE users SET password = ? WHERE name = ?", (kept, user.name))
            return db.execute(
                "DELETE FROM browser_sessions WHERE user = ? AND name IS NOT ?", (user.name, but)
            ).rowcount

    def strengthen_password(self, name: str, before: str, kept: str) -> None:
        """The same password, hashed at a higher cost."""
        with self.file.writing(tells=False) as db:
            db.execute("UPDATE users SET password = ? WHERE name = ? AND password = ?", (kept, name, before))

    def find_password(self, name: str) -> str | None:
        """The hash of it."""
        with self.file.reading() as db:
            row = db.execute(
                "SELECT password FROM users WHERE name = ? AND removed_at IS NULL", (name,)
            ).fetchone()
        return None if row is None else row[0]

    def list_users(self) -> list[User]:
        with self.file.reading() as db:
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
        with self.file.writing() as db:
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
        with self.file.writing() as db:
            db.execute("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", (_now(), key_id))
            key = next((one for one in self._keys(db) if one.id == key_id), None)
        if key is None:
            raise CredentialNotFound(f"there is no key {key_id[:40]!r}; `helix key list` shows their ids")
        return key

    def list_keys(self) -> list[Key]:
        with self.file.reading() as db:
            return self._keys(db)

    # For whoever lets people in

    def everyone(self) -> tuple[Mapping[str, User], Mapping[str, Key]]:
        """Users and keys as they are together at one moment."""
        with self.file.reading() as db:
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
        with self.file.writing(tells=False) as db:
            db.executemany(
                "UPDATE keys SET last_used_at = ? WHERE id = ?",
                [(at, key_id) for key_id, at in times.items()],
            )

    def _users(self, db: sqlite3.Connection) -> list[User]:
        rows = db.execute(
            "SELECT name, role, created_at, org, workspaces, password IS NOT NULL FROM users "
            "WHERE removed_at IS NULL ORDER BY name"
        )
        return [
            User(name, role, created_at, org, _unlisted(workspaces), bool(has_password))
            for name, role, created_at, org, workspaces, has_password in rows
        ]

    def _get_user(self, db: sqlite3.Connection, name: str) -> User:
        user = next((one for one in self._users(db) if one.name == name), None)
        if user is None:
            raise CredentialNotFound(f"there is no user {name[:80]!r}; `helix user list` shows them")
        return user

    def _keys(self, db: sqlite3.Connection) -> list[Key]:
        return [_from_row(row) for row in db.execute("SELECT * FROM keys ORDER BY created_at, id")]


def parse_duration(text: str) -> timedelta:
    """`12h`, `30d`, `8w`."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise BadValue(f"{text[:40]!r} is no time that a key can live; give something like 12h, 30d or 8w")
    return timedelta(hours=int(found["count"]) * _HOURS[found["unit"]])


def checked_user_name(name: str) -> str:
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
