"""The policy of a daemon for one person: programs on this machine, and Helix's own page.

A web page that the user happens to visit can send requests to 127.0.0.1 too, directly or through a name that it
makes resolve to it. Browsers say where a request comes from; other programs send none of these headers.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from starlette.requests import HTTPConnection

from helix.access import Access, Credential
from helix.memory.principal import LOCAL, UNKNOWN
from helix.surfaces.guard import AccessRefused, Admitted

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_NOTHING_SHOWN = "local"


class LocalAccess:
    def __init__(self, host: str, port: int, token: Callable[[], str], *, require_token: bool) -> None:
        """`token` gives the token in force, each time anew: it may have been changed."""
        names = {*_NAMES, f"[{host}]" if ":" in host else host}
        self._hosts = frozenset({*(f"{name}:{port}" for name in names), *(names if port == 80 else ())})
        self._port = port
        self._token = token
        self._require_token = require_token

    def check_source(self, connection: HTTPConnection) -> None:
        host = self._check_host(connection)
        _check_origin(connection, host)

    def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        """The owner of the token may do everything, whatever scopes are asked for."""
        # httptools leaves white space around a value where it was.
        scheme, _, given = connection.headers.get("authorization", "").strip().partition(" ")
        if given:
            token = self._token()
            if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode()):
                return Admitted(LOCAL, hashlib.sha256(token.encode()).hexdigest()[:12])
        if access.credential is Credential.ALWAYS:
            raise _unauthorized()
        if not self._require_token:
            return Admitted(LOCAL, _NOTHING_SHOWN)
        if access.credential is Credential.AS_CONFIGURED:
            raise _unauthorized()
        return Admitted(UNKNOWN, _NOTHING_SHOWN)

    def _check_host(self, connection: HTTPConnection) -> str:
        hosts = {host.strip().lower() for host in connection.headers.getlist("host")}
        if len(hosts) != 1 or not hosts <= self._hosts:
            given = ", ".join(sorted(hosts))[:100]
            raise AccessRefused(
                "wrong-host", f"{given!r} is not where Helix answers; use 127.0.0.1:{self._port}"
            )
        return hosts.pop()


def _check_origin(connection: HTTPConnection, host: str) -> None:
    own = f"{connection.scope['scheme']}://{host}"
    for origin in connection.headers.getlist("origin"):
        if origin.strip().lower() != own:
            raise AccessRefused("wrong-origin", f"requests from {origin.strip()[:80]!r} are not accepted")
    for site in connection.headers.getlist("sec-fetch-site"):
        if site.strip().lower() not in ("same-origin", "none"):
            raise AccessRefused("wrong-origin", "requests from other web pages are not accepted")


def _unauthorized() -> AccessRefused:
    return AccessRefused(
        "unauthorized", "a token is asked for here; `helix token` prints it, clients take HELIX_TOKEN"
    )
