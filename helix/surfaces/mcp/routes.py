"""The paths of the dialects, and what each asks of a request. Known without the protocol's library."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from helix.access import LOCAL, Access, declare
from helix.dialects.dialect import Dialect
from helix.surfaces.problems import to_body

PATH = "/mcp"
_EVERY_METHOD = ["GET", "POST", "DELETE", "PUT", "PATCH"]


def dialect_routes(
    dialects: Mapping[str, Dialect], default: str, endpoints: Mapping[str, ASGIApp]
) -> list[Route]:
    """Exact paths: a mount would redirect, and clients do not follow a redirected POST.

    Below the path of a dialect is nothing, and who may know that is whoever may use the dialect.
    """
    known = ", ".join(dialects)
    found = [Route(PATH, declare(dialects[default].access.unheard())(endpoints[default]))]
    for name, dialect in dialects.items():
        found.append(Route(f"{PATH}/{name}", declare(dialect.access.unheard())(endpoints[name])))
        found.append(_nothing_at(f"{PATH}/{name}/{{rest:path}}", dialect.access, known))
    return [*found, _nothing_at(f"{PATH}/{{dialect:path}}", LOCAL, known)]


def _nothing_at(path: str, access: Access, known: str) -> Route:
    @declare(access.unheard())
    async def answer(request: Request) -> JSONResponse:
        name = str(request.scope["path"]).removeprefix(f"{PATH}/")[:80]
        message = f"there is no dialect {name!r}; there are {known}" if name else f"the path is {PATH}"
        return JSONResponse(to_body(message, "not-found"), status_code=404)

    return Route(path, answer, methods=_EVERY_METHOD)
