"""The policy of a daemon for one person: programs on this machine, and Helix's own page."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from starlette.requests import HTTPConnection

from helix.access import Access, Credential
from helix.memory.principal import LOCAL, UNKNOWN
from helix.surfaces.guard import AccessRefused, Admitted
from helix.surfaces.source import check_host, check_origin, names_of

NOTHING_SHOWN = "local"


class LocalAccess:
    def __init__(self, host: str, port: int, token: Callable[[], str], *, require_token: bool) -> None:
        """`token` gives the token in force, each time anew: it may have been changed."""
        self._hosts = names_of(host, port)
        self._port = port
        self._token = token
        self._require_token = require_token

    def check_source(self, connection: HTTPConnection) -> None:
        host = check_host(connection, self._hosts, f"127.0.0.1:{self._port}")
        check_origin(connection, {f"{connection.scope['scheme']}://{host}"})

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        """The owner of the token may do everything, whatever scopes are asked for."""
        # httptools leaves white space around a value where it was.
        scheme, _, given = connection.headers.get("authorization", "").strip().partition(" ")
        if given:
            token = self._token()
            if scheme.lower() == "bearer" and is_token(given.strip(), token):
                return Admitted(LOCAL, token_name(token))
        if access.credential is Credential.ALWAYS:
            raise _unauthorized()
        if not self._require_token:
            return Admitted(LOCAL, NOTHING_SHOWN)
        if access.credential is Credential.AS_CONFIGURED:
            raise _unauthorized()
        return Admitted(UNKNOWN, NOTHING_SHOWN)


def is_token(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def token_name(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:12]


def _unauthorized() -> AccessRefused:
    return AccessRefused(
        "unauthorized", "a token is asked for here; `helix token` prints it, clients take HELIX_TOKEN"
    )
