"""The pages on which a person lets a program in, and the routes that those pages ask.

The pages hold nothing: a site that sends a browser there learns nothing, and the cookie of whoever is signed in is not
even sent with such a visit. What they show they ask for themselves, as Helix's own page, and what a person decides goes
back with a ticket that was made for this browser and this request, and is good once.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from helix.access import OPEN, declare
from helix.access.audit import ALLOWED, REFUSED, Audit
from helix.access.rates import Rates
from helix.access.roles import PERMISSIONS
from helix.access.workspaces import Workspaces
from helix.errors import BadValue, Forbidden, HelixError
from helix.memory.principal import Principal
from helix.oauth.devices import Device
from helix.oauth.grants import Consent
from helix.oauth.opaque_token import parse_user_code
from helix.oauth.parameters import parse_parameters
from helix.oauth.refusal import OAuthRefused, sent_back
from helix.oauth.scopes import emit_scope
from helix.oauth.server import Asked, AuthorizationServer
from helix.surfaces.caller import principal_of
from helix.surfaces.dashboard.routes import POLICY
from helix.surfaces.guard import ADDRESS
from helix.surfaces.problems import answer, refuse

_SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_PAGE = OPEN.of_daemon().unheard().landing()
_ASKED = OPEN.of_daemon().unheard()
_LIFE = 600.0
_MOST = 1000
_LONGEST = 40
_KINDS = {"login.js": "text/javascript; charset=utf-8", "login.css": "text/css; charset=utf-8"}


@dataclass(frozen=True)
class Ticket:
    """What a person of this session is being asked, until then."""

    session: str
    user: str
    asked: Asked | Device
    until: float


class ConsentRoutes:
    def __init__(
        self, server: AuthorizationServer, workspaces: Workspaces, rates: Rates, audit: Audit
    ) -> None:
        """`audit` is that of the daemon's own workspace."""
        self._server = server
        self._workspaces = workspaces
        self._rates = rates
        self._audit = audit
        self._lock = threading.Lock()
        self._tickets: OrderedDict[str, Ticket] = OrderedDict()

    def routes(self) -> list[Route]:
        folder = files("helix.surfaces.oauth") / "static"
        parts = {name: (folder / name).read_bytes() for name in ("login.html", *_KINDS)}

        @declare(_PAGE)
        async def authorize(request: Request) -> Response:
            try:
                asked = request.scope["query_string"]
                await anyio.to_thread.run_sync(lambda: self._server.check_request(parse_parameters(asked)))
            except OAuthRefused as refused:
                return self._refused(refused)
            except HelixError as error:
                return answer(error)
            return HTMLResponse(parts["login.html"], headers=_SAFE)

        @declare(_PAGE)
        async def device(request: Request) -> Response:
            return HTMLResponse(parts["login.html"], headers=_SAFE)

        @declare(_ASKED)
        async def part(request: Request) -> Response:
            name = request.path_params["name"]
            if name not in _KINDS:
                return refuse("no-such-path", "there is nothing at this path")
            return Response(
                parts[name], headers={**_SAFE, "Content-Type": _KINDS[name], "Cache-Control": "no-cache"}
            )

        @declare(_ASKED)
        async def consent(request: Request) -> Response:
            return await self._answered(request, self._consent)

        @declare(_ASKED)
        async def decide(request: Request) -> Response:
            return await self._answered(request, self._decide)

        return [
            Route("/auth/authorize", authorize, methods=["GET"]),
            Route("/auth/device", device, methods=["GET"]),
            Route("/auth/page/{name}", part, methods=["GET"]),
            Route("/auth/consent", consent, methods=["POST"]),
            Route("/auth/decision", decide, methods=["POST"]),
        ]

    def _refused(self, refused: OAuthRefused) -> Response:
        """To the program, where it is known to be the one that asked; else only the person at the page."""
        if refused.redirect_uri is not None:
            problem = {"error": refused.error, "error_description": refused.description}
            where = sent_back(refused.redirect_uri, problem, refused.state, self._server.audience.base)
            return RedirectResponse(where, 302, headers=_SAFE)
        text = (
            "<!doctype html><meta charset=utf-8><title>Helix</title><h1>This program cannot be let in</h1>"
            f"<p>{escape(refused.description)} (<code>{escape(refused.error)}</code>)</p>"
        )
        return HTMLResponse(text, 400, headers=_SAFE)

    async def _answered(
        self, request: Request, act: Callable[[Request, Principal, dict[str, Any]], Response]
    ) -> Response:
        principal = principal_of(request.scope)
        if principal.browser_session is None or principal.user is None:
            return refuse("unauthorized", "sign in first: programs are let in by people, in a browser")
        try:
            given = await request.json()
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return refuse("bad-request", "the body is no JSON object")
        try:
            return await anyio.to_thread.run_sync(partial(act, request, principal, given))
        except OAuthRefused as refused:
            if refused.redirect_uri is None:
                return JSONResponse(refused.body(), 400)
            problem = {"error": refused.error, "error_description": refused.description}
            where = sent_back(refused.redirect_uri, problem, refused.state, self._server.audience.base)
            return JSONResponse({"location": where})
        except HelixError as error:
            return answer(error)

    def _consent(self, request: Request, principal: Principal, given: dict[str, Any]) -> Response:
        """What the person is asked: by the query of the page, or by the code that they typed."""
        if isinstance(query := given.get("query"), str):
            asked: Asked | Device = self._server.check_request(parse_parameters(query.removeprefix("?")))
        elif isinstance(typed := given.get("user_code"), str):
            asked = self._device(typed, str(request.scope[ADDRESS]), str(principal.user))
        else:
            raise BadValue("give the query of the page, or a user_code")
        if principal.agent is not None or principal.harness is not None:
            raise Forbidden("you signed in with a key that is good for one agent alone; sign in as yourself")
        scopes = self._scopes(asked, principal)
        ticket = secrets.token_urlsafe(32)
        with self._lock:
            self._tickets[ticket] = Ticket(
                str(principal.browser_session),
                str(principal.user),
                asked,
                self._server.grants.clock() + _LIFE,
            )
            while len(self._tickets) > _MOST:
                self._tickets.popitem(last=False)
        where = asked.redirect_uri if isinstance(asked, Asked) else None
        return JSONResponse(
            {
                "ticket": ticket,
                "user": principal.user,
                "client": asked.client.name if isinstance(asked, Asked) else asked.client_name,
                "client_id": asked.client.id if isinstance(asked, Asked) else asked.client,
                "sent_to": where,
                "asked_from": asked.address if isinstance(asked, Device) else None,
                "user_code": asked.user_code if isinstance(asked, Device) else None,
                "scopes": [name for name in PERMISSIONS if name in scopes],
                "resource": asked.resource,
                "workspaces": [one.name for one in self._workspaces.open_to(principal)],
                "projects": None if principal.projects is None else sorted(principal.projects),
            }
        )

    def _device(self, typed: str, address: str, user: str) -> Device:
        """Codes are short: whoever guesses, from wherever, is slowed down."""
        for who in (address, f"user {user}"):
            self._rates.check("failures", who)
        code = parse_user_code(typed)
        device = None if code is None else self._server.devices.find_typed(code)
        if device is None:
            for who in (address, f"user {user}"):
                self._rates.count("failures", who)
            raise OAuthRefused(
                "invalid_grant", "no program waits with this code; look at it again, or start anew"
            )
        return device

    def _scopes(self, asked: Asked | Device, principal: Principal) -> frozenset[str]:
        wanted = asked.scope if isinstance(asked, Asked) else frozenset(asked.scope.split())
        scopes = wanted & principal.permissions
        if not scopes:
            problem = OAuthRefused("invalid_scope", "you may do nothing of what this program asks for")
            if isinstance(asked, Asked):
                problem.redirect_uri, problem.state = asked.redirect_uri, asked.state
            raise problem
        return scopes

    def _decide(self, request: Request, principal: Principal, given: dict[str, Any]) -> Response:
        with self._lock:
            ticket = self._tickets.pop(str(given.get("ticket", "")), None)
        if ticket is None or ticket.session != principal.browser_session or ticket.user != principal.user:
            raise Forbidden(
                "this page was not made for you, or was used before; start the program's login anew"
            )
        if self._server.grants.clock() > ticket.until:
            raise Forbidden("this page is too old; start the program's login anew")
        asked, is_allowed = ticket.asked, given.get("allow")
        if not isinstance(is_allowed, bool):
            raise BadValue("allow is true or false")
        consent = self._consented(asked, principal, given) if is_allowed else None
        self._write(request, principal, asked, consent)
        if isinstance(asked, Device):
            if not self._server.devices.decide(asked, consent):
                raise OAuthRefused(
                    "expired_token", "the program does not wait any more; start its login anew"
                )
            return JSONResponse({"location": None})
        base = self._server.audience.base
        if consent is None:
            problem = {"error": "access_denied", "error_description": "the person said no"}
            return JSONResponse({"location": sent_back(asked.redirect_uri, problem, asked.state, base)})
        code = self._server.grants.grant_code(consent, asked.redirect_uri, asked.challenge)
        return JSONResponse({"location": sent_back(asked.redirect_uri, {"code": code}, asked.state, base)})

    def _consented(self, asked: Asked | Device, principal: Principal, given: dict[str, Any]) -> Consent:
        """Never more than was asked for, than whoever consents may, and than they leave of it."""
        scopes = self._scopes(asked, principal)
        if (kept := given.get("scopes")) is not None:
            if not isinstance(kept, list) or not kept or not set(kept) <= scopes:
                raise BadValue("scopes are some of those that were asked for")
            scopes = frozenset(kept)
        workspace, projects = given.get("workspace"), given.get("projects")
        offered = {listed.name for listed in self._workspaces.open_to(principal)}
        if workspace is not None and workspace not in offered:
            raise BadValue("there is no such workspace for you")
        return Consent(
            user=str(principal.user),
            client=asked.client.id if isinstance(asked, Asked) else asked.client,
            client_name=asked.client.name if isinstance(asked, Asked) else asked.client_name,
            scope=emit_scope(scopes),
            resource=asked.resource,
            workspaces=principal.workspaces if workspace is None else frozenset({workspace}),
            projects=_narrowed(projects, principal.projects),
        )

    def _write(
        self, request: Request, principal: Principal, asked: Asked | Device, consent: Consent | None
    ) -> None:
        self._audit.add(
            f"login.{REFUSED if consent is None else ALLOWED}",
            str(principal.user),
            {
                "client": asked.client.id if isinstance(asked, Asked) else asked.client,
                "scope": None if consent is None else consent.scope,
                "resource": asked.resource,
                "from": str(request.scope[ADDRESS]),
            },
        )


def _narrowed(given: object, own: frozenset[str] | None) -> frozenset[str] | None:
    """The projects that are left: those that were named, within those that the person is bound to themself."""
    if given is None or given == []:
        return own
    if not isinstance(given, list) or len(given) > _LONGEST:
        raise BadValue("projects is a list of their names")
    names = frozenset(str(name).strip() for name in given)
    if any(not name or len(name) > 200 for name in names):
        raise BadValue("projects is a list of their names")
    if own is not None and not names <= own:
        raise BadValue("you are bound to other projects than these")
    return names
