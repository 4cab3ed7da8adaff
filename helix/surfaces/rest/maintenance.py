"""The routes that look after the daemon and its vault, and are no verbs about memories."""

from __future__ import annotations

from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import PlainTextResponse

from helix.access import LOCAL, OPEN, declare
from helix.memory.search_engine import RecallSoon
from helix.surfaces.caller import principal_of, workspace_of
from helix.surfaces.monitoring.health import DaemonHealth, can_serve
from helix.surfaces.monitoring.metrics import CONTENT_TYPE, Metrics
from helix.surfaces.rest import daemon_answers
from helix.surfaces.rest.models import answer_model
from helix.surfaces.rest.respond import reads, reply

# Figures are given while every other thread is busy.
_SCRAPES = 2


def add_care(
    app: FastAPI,
    recall: RecallSoon,
    health: DaemonHealth,
    metrics: Metrics,
    *,
    tells_everybody: bool = True,
) -> None:
    """`tells_everybody` says whether strangers hear how the daemon is, and of which vault."""
    scrapes = anyio.CapacityLimiter(_SCRAPES)
    unwell = {
        **reads(daemon_answers.Health),
        503: {"model": answer_model(daemon_answers.Health), "description": "It cannot serve now"},
    }

    @app.get("/healthz", tags=["daemon"], operation_id="healthz", responses=unwell)
    @declare(OPEN.unlimited().unheard())
    async def healthz(request: Request) -> Response:
        """How the daemon is: `starting`, `ready` or `degraded`, and why. 503 only when it cannot serve at all.

        Outside of mode `local` whoever may not diagnose hears its state and its version.
        """
        state = await health.look_soon()
        status = 200 if can_serve(state) else 503
        if tells_everybody or principal_of(request.scope).may("diagnostics"):
            return reply(state, status=status)
        return reply({"state": state["state"], "version": state["version"]}, status=status)

    @app.get(
        "/metrics", tags=["daemon"], operation_id="metrics",
        responses=_figures(), response_class=PlainTextResponse,
    )  # fmt: skip
    @declare(LOCAL.needing("analytics").unlimited().unheard())
    async def figures() -> Response:
        """Figures for a Prometheus server."""
        return Response(
            await anyio.to_thread.run_sync(metrics.render, limiter=scrapes),
            headers={"Content-Type": CONTENT_TYPE},
        )

    @app.post("/reindex", tags=["care"], operation_id="reindex", responses=reads(daemon_answers.Health, 507))
    @declare(LOCAL.needing("admin"))
    def reindex(
        request: Request,
        accept_missing: Annotated[
            bool, Query(description="Files that disappeared are gone on purpose.")
        ] = False,
    ) -> Response:
        """Read every file again and bring the derived data up to date; answered when that is done."""
        workspace_of(request).followed.reconciler.rebuild(accept_missing=accept_missing)
        recall.rebuild()
        return reply(health.look())


def _figures() -> dict[int | str, dict[str, Any]]:
    content = {"text/plain": {"schema": {"type": "string"}}}
    return {**reads(daemon_answers.Problem), 200: {"description": "Done", "content": content}}
