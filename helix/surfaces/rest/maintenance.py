"""The routes that look after the daemon and its vault, and are no verbs about memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import PlainTextResponse

from helix.access import LOCAL, OPEN, declare
from helix.surfaces.caller import principal_of
from helix.surfaces.doors import doors_in, find_doors, refusal_in
from helix.surfaces.monitoring.health import can_serve
from helix.surfaces.monitoring.metrics import CONTENT_TYPE
from helix.surfaces.problems import answer
from helix.surfaces.rest import daemon_answers
from helix.surfaces.rest.models import answer_model
from helix.surfaces.rest.respond import reads, reply

# Figures are given while every other thread is busy.
_SCRAPES = 2


def add_care(
    app: FastAPI, figures: Callable[[], bytes] | None = None, *, tells_everybody: bool = True
) -> None:
    """`figures` are those of all workspaces, for the owner of the daemon; `tells_everybody` says whether strangers hear
    how the daemon is, and of which vault."""
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
        doors = find_doors(request.scope)
        if doors is None:
            return answer(refusal_in(request.scope))
        state = await doors.health.look_soon()
        status = 200 if can_serve(state) else 503
        if tells_everybody or principal_of(request.scope).may("diagnostics"):
            return reply(state, status=status)
        return reply({"state": state["state"], "version": state["version"]}, status=status)

    @app.get(
        "/metrics", tags=["daemon"], operation_id="metrics",
        responses=_figures(), response_class=PlainTextResponse,
    )  # fmt: skip
    @declare(LOCAL.needing("analytics").unlimited().unheard())
    async def metrics(request: Request) -> Response:
        """Figures for a Prometheus server: of all workspaces for the owner of the daemon, else of the one that is
        asked."""
        doors = doors_in(request.scope)
        is_of_all = figures is not None and doors.is_main and principal_of(request.scope).sees_everything
        render = figures if figures is not None and is_of_all else doors.metrics.render
        return Response(
            await anyio.to_thread.run_sync(render, limiter=scrapes), headers={"Content-Type": CONTENT_TYPE}
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
        doors = doors_in(request.scope)
        doors.workspace.followed.reconciler.rebuild(accept_missing=accept_missing)
        doors.recall.rebuild()
        return reply(doors.health.look())


def _figures() -> dict[int | str, dict[str, Any]]:
    content = {"text/plain": {"schema": {"type": "string"}}}
    return {**reads(daemon_answers.Problem), 200: {"description": "Done", "content": content}}
