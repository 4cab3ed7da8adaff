"""For a team: what a route asks of a key, and requests for what is no verb: counted and written down by their route."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.access import Credential
from helix.access.audit import ALLOWED, FAILED, REFUSED
from helix.access.gate import caller_name
from helix.access.rates import Rates, class_of_permission
from helix.errors import Forbidden, RateLimited
from helix.surfaces.caller import principal_of
from helix.surfaces.doors import find_doors
from helix.surfaces.guard import ADDRESS, access_in, chosen_route
from helix.surfaces.problems import answer

_ABOUT = "helix.audit_about"


def tell_audit(scope: Scope, about: list[str]) -> None:
    """What a request is about, where its path alone does not say so."""
    scope[_ABOUT] = about


class RoutePermissions:
    """Inside the guard, and before a body is read: whether whoever asks may what the route says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            principal = principal_of(scope)
            if missing := sorted(name for name in access_in(scope).scopes if not principal.may(name)):
                write_route(scope, REFUSED, Forbidden.code)
                await answer(Forbidden.of(missing[0]))(scope, receive, send)
                return
        await self._app(scope, receive, send)


class OtherRoutes:
    """Inside the guard. Verbs and tools are looked after where they are called (`access.gate`)."""

    def __init__(self, app: ASGIApp, rates: Rates) -> None:
        self._app = app
        self._rates = rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        access = access_in(scope)
        if scope["type"] != "http" or access.is_judged_later or access.credential is Credential.NEVER:
            await self._app(scope, receive, send)
            return
        principal = principal_of(scope)
        try:
            if not principal.sees_everything:
                kind = next(iter(sorted(access.scopes)), "")
                self._rates.count(class_of_permission(kind), caller_name(principal))
        except RateLimited as error:
            write_route(scope, REFUSED, error.code)
            await answer(error)(scope, receive, send)
            return

        async def send_written(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = message["status"]
                write_route(scope, ALLOWED if status < 400 else FAILED, None if status < 400 else str(status))
            await send(message)

        await self._app(scope, receive, send_written)


def write_route(scope: Scope, outcome: str, code: str | None) -> None:
    """Into the audit of the workspace that was asked, by the template of the route: a path may hold an id."""
    doors = find_doors(scope)
    if doors is None or doors.audit is None:
        return
    principal = principal_of(scope)
    doors.audit.add(
        f"route.{outcome}",
        caller_name(principal),
        {
            "route": f"{scope['method']} {getattr(chosen_route(scope), 'path', 'none')}",
            "ids": scope.get(_ABOUT) or None,
            "from": scope.get(ADDRESS),
            "key": principal.key,
            "code": code,
        },
    )
