"""The app: the layers every request passes, the routes, and the place where further surfaces plug in.

From the outside in: `RequestLog` counts and logs, `WorkspaceAddress` reads which workspace an address names, `Guard`
lets in, `InWorkspace` finds the workspace, `Limits` bounds, then the routes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match

from helix.access.audit import Audit
from helix.errors import HelixError
from helix.memory.workspace import Workspace
from helix.surfaces.caller import Signed
from helix.surfaces.doors import Doors
from helix.surfaces.guard import Guard, Policy
from helix.surfaces.in_workspace import InWorkspace, OpenDoors, WorkspaceAddress
from helix.surfaces.limits import Limits
from helix.surfaces.monitoring.request_log import RequestLog
from helix.surfaces.problems import answer, code_of_status, refuse, to_body
from helix.surfaces.rest.capture import add_capture
from helix.surfaces.rest.document import add_document
from helix.surfaces.rest.maintenance import add_care
from helix.surfaces.rest.monitoring import add_watching
from helix.surfaces.rest.mount import mount
from helix.verb_table import VERBS

Lifespan = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Plugged:
    """A further surface: its routes, and what must be open while they are served."""

    routes: Sequence[BaseRoute] = ()
    lifespans: Sequence[Lifespan] = field(default=())


@dataclass(frozen=True)
class Admission:
    """Whom a daemon serves, and what that takes."""

    policy: Policy
    layers: Sequence[Middleware] = ()
    plugged: Sequence[Plugged] = ()
    status: Mapping[str, Any] = field(default_factory=dict)
    """what `/status` says of it"""
    audit: Audit | None = None
    """that of the daemon's own workspace"""
    joins: Callable[[Workspace], AbstractContextManager[Audit | None]] = lambda _: nullcontext()
    """what another workspace takes to be served to them"""


def make_app(
    doors: Doors,
    policy: Policy,
    version: str,
    workspaces: OpenDoors,
    plugged: Sequence[Plugged] = (),
    layers: Sequence[Middleware] = (),
    figures: Callable[[], bytes] | None = None,
) -> FastAPI:
    """`doors` are those of the daemon's own workspace, and `workspaces` has them all; `layers` are further ones between
    the choice of a workspace and the bounds, the outermost last; `figures` are those of all workspaces."""
    config = doors.workspace.followed.config

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # As many threads as there may be requests: one that waits for the index must not hold up the others.
        anyio.to_thread.current_default_thread_limiter().total_tokens = max(config.max_in_flight, 1)
        async with AsyncExitStack() as stack:
            for surface in plugged:
                for lifespan_of_surface in surface.lifespans:
                    await stack.enter_async_context(lifespan_of_surface())
            yield

    app = FastAPI(
        title="Helix",
        version=version,
        lifespan=lifespan,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.add_middleware(Signed)
    app.add_middleware(
        Limits, max_in_flight=max(config.max_in_flight, 1), max_body_bytes=config.max_body_bytes
    )
    for layer in layers:
        app.add_middleware(layer.cls, *layer.args, **layer.kwargs)
    app.add_middleware(InWorkspace, workspaces=workspaces)
    app.add_middleware(Guard, policy=policy, router=app.router)
    app.add_middleware(WorkspaceAddress)
    app.add_middleware(RequestLog, metrics=doors.metrics)
    _add_problems(app)
    mount(app, VERBS.values())
    add_care(app, figures, tells_everybody=config.mode == "local")
    add_watching(app, config)
    add_capture(app)
    add_document(app)
    for surface in plugged:
        app.router.routes.extend(surface.routes)
    return app


def _add_problems(app: FastAPI) -> None:
    @app.exception_handler(HelixError)
    def on_error(_: Request, error: HelixError) -> JSONResponse:
        return answer(error)

    @app.exception_handler(RequestValidationError)
    def on_bad_request(_: Request, error: RequestValidationError) -> JSONResponse:
        return refuse("bad-request", _sentence(error))

    @app.exception_handler(HTTPException)
    def on_http_error(request: Request, error: HTTPException) -> JSONResponse:
        message, headers = str(error.detail), dict(error.headers or {})
        if error.status_code == 404:
            message = "there is nothing at this path; /openapi.json lists what there is"
            if b"%2f" in request.scope.get("raw_path", b"").lower():
                message = "there is nothing at this path: no id, of a session or anything else, has a slash (%2F) in it"
        elif error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(app, request))
            message = f"this path takes {headers['Allow']}"
        return JSONResponse(to_body(message, code_of_status(error.status_code)), error.status_code, headers)


def _sentence(error: RequestValidationError) -> str:
    """What is wrong with which field, without what was sent: it may be a memory."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    if first["type"] == "json_invalid":
        return f"the body is not JSON: {first['ctx']['error']} at position {where}"
    if first["type"] == "missing" and not where:
        return "a JSON body is needed"
    # pydantic puts words of its own before those of a check of ours.
    problem = str(first["ctx"]["error"] if first["type"] == "value_error" else first["msg"])
    return f"{where}: {problem[:1].lower()}{problem[1:]}" if where else problem


def _methods(app: FastAPI, request: Request) -> list[str]:
    """Of all routes at this path: the framework names those of the first one only."""
    found: set[str] = set()
    for route in app.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= set(getattr(route, "methods", None) or ())
    return sorted(found)
