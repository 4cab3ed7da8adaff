"""What people have granted to programs. All tokens of one grant are a family: they end together.

Every method that changes something is one transaction, and what it hands out is kept before it returns.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from helix.errors import CredentialNotFound
from helix.oauth.database import LoginDatabase
from helix.oauth.opaque_token import ACCESS, CODE, REFRESH, digest_of, make_token

# How long what has ended is kept, so that somebody may see that it was there.
_KEPT = 30 * 86400.0
_PURGE_EVERY = 600.0


@dataclass(frozen=True)
class GrantTimes:
    """In seconds."""

    access: float
    refresh: float
    code: float = 60.0
    device: float = 600.0


@dataclass(frozen=True)
class Consent:
    """What somebody agreed to."""

    user: str
    client: str
    client_name: str
    scope: str
    resource: str
    workspaces: frozenset[str] | None = None
    projects: frozenset[str] | None = None


@dataclass(frozen=True)
class Grant:
    id: str
    consent: Consent
    created: float
    expires: float
    ended: float | None
    why: str | None

    def is_open_at(self, now: float) -> bool:
        return self.ended is None and now < self.expires


@dataclass(frozen=True)
class GrantCode:
    digest: str
    grant: Grant
    redirect_uri: str
    challenge: str
    expires: float
    is_used: bool


@dataclass(frozen=True)
class Token:
    digest: str
    kind: str
    """the prefix of its text"""
    grant: Grant
    scope: str
    expires: float
    is_used: bool

    def is_valid_at(self, now: float) -> bool:
        return now < self.expires and not self.is_used and self.grant.is_open_at(now)


@dataclass(frozen=True)
class Pair:
    """What a program gets, the only time that it is seen."""

    access: str
    refresh: str
    expires_in: int
    scope: str


class Grants:
    def __init__(self, database: LoginDatabase, times: GrantTimes, clock: Callable[[], float]) -> None:
        self._database = database
        self.times = times
        self.clock = clock
        self._purged = 0.0

    # Codes

    def grant_code(self, consent: Consent, redirect_uri: str, challenge: str) -> str:
        text, now = make_token(CODE), self.clock()
        with self._database.writing() as db:
            self._purge(db, now)
            grant_id = insert_grant(db, consent, now, now + self.times.refresh)
            db.execute(
                "INSERT INTO codes VALUES (?, ?, ?, ?, ?, NULL)",
                (digest_of(text), grant_id, redirect_uri, challenge, now + self.times.code),
            )
        return text

    def find_code(self, text: str) -> GrantCode | None:
        with self._database.reading() as db:
            row = db.execute("SELECT * FROM codes WHERE digest = ?", (digest_of(text),)).fetchone()
            if row is None:
                return None
            return GrantCode(
                row["digest"], _get_grant(db, row["grant_id"]), row["redirect_uri"], row["challenge"],
                row["expires"], row["used"] is not None,
            )  # fmt: skip

    def redeem_code(self, code: GrantCode) -> Pair | None:
        """None when somebody was faster; then all that came of it has ended."""
        now = self.clock()
        with self._database.writing() as db:
            first = db.execute(
                "UPDATE codes SET used = ? WHERE digest = ? AND used IS NULL", (now, code.digest)
            ).rowcount
            if not first:
                _end(db, code.grant.id, now, "its code was shown twice")
                return None
            return self.issue(db, code.grant.id, code.grant.consent.scope, now)

    # Tokens

    def find_token(self, text: str, kind: str) -> Token | None:
        """Whatever has become of it."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT * FROM tokens WHERE digest = ? AND kind = ?", (digest_of(text), kind)
            ).fetchone()
            if row is None:
                return None
            return Token(
                row["digest"], kind, _get_grant(db, row["grant_id"]), row["scope"], row["expires"],
                row["used"] is not None,
            )  # fmt: skip

    def rotate(self, refresh: Token, scope: str) -> Pair | None:
        """New tokens for this one, which is good for nothing any more. None when it was used before: the program, or
        whoever stole it from the program, has newer ones, and all of them end."""
        now = self.clock()
        with self._database.writing() as db:
            first = db.execute(
                "UPDATE tokens SET used = ? WHERE digest = ? AND used IS NULL", (now, refresh.digest)
            ).rowcount
            if not first:
                _end(db, refresh.grant.id, now, "a refresh token was shown twice")
                return None
            row = db.execute("SELECT ended FROM grants WHERE id = ?", (refresh.grant.id,)).fetchone()
            if row is None or row["ended"] is not None:
                return None
            db.execute(
                "UPDATE grants SET expires = ? WHERE id = ?", (now + self.times.refresh, refresh.grant.id)
            )
            return self.issue(db, refresh.grant.id, scope, now)

    def issue(self, db: sqlite3.Connection, grant_id: str, scope: str, now: float) -> Pair:
        self._purge(db, now)
        access, refresh = make_token(ACCESS), make_token(REFRESH)
        whole = db.execute("SELECT scope FROM grants WHERE id = ?", (grant_id,)).fetchone()["scope"]
        db.executemany(
            "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, NULL)",
            [
                (digest_of(access), ACCESS, grant_id, scope, now + self.times.access),
                (digest_of(refresh), REFRESH, grant_id, whole, now + self.times.refresh),
            ],
        )
        return Pair(access, refresh, int(self.times.access), scope)

    # Grants

    def end(self, grant_id: str, why: str, user: str | None = None) -> Grant:
        """Ends it, of this user if one is named. Its tokens open nothing any more."""
        with self._database.writing() as db:
            row = db.execute("SELECT * FROM grants WHERE id = ?", (grant_id,)).fetchone()
            if row is None or user not in (None, row["user"]):
                raise CredentialNotFound(
                    f"there is no grant {grant_id[:40]!r}; `helix client grants` lists them"
                )
            _end(db, grant_id, self.clock(), why)
            return _get_grant(db, grant_id)

    def list_grants(self) -> list[Grant]:
        with self._database.reading() as db:
            return [_to_grant(row) for row in db.execute("SELECT * FROM grants ORDER BY created, id")]

    def is_open(self, grant_id: str) -> bool:
        with self._database.reading() as db:
            row = db.execute("SELECT * FROM grants WHERE id = ?", (grant_id,)).fetchone()
            return row is not None and _to_grant(row).is_open_at(self.clock())

    def _purge(self, db: sqlite3.Connection, now: float) -> None:
        if now - self._purged < _PURGE_EVERY:
            return
        self._purged = now
        db.execute("DELETE FROM grants WHERE coalesce(ended, expires) < ?", (now - _KEPT,))
        db.execute("DELETE FROM tokens WHERE expires < ?", (now,))
        db.execute("DELETE FROM devices WHERE expires < ?", (now - self.times.device,))
        db.execute("DELETE FROM codes WHERE used IS NULL AND expires < ?", (now,))
        # Of what nobody ever came for.
        db.execute(
            "UPDATE grants SET ended = ?, why = 'nobody came for it' WHERE ended IS NULL AND created < ? "
            "AND NOT EXISTS (SELECT 1 FROM tokens WHERE grant_id = grants.id) AND NOT EXISTS "
            "(SELECT 1 FROM codes WHERE grant_id = grants.id)",
            (now, now - self.times.device),
        )


