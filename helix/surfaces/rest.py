"""The HTTP surface. Plain functions do the work; FastAPI only carries it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from helix.compose import Helix, RecallSoon
from helix.errors import HelixError
from helix.follow.follower import Follower
from helix.memory.fit import MOST_TOKENS
from helix.memory.service import Service
from helix.memory.view import Caller
from helix.surfaces.access import LocalOnly
from helix.surfaces.dashboard import render
from helix.surfaces.mcp.surface import McpSurface
from helix.surfaces.problems import http_status, to_body

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def make_app(
    helix: Helix,
    follower: Follower,
    recall: RecallSoon,
    service: Service,
    mcp: McpSurface,
    version: str,
    lifespan: Lifespan,
) -> FastAPI:
    app = FastAPI(title="Helix", version=version, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(LocalOnly, token=helix.config.token, require_token=helix.config.require_token)
    app.router.routes.extend(mcp.routes())

    @app.exception_handler(HelixError)
    def on_error(_: Request, error: HelixError) -> JSONResponse:
        return JSONResponse(to_body(error.message, error.code), status_code=http_status(error))

    @app.exception_handler(HTTPException)
    def on_http_error(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse(
            to_body(str(error.detail), f"http-{error.status_code}"), status_code=error.status_code
        )

    @app.get("/healthz")
    def healthz() -> JSONResponse:
        """Whether the daemon follows the vault; 503 while it does not."""
        said = status()
        return JSONResponse(said, status_code=503 if said["state"] == "degraded" else 200)

    @app.post("/reindex")
    def reindex(accept_missing: bool = False) -> dict[str, Any]:
        """Build the derived data again from the files; the answer comes when it is done."""
        helix.reconciler.rebuild(accept_missing=accept_missing)
        recall.rebuild()
        return status()

    @app.get("/recall")
    def search(
        q: str,
        limit: Annotated[int, Query(ge=1, le=50)] = 8,
        rerank: bool = False,
        include_deleted: bool = False,
    ) -> dict[str, Any]:
        """Memories that fit a question, best first, and how sure that is."""
        return service.search(
            q, caller=Caller(), scope="all", limit=limit, rerank=rerank, include_deleted=include_deleted,
            max_tokens=MOST_TOKENS, response_format="detailed",
        )  # fmt: skip

    @app.get("/", response_class=HTMLResponse)
    def dashboard() -> HTMLResponse:
        page = render(status(), helix.memories.list(include_hidden=True), helix.catalog.problems())
        return HTMLResponse(
            page, headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        )

    def status() -> dict[str, Any]:
        index = recall.health()
        return {
            "version": version,
            "vault": helix.vault.root.path,
            **asdict(follower.health()),
            "index": None if index is None else asdict(index),
        }

    return app
