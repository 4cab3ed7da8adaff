"""The OpenAPI document: what FastAPI makes of the routes, and what it cannot know."""

from __future__ import annotations

import functools
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from helix.access import LOCAL, declare
from helix.surfaces.rest.capture import add_capture
from helix.surfaces.rest.maintenance import add_care
from helix.surfaces.rest.monitoring import add_watching
from helix.surfaces.rest.mount import mount
from helix.surfaces.rest.respond import CALLER_HEADERS
from helix.verb_table import VERBS

_ABOUT = """A memory for coding agents that its owner can read: markdown files in a vault.

Every reading answer fits, as it is sent, in `max_tokens` tokens of o200k_base, and pages with `next_cursor`. Errors are
`{"error", "code"}`. Requests come from programs on the same machine; web pages are refused."""

_TAGS = [
    {"name": "memories", "description": "Keeping, changing and forgetting"},
    {"name": "reading", "description": "Finding and reading; changes no file"},
    {"name": "graph", "description": "Memories and the edges between them"},
    {"name": "documents", "description": "Files turned into notes, and the long work of it"},
    {"name": "sessions", "description": "What agents did: logs that can be verified"},
    {"name": "projects", "description": "Who works together on what"},
    {"name": "harnesses", "description": "What the harnesses of agents are told of a project"},
    {"name": "secrets", "description": "Credentials that programs may use and nobody can read"},
    {"name": "care", "description": "Looking after the vault"},
    {"name": "daemon", "description": "Looking after the daemon"},
]


def add_document(app: FastAPI) -> None:
    app.openapi = functools.cache(lambda: document(app.version))  # type: ignore[method-assign]

    @declare(LOCAL)
    def openapi(request: Request) -> Response:
        return JSONResponse(app.openapi())

    app.add_route("/openapi.json", openapi, include_in_schema=False)


def document(version: str = "1") -> dict[str, Any]:
    openapi = get_openapi(
        title="Helix", version=version, description=_ABOUT, routes=described_routes(), tags=_TAGS,
        servers=[{"url": "http://127.0.0.1:7878", "description": "where helixd listens unless told otherwise"}],
    )  # fmt: skip
    components = openapi.setdefault("components", {})
    components["parameters"] = {
        name: {
            "name": header, "in": "header", "required": False, "description": about,
            "schema": {"type": "string"},
        }
        for name, (header, about) in CALLER_HEADERS.items()
    }  # fmt: skip
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "What `helix token` prints"}
    }
    # Either nothing or the token: only a daemon with require_token asks for it.
    openapi["security"] = [{}, {"token": []}]
    return openapi


def described_routes() -> list[BaseRoute]:
    """Without a vault behind them: enough to say what they are."""
    app, nothing = FastAPI(), cast(Any, None)
    mount(app, VERBS.values(), documented=True)
    add_care(app)
    add_watching(app, nothing)
    add_capture(app)
    return app.routes