def insert_grant(db: sqlite3.Connection, consent: Consent, now: float, expires: float) -> str:
    grant_id = f"g{secrets.token_hex(8)}"
    db.execute(
        "INSERT INTO grants VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
        (
            grant_id, consent.user, consent.client, consent.client_name, consent.scope, consent.resource,
            _listed(consent.workspaces), _listed(consent.projects), now, expires,
        ),
    )  # fmt: skip
    return grant_id


def _get_grant(db: sqlite3.Connection, grant_id: str) -> Grant:
    return _to_grant(db.execute("SELECT * FROM grants WHERE id = ?", (grant_id,)).fetchone())


def _to_grant(row: sqlite3.Row) -> Grant:
    return Grant(
        row["id"],
        Consent(
            row["user"], row["client"], row["client_name"], row["scope"], row["resource"],
            _unlisted(row["workspaces"]), _unlisted(row["projects"]),
        ),
        row["created"], row["expires"], row["ended"], row["why"],
    )  # fmt: skip


def _end(db: sqlite3.Connection, grant_id: str, now: float, why: str) -> None:
    db.execute("UPDATE grants SET ended = ?, why = ? WHERE id = ? AND ended IS NULL", (now, why, grant_id))


def _listed(names: Iterable[str] | None) -> str | None:
    return None if names is None else json.dumps(sorted(names), ensure_ascii=False)


def _unlisted(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))
