"""For a team: requests for what is no verb are counted and written down too, by the route that is asked."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.access import Credential
from helix.access.audit import ALLOWED, FAILED, REFUSED, Audit
from helix.access.gate import caller_name
from helix.access.rates import Rates, class_of_permission
from helix.errors import RateLimited
from helix.surfaces.caller import principal_of
from helix.surfaces.guard import ADDRESS, access_in
from helix.surfaces.problems import answer


class OtherRoutes:
    """Inside the guard. Verbs and tools are looked after where they are called (`access.gate`)."""

    def __init__(self, app: ASGIApp, rates: Rates, audit: Audit) -> None:
        self._app = app
        self._rates = rates
        self._audit = audit

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
            self._write(scope, REFUSED, error.code)
            await answer(error)(scope, receive, send)
            return

        async def send_written(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = message["status"]
                self._write(scope, ALLOWED if status < 400 else FAILED, None if status < 400 else str(status))
            await send(message)

        await self._app(scope, receive, send_written)

    def _write(self, scope: Scope, outcome: str, code: str | None) -> None:
        principal, route = principal_of(scope), scope.get("route")
        self._audit.add(
            f"route.{outcome}",
            caller_name(principal),
            {
                "route": f"{scope['method']} {getattr(route, 'path', 'none')}",
                "from": scope.get(ADDRESS),
                "key": principal.key,
                "code": code,
            },
        )
