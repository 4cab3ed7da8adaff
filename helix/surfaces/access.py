"""Who may come in, in local mode: programs on this machine, and Helix's own page.

A web page that the user happens to visit can send requests to 127.0.0.1 too, directly or through a name that it
makes resolve to it. Browsers say where a request comes from; other programs send none of these headers.
"""

from __future__ import annotations

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.surfaces.problems import to_body

_NAMES = frozenset({"localhost", "localhost.localdomain"})
_OPEN = frozenset({"/healthz"})


class LocalOnly:
    """The outermost layer of the app."""

    def __init__(self, app: ASGIApp, *, token: str = "", require_token: bool = False) -> None:
        self._app = app
        self._token = token
        self._require_token = require_token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(scope["path"], Headers(scope=scope))
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> JSONResponse | None:
        host = headers.get("host", "").strip()
        if not is_loopback(_host_name(host)):
            return _refuse(421, f"{host!r} is not a name of this machine; use 127.0.0.1", "wrong-host")
        origin = headers.get("origin")
        if origin is not None and origin.strip() != f"http://{host}":
            return _refuse(403, f"requests from {origin.strip()[:80]!r} are not accepted", "wrong-origin")
        site = headers.get("sec-fetch-site", "none").strip()
        if site not in ("same-origin", "none"):
            return _refuse(403, "requests from other web pages are not accepted", "wrong-origin")
        if self._require_token and path not in _OPEN:
            scheme, _, given = headers.get("authorization", "").strip().partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(
                given.strip().encode(), self._token.encode()
            ):
                return _refuse(401, "this daemon asks for its token; set HELIX_TOKEN", "unauthorized")
        return None


def is_loopback(name: str) -> bool:
    if name.lower() in _NAMES:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _refuse(status: int, message: str, code: str) -> JSONResponse:
    return JSONResponse(to_body(message, code), status_code=status)
