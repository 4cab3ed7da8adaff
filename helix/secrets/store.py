"""Names and values of secrets: one SQLite file in the config folder, of all vaults, with each value encrypted.

A name is told to who may use secrets. A value leaves this file for the environment of a program and for nothing else.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from helix.errors import AlreadyExists, BadValue, ExtraMissing, SecretNotFound, SecretsUnreadable
from helix.secrets import key
from helix.state.permissions import make_file, make_folder
from helix.vault.times import format_time, utc_now

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SECRETS_FILE = "secrets.db"
SHORTEST, LONGEST = 8, 32 * 1024
"""characters of a value; a shorter one could not be kept out of what a program prints"""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_NONCE = 12
_PATIENCE = 5.0
_TABLES = """
CREATE TABLE IF NOT EXISTS keys (vault TEXT PRIMARY KEY, place TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS secrets (
    vault TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, version INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, last_used_at TEXT, PRIMARY KEY (vault, name)
);
"""


@dataclass(frozen=True)
class SecretName:
    """All that is ever told of a secret."""

    name: str
    version: int
    created_at: str
    updated_at: str
    last_used_at: str | None


class SecretStore:
    """The secrets of one vault. Opened for each question: they are rare, and a command may ask beside the daemon."""

    def __init__(self, config_dir: Path, vault_id: str) -> None:
        self._folder = config_dir
        self._path = config_dir / SECRETS_FILE
        self._vault = vault_id
        self._lock = threading.Lock()

    def names(self) -> list[SecretName]:
        if not self._path.exists():
            return []
        with self._opened() as db:
            rows = db.execute(
                "SELECT name, version, created_at, updated_at, last_used_at FROM secrets WHERE vault = ? "
                "ORDER BY name",
                (self._vault,),
            )
            return [SecretName(*row) for row in rows]

    def add(self, name: str, value: str) -> SecretName:
        """A new one; one of this name is left as it is."""
        check_name(name)
        check_value(value)
        now = format_time(utc_now())
        with self._opened(makes=True) as db:
            sealed = self._sealed(db, name, value)
            try:
                db.execute(
                    "INSERT INTO secrets VALUES (?, ?, ?, 1, ?, ?, NULL)",
                    (self._vault, name, sealed, now, now),
                )
            except sqlite3.IntegrityError:
                raise AlreadyExists(
                    f"there is a secret {name} already; `helix secret rotate {name}` gives it a new value"
                ) from None
        return SecretName(name, 1, now, now, None)

    def rotate(self, name: str, value: str) -> SecretName:
        """Another value under a name that there is."""
        check_value(value)
        with self._opened() as db:
            self._check_known(db, name)
            db.execute(
                "UPDATE secrets SET value = ?, version = version + 1, updated_at = ? WHERE vault = ? AND name = ?",
                (self._sealed(db, name, value), format_time(utc_now()), self._vault, name),
            )
        return next(one for one in self.names() if one.name == name)

    def delete(self, name: str) -> None:
        with self._opened() as db:
            self._check_known(db, name)
            db.execute("DELETE FROM secrets WHERE vault = ? AND name = ?", (self._vault, name))

    def check_known(self, names: Iterable[str]) -> None:
        with self._opened() as db:
            for name in names:
                self._check_known(db, name)

    def values(self, names: Iterable[str]) -> dict[str, str]:
        """For the environment of a program that is about to run, and for nobody else."""
        found = {}
        with self._opened() as db:
            for name in dict.fromkeys(names):
                self._check_known(db, name)
                (sealed,) = db.execute(
                    "SELECT value FROM secrets WHERE vault = ? AND name = ?", (self._vault, name)
                ).fetchone()
                found[name] = self._open(db, name, sealed)
                db.execute(
                    "UPDATE secrets SET last_used_at = ? WHERE vault = ? AND name = ?",
                    (format_time(utc_now()), self._vault, name),
                )
        return found

    def _check_known(self, db: sqlite3.Connection, name: str) -> None:
        found = db.execute("SELECT 1 FROM secrets WHERE vault = ? AND name = ?", (self._vault, name))
        if found.fetchone() is None:
            raise SecretNotFound(
                f"there is no secret {name[:130]!r}; `helix secret list` names those there are"
            )

    @contextmanager
    def _opened(self, *, makes: bool = False) -> Iterator[sqlite3.Connection]:
        """In one transaction."""
        with self._lock:
            if makes:
                make_folder(self._folder)
                make_file(self._path)
            path = str(self._path) if self._path.exists() else ":memory:"
            with closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as db:
                db.execute("PRAGMA secure_delete = ON")  # what was deleted is not left in free pages
                db.executescript(_TABLES)
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                except BaseException:
                    db.execute("ROLLBACK")
                    raise
                db.execute("COMMIT")

    def _sealed(self, db: sqlite3.Connection, name: str, value: str) -> bytes:
        import secrets

        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher(db).encrypt(nonce, value.encode(), self._bound_to(name))

    def _open(self, db: sqlite3.Connection, name: str, sealed: bytes) -> str:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher(db).decrypt(sealed[:_NONCE], sealed[_NONCE:], self._bound_to(name)).decode()
        except InvalidTag:
            raise SecretsUnreadable(
                f"the value of {name} cannot be decrypted: its key or {self._path} was exchanged; "
                f"set it again with `helix secret rotate {name}`"
            ) from None

    def _bound_to(self, name: str) -> bytes:
        """A value that is moved under another name, or into another vault, cannot be decrypted there."""
        return f"{self._vault}\0{name}".encode()

    def _cipher(self, db: sqlite3.Connection) -> AESGCM:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise ExtraMissing(
                "secrets need a cipher that is not installed: pip install 'helix-memory[secrets]'"
            ) from error
        known = db.execute("SELECT place FROM keys WHERE vault = ?", (self._vault,)).fetchone()
        if (
            known is not None
            and db.execute("SELECT 1 FROM secrets WHERE vault = ?", (self._vault,)).fetchone()
        ):
            return AESGCM(key.read_key(self._folder, cast(key.Place, known[0]), self._vault))
        place, made = key.make_key(self._folder, self._vault)
        db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?)", (self._vault, place))
        return AESGCM(made)


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name in {".", ".."}:
        raise BadValue(
            f"a secret is not called {name[:130]!r}; use letters, digits, `_`, `.` and `-`, at most 128 of them"
        )


def check_value(value: str) -> None:
    """The message never quotes it."""
    if not SHORTEST <= len(value) <= LONGEST:
        raise BadValue(
            f"a value has {SHORTEST} to {LONGEST} characters: a shorter one could not be kept out of what a "
            "program prints"
        )
    if "\0" in value:
        raise BadValue("a value holds no NUL: no program could be given it")
