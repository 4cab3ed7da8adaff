"""The paths of the dialects, and what each asks of a request. Known without the protocol's library."""

from __future__ import annotations

import re
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.access import LOCAL, Access, declare
from helix.dialects.registry import REGISTERED
from helix.surfaces.problems import to_body

PATH = "/mcp"
STREAM, MESSAGES = "/sse", "/messages/"
"""below the path of a dialect: the transport of 2024-11-05. Some clients know the second one without its last stroke"""
_BEARER = re.compile(r"\s*bearer\s+", re.IGNORECASE)
_EVERY_METHOD = ["GET", "POST", "DELETE", "PUT", "PATCH"]


def dialect_routes(
    accesses: Mapping[str, Access],
    default: str,
    endpoints: Mapping[str, ASGIApp],
    streams: Mapping[str, ASGIApp],
) -> list[Route]:
    """For each dialect by its name, and what its path asks of a request (`accesses`).

    Exact paths: a mount would redirect, and clients do not follow a redirected POST.

    Below the path of a dialect is nothing but its streams of the older transport (`streams`), and who may know that is
    whoever may use the dialect.
    """
    known = ", ".join(accesses)
    found: list[Route] = []
    for path, name in ((PATH, default), *((f"{PATH}/{name}", name) for name in accesses)):
        access = accesses[name].unheard().judged_later()
        endpoint, stream = endpoints[name], streams[name]
        if path == PATH:
            endpoint, stream = _by_key(endpoint, endpoints), _by_key(stream, streams)
        found.append(Route(path, declare(access)(endpoint)))
        ends = (STREAM, MESSAGES, MESSAGES.rstrip("/"))
        found += [Route(f"{path}{end}", declare(access)(stream)) for end in ends]
    for name, access in accesses.items():
        found.append(_nothing_at(f"{PATH}/{name}/{{rest:path}}", access, known))
    return [*found, _nothing_at(f"{PATH}/{{dialect:path}}", LOCAL, known)]


def _by_key(default: ASGIApp, apps: Mapping[str, ASGIApp]) -> ASGIApp:
    """At a path that names no dialect: the one whose clients have keys that begin like the one that is shown."""
    begins = {REGISTERED[name].begins: app for name, app in apps.items() if name in REGISTERED}
    begins.pop("", None)
    return _ByKey(default, begins) if begins else default


class _ByKey:
    def __init__(self, default: ASGIApp, begins: Mapping[str, ASGIApp]) -> None:
        self._default = default
        self._begins = begins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        shown = _BEARER.sub("", headers.get("authorization") or headers.get("x-api-key") or "", count=1)
        found = next((app for begin, app in self._begins.items() if shown.startswith(begin)), self._default)
        await found(scope, receive, send)


def _nothing_at(path: str, access: Access, known: str) -> Route:
    @declare(access.unheard())
    async def answer(request: Request) -> JSONResponse:
        name = str(request.scope["path"]).removeprefix(f"{PATH}/")[:80]
        message = f"there is no dialect {name!r}; there are {known}" if name else f"the path is {PATH}"
        return JSONResponse(to_body(message, "not-found"), status_code=404)

    return Route(path, answer, methods=_EVERY_METHOD)
