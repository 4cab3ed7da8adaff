"""The routes that dialects have beside their tools, at the paths that their clients use: of those that are enabled."""

from __future__ import annotations

import functools
import json
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from helix.access import OPEN, Access, declare
from helix.dialects.dialect import DialectRoute, DialectRoutes
from helix.dialects.registry import access_to, routes_of
from helix.errors import BadValue, HelixError
from helix.surfaces.caller import request_of
from helix.surfaces.doors import find_doors
from helix.surfaces.monitoring.health import can_serve
from helix.surfaces.problems import answer
from helix.surfaces.rest.respond import reply

_EVERY_METHOD = ["GET", "POST", "DELETE", "PUT", "PATCH"]
_NO_JSON = "Body is not valid JSON but content-type is set to 'application/json'"


def dialect_rest(names: Iterable[str]) -> list[Route]:
    """Each asks of a request what the path of its dialect asks."""
    return [
        route
        for name in names
        if (known := routes_of(name)) is not None
        for route in _routes(known, access_to(name))
    ]


def _routes(known: DialectRoutes, access: Access) -> Iterator[Route]:
    for route in known.routes:
        yield Route(route.path, _answering(known.module, route, access), methods=[route.method])
    for path in known.alive:
        yield Route(path, _alive, methods=["GET"])
    for path in known.serving:
        yield Route(path, _serving, methods=["GET"])
    yield Route(f"{known.below}/{{rest:path}}", _nothing(known.module, access), methods=_EVERY_METHOD)


def _answering(module: str, route: DialectRoute, access: Access) -> Any:
    # Each verb that is asked is counted and written down by itself.
    @declare(access.judged_later())
    async def endpoint(http: Request) -> Response:
        run = functools.partial(_run, module, route.run, http, await http.body())
        return await anyio.to_thread.run_sync(run)

    def _run(module: str, name: str, http: Request, body: bytes) -> Response:
        try:
            arguments = {**_sent(body), **http.path_params}
            done = pkgutil.resolve_name(f"{module}:{name}")(request_of(http), arguments)
        except HelixError as error:
            return _refusal(module, error)
        return Response(status_code=204) if done is None else reply(done, status=route.status)

    return endpoint


def _sent(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise BadValue(_NO_JSON) from None
    if not isinstance(sent, dict):
        raise BadValue("the body is not an object")
    return sent


def _refusal(module: str, error: HelixError) -> Response:
    usual = answer(error)
    headers = {name: value for name, value in usual.headers.items() if name == "retry-after"}
    body = pkgutil.resolve_name(f"{module}:refusal")(error)
    return JSONResponse(body, usual.status_code, headers)


def _nothing(module: str, access: Access) -> Any:
    @declare(access)
    async def endpoint(http: Request) -> Response:
        body = pkgutil.resolve_name(f"{module}:nothing")(http.method, http.url.path)
        return JSONResponse(body, 404)

    return endpoint


@declare(OPEN.unlimited().unheard())
async def _alive(_: Request) -> Response:
    return JSONResponse({"ok": True})


@declare(OPEN.unlimited().unheard())
async def _serving(http: Request) -> Response:
    doors = find_doors(http.scope)
    is_well = doors is not None and can_serve(await doors.health.look_soon())
    return JSONResponse({"ok": is_well}, 200 if is_well else 503)
