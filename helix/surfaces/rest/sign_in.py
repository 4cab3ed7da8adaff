"""The routes of a browser: signing in by password or key, signing out, here or everywhere, and who it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from helix.access import LOCAL, OPEN, declare
from helix.access.audit import ALLOWED, REFUSED, Audit
from helix.access.browser_sessions import BrowserSession, BrowserSessions
from helix.access.gate import caller_name
from helix.access.key_ring import KeyRing
from helix.access.roles import PERMISSIONS
from helix.access.sign_in import SignIn
from helix.errors import BadValue, HelixError
from helix.memory.principal import UNKNOWN, Principal
from helix.surfaces.caller import principal_of
from helix.surfaces.entrance import Entrance
from helix.surfaces.guard import ADDRESS
from helix.surfaces.problems import answer

# A password takes 64 MB while it is looked at.
_AT_ONCE = 2
_LONGEST_BODY = 16 * 1024
_PLACE_SIGNED_IN = LOCAL.of_daemon().unheard()


class BrowserRoutes:
    def __init__(
        self,
        sign_in: SignIn,
        sessions: BrowserSessions,
        ring: KeyRing,
        entrance: Entrance,
        audit: Audit,
        org: str,
    ) -> None:
        """`audit` is that of the daemon's own workspace, which is of this org."""
        self._sign_in = sign_in
        self._sessions = sessions
        self._ring = ring
        self._entrance = entrance
        self._audit = audit
        self._org = org
        self._hashing = anyio.CapacityLimiter(_AT_ONCE)

    def routes(self) -> list[Route]:
        @declare(OPEN.of_daemon().unheard())
        async def sign_in(request: Request) -> Response:
            return await self._answered(request, self._signed_in, self._hashing)

        @declare(OPEN.of_daemon().unheard())
        async def sign_out(request: Request) -> Response:
            return await self._answered(request, self._signed_out)

        @declare(_PLACE_SIGNED_IN)
        async def sign_out_everywhere(request: Request) -> Response:
            return await self._answered(request, self._signed_out_everywhere)

        @declare(_PLACE_SIGNED_IN)
        async def password(request: Request) -> Response:
            return await self._answered(request, self._password_changed, self._hashing)

        @declare(OPEN.of_daemon().unheard())
        async def whoami(request: Request) -> Response:
            return await self._answered(request, self._who)

        return [
            Route("/sign-in", sign_in, methods=["POST"]),
            Route("/sign-out", sign_out, methods=["POST"]),
            Route("/sign-out/everywhere", sign_out_everywhere, methods=["POST"]),
            Route("/password", password, methods=["POST"]),
            Route("/whoami", whoami),
        ]

    async def _answered(
        self,
        request: Request,
        route: Callable[[Request, dict[str, str]], Response],
        turn: anyio.CapacityLimiter | None = None,
    ) -> Response:
        try:
            given = await _texts(request) if request.method == "POST" else {}
            return await anyio.to_thread.run_sync(partial(route, request, given), limiter=turn)
        except HelixError as error:
            return answer(error)

    def _signed_in(self, request: Request, given: dict[str, str]) -> Response:
        address = _address(request)
        try:
            if set(given) == {"key"}:
                session, shown = self._sign_in.by_key(given["key"].strip(), address)
            elif set(given) == {"user", "password"}:
                session, shown = self._sign_in.by_password(
                    given["user"].strip().lower(), given["password"], address
                )
            else:
                raise BadValue("give user and password, or a key")
        except HelixError as error:
            # Not whom they said they are: people type their password into the wrong field.
            self._write(request, REFUSED, caller_name(UNKNOWN), error.code)
            raise
        before = principal_of(request.scope).browser_session
        if before is not None:
            self._sessions.end(before)
        principal = self._ring.signed_in(session)
        # The names of those in other orgs stay with them.
        is_of_it = principal is not None and principal.org == self._org
        self._write(request, ALLOWED, session.user if is_of_it else caller_name(UNKNOWN), None)
        done = JSONResponse(self._told(principal or UNKNOWN, session))
        self._entrance.give(request, done, shown)
        return done

    def _signed_out(self, request: Request, _: dict[str, str]) -> Response:
        name = principal_of(request.scope).browser_session
        if name is not None:
            self._sessions.end(name)
        return self._left(request, 0 if name is None else 1)

    def _signed_out_everywhere(self, request: Request, _: dict[str, str]) -> Response:
        return self._left(request, self._sessions.end_all(self._session(request).user))

    def _password_changed(self, request: Request, given: dict[str, str]) -> Response:
        if set(given) != {"before", "password"}:
            raise BadValue("give the password that it was, as `before`, and the new one, as `password`")
        session = self._session(request)
        ended = self._sign_in.change_password(session, given["before"], given["password"], _address(request))
        return JSONResponse({"user": session.user, "signed_out": ended})

    def _who(self, request: Request, _: dict[str, str]) -> Response:
        principal = principal_of(request.scope)
        session = None if principal.browser_session is None else self._session(request)
        done = JSONResponse(self._told(principal, session))
        if session is not None and self._sessions.is_due(session):
            shown = self._sessions.rotate(session)
            if shown is not None:
                self._entrance.give(request, done, shown)
        return done

    def _told(self, principal: Principal, session: BrowserSession | None) -> dict[str, Any]:
        user = None if principal.user is None else self._ring.find_user(principal.user)
        return {
            "user": principal.user,
            "role": None if user is None else user.role,
            "owner": principal.sees_everything,
            "permissions": [name for name in PERMISSIONS if principal.may(name)],
            "projects": None if principal.projects is None else sorted(principal.projects),
            "org": principal.org,
            "signed_in": None if session is None else "password" if session.key is None else "key",
            "ends_at": None if session is None else session.ends_at,
        }

    def _session(self, request: Request) -> BrowserSession:
        shown = self._entrance.shown_by_browser(request)
        session = None if shown is None else self._sessions.find(shown)
        if session is None or principal_of(request.scope).browser_session != session.name:
            raise BadValue("that is for somebody who signed in with a browser, by `POST /sign-in`")
        return session

    def _left(self, request: Request, count: int) -> Response:
        done = JSONResponse({"signed_out": count})
        self._entrance.take_back(request, done)
        return done

    def _write(self, request: Request, outcome: str, actor: str, code: str | None) -> None:
        self._audit.add(
            f"entrance.{outcome}", actor, {"route": "POST /sign-in", "from": _address(request), "code": code}
        )


def _address(request: Request) -> str:
    return str(request.scope[ADDRESS])


async def _texts(request: Request) -> dict[str, str]:
    """A body of texts; none of them is told again in an error."""
    body = await request.body()
    if not body:
        return {}
    try:
        given = None if len(body) > _LONGEST_BODY else await request.json()
    except ValueError:
        given = None
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise BadValue("the body is a JSON object of texts")
    return given
