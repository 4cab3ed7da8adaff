"""Who may come in: the guard finds the route that will answer, and lets in whom its declaration and the policy let.

Nothing behind the guard looks at a credential again. It leaves two things in the scope of a request: the principal, for
whom the request is answered, and the name of the credential that was shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute, Match, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.access import FORM, JSON, LOCAL, Access, declared
from helix.memory.principal import Principal
from helix.surfaces.problems import refuse

PRINCIPAL = "helix.principal"
"""the key in the scope under which a request carries its `Principal`"""
CREDENTIAL = "helix.credential"
"""the key in the scope under which a request carries the name of what it showed"""
ADDRESS = "helix.address"
"""the key in the scope under which a request carries the address it came from, where the policy knows one"""
ACCESS = "helix.access"
"""the key in the scope under which a request carries what its route declares"""
LANDING = "helix.landing"
"""the key in the scope that says: a person was sent to a page of ours by another site"""
_CHOSEN = "helix.chosen"

_SPOKEN = {JSON: "JSON", FORM: "a form"}
_WITH_BODY = frozenset({"POST", "PATCH", "PUT", "DELETE"})


class AccessRefused(Exception):
    def __init__(
        self,
        code: str,
        message: str,
        challenge: Mapping[str, str] | None = None,
        *,
        retry_after: int | None = None,
    ) -> None:
        """`challenge` are parameters that tell a client how to get the credential it lacks; `retry_after` seconds it
        may come again."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.challenge = dict(challenge or {})
        self.retry_after = retry_after


@dataclass(frozen=True)
class Admitted:
    principal: Principal
    credential: str
    """a name for what was shown, by which two requests are known to come from the same; never the secret itself"""
    address: str | None = None
    """of the machine that it came from, where somebody wants to know"""


class Policy(Protocol):
    """Whom a daemon serves. Both methods raise AccessRefused."""

    def check_source(self, connection: HTTPConnection) -> None:
        """Whether requests may come from there at all, whoever makes them."""

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        """Who makes this request, from the credential and from nothing else."""


class Choice(NamedTuple):
    route: BaseRoute
    scope: Scope
    """what the route adds to the scope of the request"""


class Guard:
    """Before everything else that looks at a request. Tells browsers, too, to keep the answers to themselves.

    Which route answers is decided here and once: the router then runs that one, and nothing that did not come this way.
    """

    def __init__(self, app: ASGIApp, policy: Policy, router: Router) -> None:
        self._app = app
        self._policy = policy
        self._router = router
        router.middleware_stack = self._answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_closed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        choice = choose_route(self._router.routes, scope)
        try:
            access, admitted = await self._admit(HTTPConnection(scope), choice)
        except AccessRefused as refused:
            headers = {"WWW-Authenticate": _challenge(refused)} if refused.code == "unauthorized" else {}
            if refused.retry_after is not None:
                headers["Retry-After"] = str(refused.retry_after)
            await refuse(refused.code, _in_words_of(choice, refused), headers)(scope, receive, send_closed)
            return
        scope[_CHOSEN], scope[ACCESS] = choice, access
        scope[PRINCIPAL] = admitted.principal
        scope[CREDENTIAL] = admitted.credential
        scope[ADDRESS] = admitted.address
        await self._app(scope, receive, send_closed)

    async def _admit(self, connection: HTTPConnection, choice: Choice | None) -> tuple[Access, Admitted]:
        # That there is nothing at a path is told to those who might have used what is there.
        access = LOCAL if choice is None else access_of(choice.route)
        connection.scope[LANDING] = access is not None and access.is_landing and _is_visit(connection)
        self._policy.check_source(connection)
        if access is None:
            raise AccessRefused("internal", "this path does not say who may use it, so nobody may")
        _check_content_type(connection, access)
        return access, await self._policy.identify(connection, access)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """In place of the router's own choice."""
        if scope["type"] != "http":
            await self._router.app(scope, receive, send)
            return
        choice: Choice | None = scope[_CHOSEN]  # an error for what did not pass the guard
        if choice is None:
            await self._router.default(scope, receive, send)
            return
        scope["route"] = choice.route
        scope.update(choice.scope)
        await choice.route.handle(scope, receive, send)


def choose_route(routes: Sequence[BaseRoute], scope: Scope) -> Choice | None:
    """The first that takes path and method; else the first that takes the path, which says what is wrong."""
    partial: Choice | None = None
    for route in routes:
        match, more = route.matches(scope)
        if match is Match.FULL:
            return Choice(route, more)
        if match is Match.PARTIAL and partial is None:
            partial = Choice(route, more)
    return partial


def access_of(route: BaseRoute) -> Access | None:
    return declared(route.endpoint) if isinstance(route, Route) else None


def access_in(scope: Scope) -> Access:
    """What the route of a request declares; where there is none, what the guard asked for."""
    access: Access = scope.get(ACCESS, LOCAL)
    return access


def chosen_route(scope: Scope) -> BaseRoute | None:
    """The one that will answer, for who looks before the router does."""
    choice: Choice | None = scope.get(_CHOSEN)
    return None if choice is None else choice.route


def _is_visit(connection: HTTPConnection) -> bool:
    """Whether a browser shows the answer in a window of its own, and no page gets to see it."""
    headers = connection.headers
    return (
        connection.scope["method"] == "GET"
        and headers.get("sec-fetch-mode", "").strip().lower() == "navigate"
        and headers.get("sec-fetch-dest", "").strip().lower() == "document"
    )


def _in_words_of(choice: Choice | None, refused: AccessRefused) -> str:
    access = None if choice is None else access_of(choice.route)
    if access is None or access.unauthorized is None or refused.code != "unauthorized":
        return refused.message
    return access.unauthorized


def _challenge(refused: AccessRefused) -> str:
    parameters = ", ".join(f'{name}="{value}"' for name, value in refused.challenge.items())
    return f"Bearer {parameters}".rstrip()


def _check_content_type(connection: HTTPConnection, access: Access) -> None:
    """A page can send forms and plain text anywhere without asking; JSON it cannot."""
    headers = connection.headers
    has_body = headers.get("content-length", "0").strip() != "0" or "transfer-encoding" in headers
    if connection.scope["method"] not in _WITH_BODY or not has_body:
        return
    if not access.accepts_type(headers.get("content-type", "").partition(";")[0].strip().lower()):
        wanted = " or ".join(sorted(access.accepts))
        raise AccessRefused(
            "not-json", f"send {_SPOKEN.get(wanted, wanted)}, with the header Content-Type: {wanted}"
        )
