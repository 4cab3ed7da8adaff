"""The paths of the dialects, and what each asks of a request. Known without the protocol's library."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from helix.access import LOCAL, Access, declare
from helix.surfaces.problems import to_body

PATH = "/mcp"
STREAM, MESSAGES = "/sse", "/messages/"
"""below the path of a dialect: the transport of 2024-11-05"""
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
        found.append(Route(path, declare(access)(endpoints[name])))
        found += [Route(f"{path}{end}", declare(access)(streams[name])) for end in (STREAM, MESSAGES)]
    for name, access in accesses.items():
        found.append(_nothing_at(f"{PATH}/{name}/{{rest:path}}", access, known))
    return [*found, _nothing_at(f"{PATH}/{{dialect:path}}", LOCAL, known)]


def _nothing_at(path: str, access: Access, known: str) -> Route:
    @declare(access.unheard())
    async def answer(request: Request) -> JSONResponse:
        name = str(request.scope["path"]).removeprefix(f"{PATH}/")[:80]
        message = f"there is no dialect {name!r}; there are {known}" if name else f"the path is {PATH}"
        return JSONResponse(to_body(message, "not-found"), status_code=404)

    return Route(path, answer, methods=_EVERY_METHOD)
