"""Who may come in: programs on this machine, and Helix's own page.

A web page that the user happens to visit can send requests to 127.0.0.1 too, directly or through a name that it
makes resolve to it. Browsers say where a request comes from; other programs send none of these headers.
Modes that serve other machines get a policy of their own beside `LocalAccess`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Protocol

from helix_mcp.proof import PATH as PROOF
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.surfaces.problems import refuse

CREDENTIAL = "helix.credential"
"""the key in the scope under which a request carries who it is from: `local`, or the name of a token"""
LOCAL = "local"

_NAMES = ("127.0.0.1", "localhost", "[::1]")
UI = "/ui"
"""below it are the files of the dashboard"""
# How the daemon is, the proof that clients want before they show a token, and the page with its sign-in: its files are
# the package's own and hold nothing of the vault.
_OPEN = frozenset({"/healthz", PROOF, "/"})
_ALWAYS_WITH_TOKEN = ("/mcp/vault",)
_WITH_BODY = frozenset({"POST", "PATCH", "PUT", "DELETE"})


class Refused(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Policy(Protocol):
    def admit(self, method: str, path: str, headers: Headers) -> str:
        """The credential of this request. Raises Refused."""


class Guard:
    """Asks the policy before anything else sees a request, and tells browsers to keep the answers to themselves."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self._app = app
        self._policy = policy

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

        try:
            scope[CREDENTIAL] = self._policy.admit(scope["method"], scope["path"], Headers(scope=scope))
        except Refused as no:
            wanted = {"WWW-Authenticate": "Bearer"} if no.code == "unauthorized" else None
            await refuse(no.code, no.message, wanted)(scope, receive, send_closed)
            return
        await self._app(scope, receive, send_closed)


class LocalAccess:
    def __init__(self, host: str, port: int, token: Callable[[], str], *, require_token: bool) -> None:
        """`token` gives the token in force, each time anew: it may have been changed."""
        names = {*_NAMES, f"[{host}]" if ":" in host else host}
        self._hosts = frozenset({*(f"{name}:{port}" for name in names), *(names if port == 80 else ())})
        self._port = port
        self._token = token
        self._require_token = require_token

    def admit(self, method: str, path: str, headers: Headers) -> str:
        host = self._check_host(headers)
        _check_origin(headers, host)
        _check_content_type(method, headers)
        return self._check_token(path, headers)

    def _check_host(self, headers: Headers) -> str:
        hosts = {one.strip().lower() for one in headers.getlist("host")}
        if len(hosts) != 1 or not hosts <= self._hosts:
            said = ", ".join(sorted(hosts))[:100]
            raise Refused("wrong-host", f"{said!r} is not where Helix answers; use 127.0.0.1:{self._port}")
        return hosts.pop()

    def _check_token(self, path: str, headers: Headers) -> str:
        # httptools leaves white space around a value where it was.
        scheme, _, given = headers.get("authorization", "").strip().partition(" ")
        needed = (self._require_token and not _is_open(path)) or any(
            path == one or path.startswith(f"{one}/") for one in _ALWAYS_WITH_TOKEN
        )
        if not needed and not given:
            return LOCAL
        token = self._token()
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode()):
            return hashlib.sha256(token.encode()).hexdigest()[:12]
        if needed:
            raise Refused(
                "unauthorized", "a token is asked for here; `helix token` prints it, clients take HELIX_TOKEN"
            )
        return LOCAL


def _is_open(path: str) -> bool:
    return path in _OPEN or path.startswith(f"{UI}/")


def _check_origin(headers: Headers, host: str) -> None:
    for origin in headers.getlist("origin"):
        if origin.strip().lower() != f"http://{host}":
            raise Refused("wrong-origin", f"requests from {origin.strip()[:80]!r} are not accepted")
    for site in headers.getlist("sec-fetch-site"):
        if site.strip().lower() not in ("same-origin", "none"):
            raise Refused("wrong-origin", "requests from other web pages are not accepted")


def _check_content_type(method: str, headers: Headers) -> None:
    """A page can send forms and plain text anywhere without asking; JSON it cannot."""
    has_body = headers.get("content-length", "0").strip() != "0" or "transfer-encoding" in headers
    if method not in _WITH_BODY or not has_body:
        return
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refused("not-json", "send JSON, with the header Content-Type: application/json")
