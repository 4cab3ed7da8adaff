"""The policy of a daemon for several people: whoever shows a valid key, or signed in with a browser, and the owner of
this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import anyio
import anyio.to_thread
from starlette.requests import HTTPConnection

from helix.access import Access, Credential
from helix.access.api_key import PREFIX, SPELLINGS
from helix.access.audit import Audit
from helix.access.browser_sessions import BrowserSessions
from helix.access.gate import caller_name
from helix.access.key_ring import KeyRing
from helix.access.rates import Rates
from helix.errors import RateLimited
from helix.memory.principal import LOCAL, UNKNOWN
from helix.oauth.opaque_token import ACCESS, REFRESH
from helix.surfaces.entrance import PAGE, Entrance, is_of_own_page
from helix.surfaces.guard import AccessRefused, Admitted
from helix.surfaces.local_access import NOTHING_SHOWN, is_token, token_name
from helix.surfaces.oauth.login_access import LoginAccess
from helix.surfaces.source import check_host, check_origin

# Clients that are given "Bearer hx_sk_…" as the key put another word before it.
_SCHEME = re.compile(r"(?:bearer\s+)+", re.IGNORECASE)
# A short beginning is found in words, too.
_IN_ADDRESS = re.compile(
    "|".join(
        [
            PREFIX,
            ACCESS,
            REFRESH,
            "access_token=",
            *(f"{begin}[0-9a-f]{{16}}" for begin in SPELLINGS.values()),
        ]
    ).encode()
)
# Proving a key takes a core for 50 ms, and 16 MB.
_PROVED_AT_ONCE = 2


class TeamAccess:
    def __init__(
        self,
        entrance: Entrance,
        ring: KeyRing,
        sessions: BrowserSessions,
        token: Callable[[], str],
        rates: Rates,
        audit: Audit,
        *,
        trusts_this_machine: bool,
        logins: LoginAccess | None = None,
    ) -> None:
        """`token` is that of the owner of this machine, and good on this machine alone; with `trusts_this_machine` it
        is not asked for there. `logins` knows the tokens of programs that were let in."""
        self._entrance = entrance
        self._ring = ring
        self._sessions = sessions
        self._token = token
        self._rates = rates
        self._audit = audit
        self._trusts_this_machine = trusts_this_machine
        self._logins = logins
        self._proving = anyio.CapacityLimiter(_PROVED_AT_ONCE)

    def check_source(self, connection: HTTPConnection) -> None:
        entrance = self._entrance
        host = check_host(connection, entrance.hosts, entrance.usual)
        check_origin(connection, {*entrance.origins, f"{connection.scope['scheme']}://{host}"})
        if not entrance.is_encrypted and not entrance.peers.is_expected(connection):
            raise AccessRefused("wrong-host", f"come in by {entrance.usual}: here nothing is encrypted")
        if _IN_ADDRESS.search(connection.scope["query_string"]):
            raise AccessRefused(
                "bad-request",
                "a credential stands in the address, and addresses are written into logs: revoke it, and show the "
                "next one as `Authorization: Bearer …`",
            )

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        peers = self._entrance.peers
        is_here, address = peers.is_here(connection), peers.address(connection)
        try:
            if not is_here:
                self._rates.count("address", address)
            return replace(await self._identify(connection, access, is_here, address), address=address)
        except RateLimited as limited:
            raise AccessRefused(limited.code, limited.message, retry_after=limited.retry_after) from limited

    async def _identify(
        self, connection: HTTPConnection, access: Access, is_here: bool, address: str
    ) -> Admitted:
        shown = _shown(connection)
        if shown is not None:
            admitted = await self._admit(connection, shown, address)
            if admitted is not None:
                return admitted
        elif (admitted := self._signed_in(connection)) is not None:
            return admitted
        elif self._trusts_this_machine and is_here and access.credential is not Credential.ALWAYS:
            return Admitted(LOCAL, NOTHING_SHOWN)
        if access.credential is Credential.NEVER:
            return Admitted(UNKNOWN, NOTHING_SHOWN)
        if shown is not None:
            self._write(connection, address)
        raise self._unauthorized(connection, shown)

    def _signed_in(self, connection: HTTPConnection) -> Admitted | None:
        """By the cookie of a browser, which sends it along with whatever is asked for."""
        shown = self._entrance.shown_by_browser(connection)
        session = None if shown is None else self._sessions.find(shown)
        principal = None if session is None else self._ring.signed_in(session)
        if principal is None:
            return None
        if not is_of_own_page(connection):
            raise AccessRefused(
                "wrong-origin",
                f"with a cookie, only Helix's own page changes anything: it sends {PAGE.title()}, and programs a key",
            )
        return Admitted(principal, f"user {principal.user}")

    def _unauthorized(self, connection: HTTPConnection, shown: str | None) -> AccessRefused:
        """With where a program learns how to log in."""
        refused = _unauthorized(shown)
        if self._logins is not None:
            refused.challenge = dict(
                self._logins.challenge(connection.scope["path"], is_shown=shown is not None)
            )
            if shown is not None and self._logins.is_for(shown):
                refused.message = (
                    "this access token opens nothing here: it has expired, was revoked, or is for another address. "
                    "Log in again; with the command that is `helix login`"
                )
        return refused

    async def _admit(self, connection: HTTPConnection, shown: str, address: str) -> Admitted | None:
        if self._logins is not None and self._logins.is_for(shown):
            self._rates.check("failures", address)
            admitted = await self._logins.admit(connection, shown)
            if admitted is None:
                self._rates.count("failures", address)
            return admitted
        if self._entrance.peers.is_direct(connection) and is_token(shown, token := self._token()):
            return Admitted(LOCAL, token_name(token))
        holder = self._ring.recognize(shown)
        if holder is None:
            self._rates.check("failures", address)
            holder = await anyio.to_thread.run_sync(self._ring.prove, shown, limiter=self._proving)
            if holder is None:
                self._rates.count("failures", address)
        # What is open for somebody (a session of MCP) is theirs, with whichever of their keys they come.
        return None if holder is None else Admitted(holder.principal, f"user {holder.principal.user}")

    def _write(self, connection: HTTPConnection, address: str) -> None:
        """Of somebody who was not let in, so that it is not known to which workspace they wanted: what kind of thing
        they asked for, and no id."""
        path = connection.scope["path"].removeprefix(connection.scope.get("root_path", "")).split("/")
        route = f"{connection.scope['method']} {'/'.join(path[:2])[:80]}{'/…' if len(path) > 2 else ''}"
        self._audit.add(
            "entrance.refused",
            caller_name(UNKNOWN),
            {"route": route, "from": address, "code": "unauthorized"},
        )


def _shown(connection: HTTPConnection) -> str | None:
    """The credential of a request, in either of the headers in which clients send one."""
    found = {
        _SCHEME.sub("", value.strip(), count=1).strip()
        for name in ("authorization", "x-api-key")
        for value in connection.headers.getlist(name)
    }
    if len(found) > 1:
        raise AccessRefused("unauthorized", "two different credentials are shown; send one")
    return found.pop() if found else None


def _unauthorized(shown: str | None) -> AccessRefused:
    if shown is None:
        return AccessRefused(
            "unauthorized",
            "a key is asked for here: send `Authorization: Bearer hx_sk_…`. An admin makes one with "
            "`helix key create`; clients take it as HELIX_TOKEN",
        )
    return AccessRefused(
        "unauthorized", "this key is not valid here: mistyped, revoked or expired. An admin can make another"
    )
