"""The clients that are kept: those that an admin made, and those that registered themselves where that is on."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from helix.errors import BadValue, CredentialNotFound, RateLimited
from helix.oauth.clients import CODE_GRANT, DEVICE_GRANT, OWN, REFRESH_GRANT, OAuthClient, check_redirects
from helix.oauth.database import LoginDatabase

BY_COMMAND, BY_REGISTRATION = "command", "registration"
_LONGEST_NAME = 80
_MOST_REGISTERED = 1000
_GRANTS = frozenset({CODE_GRANT, REFRESH_GRANT, DEVICE_GRANT})


class KnownClients:
    def __init__(self, database: LoginDatabase) -> None:
        self._database = database

    def add(self, name: str, redirect_uris: Sequence[object], origin: str = BY_COMMAND) -> OAuthClient:
        client = OAuthClient(
            f"hx_client_{secrets.token_hex(8)}", checked_client_name(name), check_redirects(redirect_uris),
            _GRANTS, origin, datetime.now(UTC).timestamp(),
        )  # fmt: skip
        with self._database.writing() as db:
            count = db.execute(
                "SELECT count(*) FROM clients WHERE origin = ?", (BY_REGISTRATION,)
            ).fetchone()[0]
            if origin == BY_REGISTRATION and count >= _MOST_REGISTERED:
                raise RateLimited("too many programs have registered; an admin can remove some", 3600)
            db.execute(
                "INSERT INTO clients VALUES (?, ?, ?, ?, ?)",
                (client.id, client.name, json.dumps(client.redirect_uris), origin, client.created),
            )
        return client

    def find(self, client_id: str) -> OAuthClient | None:
        if client_id in OWN:
            return OWN[client_id]
        with self._database.reading() as db:
            row = db.execute("SELECT * FROM clients WHERE id = ?", (client_id,)).fetchone()
        return None if row is None else _to_client(row)

    def list_all(self) -> list[OAuthClient]:
        with self._database.reading() as db:
            return [_to_client(row) for row in db.execute("SELECT * FROM clients ORDER BY created, id")]

    def remove(self, client_id: str) -> OAuthClient:
        """What people granted to it ends with it."""
        client, now = self.find(client_id), datetime.now(UTC).timestamp()
        if client is None or client.id in OWN:
            raise CredentialNotFound(f"there is no client {client_id[:80]!r}; `helix client list` shows them")
        with self._database.writing() as db:
            db.execute("DELETE FROM clients WHERE id = ?", (client_id,))
            db.execute(
                "UPDATE grants SET ended = ?, why = 'its program was removed' WHERE client = ? AND ended IS NULL",
                (now, client_id),
            )
        return client


def checked_client_name(name: str) -> str:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadValue(f"the name of a client is one line of at most {_LONGEST_NAME} characters")
    return name.strip()


def _to_client(row: sqlite3.Row) -> OAuthClient:
    uris = tuple(json.loads(row["redirect_uris"]))
    return OAuthClient(row["id"], row["name"], uris, _GRANTS, row["origin"], row["created"])
