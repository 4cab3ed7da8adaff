"""Codes for programs without a browser (RFC 8628): the program waits, and a person types the short code elsewhere."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from helix.errors import RateLimited
from helix.oauth.database import LoginDatabase
from helix.oauth.grants import Consent, Grants, Pair, insert_grant
from helix.oauth.opaque_token import DEVICE, digest_of, make_token, make_user_code

PENDING, APPROVED, DENIED, USED = "pending", "approved", "denied", "used"
PAUSE = 5.0
_SLOWER = 5.0
_SLOWEST = 60.0
_MOST_PENDING = 1000


@dataclass(frozen=True)
class Device:
    digest: str
    user_code: str
    client: str
    client_name: str
    scope: str
    resource: str
    address: str
    expires: float
    pause: float
    polled: float | None
    state: str
    grant_id: str | None


class Devices:
    def __init__(self, database: LoginDatabase, grants: Grants) -> None:
        self._database = database
        self._grants = grants

    def begin(
        self, client: str, client_name: str, scope: str, resource: str, address: str
    ) -> tuple[str, Device]:
        """The long code, for the program alone, and what is kept."""
        text, now = make_token(DEVICE), self._grants.clock()
        with self._database.writing() as db:
            db.execute("DELETE FROM devices WHERE expires < ?", (now - self._grants.times.device,))
            if (
                db.execute("SELECT count(*) FROM devices WHERE expires > ?", (now,)).fetchone()[0]
                >= _MOST_PENDING
            ):
                raise RateLimited("too many programs are waiting to be let in; ask again in a minute", 60)
            device = Device(
                digest_of(text), _unused_code(db), client, client_name, scope, resource, address,
                now + self._grants.times.device, PAUSE, None, PENDING, None,
            )  # fmt: skip
            db.execute(
                "INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                tuple(vars(device).values()),
            )
        return text, device

    def find(self, text: str) -> Device | None:
        return self._one("digest", digest_of(text))

    def find_typed(self, user_code: str) -> Device | None:
        """One that waits for a person, and no other."""
        device = self._one("user_code", user_code)
        waits = device is not None and device.state == PENDING and device.expires > self._grants.clock()
        return device if waits else None

    def poll(self, device: Device) -> bool:
        """Whether the program may ask at this moment; who asks too soon has to wait longer from now on."""
        now = self._grants.clock()
        with self._database.writing() as db:
            row = db.execute(
                "SELECT polled, pause FROM devices WHERE digest = ?", (device.digest,)
            ).fetchone()
            is_soon = row is not None and row["polled"] is not None and now - row["polled"] < row["pause"]
            db.execute(
                "UPDATE devices SET polled = ?, pause = min(pause + ?, ?) WHERE digest = ?",
                (now, _SLOWER if is_soon else 0.0, _SLOWEST, device.digest),
            )
        return not is_soon

    def decide(self, device: Device, consent: Consent | None) -> bool:
        """Approves it with a consent, denies it without one. False when somebody was faster, or it was too late."""
        now = self._grants.clock()
        with self._database.writing() as db:
            changed = db.execute(
                "UPDATE devices SET state = ? WHERE digest = ? AND state = ? AND expires > ?",
                (DENIED if consent is None else APPROVED, device.digest, PENDING, now),
            ).rowcount
            if changed and consent is not None:
                grant_id = insert_grant(db, consent, now, now + self._grants.times.refresh)
                db.execute("UPDATE devices SET grant_id = ? WHERE digest = ?", (grant_id, device.digest))
        return bool(changed)

    def redeem(self, device: Device) -> Pair | None:
        """None when it was redeemed before."""
        now = self._grants.clock()
        with self._database.writing() as db:
            changed = db.execute(
                "UPDATE devices SET state = ? WHERE digest = ? AND state = ?", (USED, device.digest, APPROVED)
            ).rowcount
            row = db.execute(
                "SELECT id, scope, ended FROM grants WHERE id = ?", (device.grant_id,)
            ).fetchone()
            if not changed or row is None or row["ended"] is not None:
                return None
            return self._grants.issue(db, row["id"], row["scope"], now)

    def _one(self, column: str, value: str) -> Device | None:
        with self._database.reading() as db:
            row = db.execute(f"SELECT * FROM devices WHERE {column} = ?", (value,)).fetchone()
        return None if row is None else Device(*tuple(row))


def _unused_code(db: sqlite3.Connection) -> str:
    while True:
        code = make_user_code()
        if db.execute("SELECT 1 FROM devices WHERE user_code = ?", (code,)).fetchone() is None:
            return code
