"""By which names requests of a team come in, who may stand before the daemon, and what a browser shows there."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from starlette.requests import HTTPConnection
from starlette.responses import Response

from helix.access.browser_sessions import LIFE
from helix.surfaces.source import Peers

PAGE = "helix-page"
"""a header that Helix's own page sends with what changes something: no other page can, without asking first"""
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Entrance:
    hosts: Set[str]
    origins: Set[str]
    usual: str
    """the address that is told to whoever asks elsewhere"""
    peers: Peers
    is_encrypted: bool
    """whether the daemon itself serves HTTPS"""
    encrypted_hosts: Set[str] = frozenset()
    """at which a proxy serves HTTPS for it"""

    def shown_by_browser(self, connection: HTTPConnection) -> str | None:
        """The id of a session, from the cookie of the name that was given out here."""
        return connection.cookies.get(self._cookie(connection)) or None

    def give(self, connection: HTTPConnection, answer: Response, shown: str) -> None:
        self._set(connection, answer, shown, int(LIFE.total_seconds()))

    def take_back(self, connection: HTTPConnection, answer: Response) -> None:
        self._set(connection, answer, "", 0)

    def _set(self, connection: HTTPConnection, answer: Response, value: str, seconds: int) -> None:
        answer.set_cookie(
            self._cookie(connection), value, max_age=seconds, path="/", httponly=True, samesite="strict",
            secure=self._is_private(connection),
        )  # fmt: skip

    def _cookie(self, connection: HTTPConnection) -> str:
        """With the port in it: browsers keep cookies by host alone, and several daemons may be at one.

        `__Host-` has a browser take it over HTTPS alone, for this very host, so that nobody else plants one.
        """
        _, _, port = _host(connection).rpartition(":")
        name = f"helix-{port if port.isdecimal() else 'session'}"
        return f"__Host-{name}" if self._is_private(connection) else name

    def _is_private(self, connection: HTTPConnection) -> bool:
        return self.is_encrypted or _host(connection) in self.encrypted_hosts


def is_of_own_page(connection: HTTPConnection) -> bool:
    """Whether a request with a cookie is one that Helix's own page made, or reads only.

    Where it comes from was looked at already, as far as it says so (`source.check_origin`). What changes something must
    say so, and carry a header that no form and no link of another page can.
    """
    if connection.scope["method"] in _READS:
        return True
    headers = connection.headers
    says_from_where = "origin" in headers or headers.get("sec-fetch-site", "").strip() == "same-origin"
    return says_from_where and PAGE in headers


def _host(connection: HTTPConnection) -> str:
    return connection.headers.get("host", "").strip().lower()
