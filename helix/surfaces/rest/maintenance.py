"""The routes that look after the daemon and its vault."""

from __future__ import annotations

from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import PlainTextResponse

from helix.memory.maintenance.consolidate import apply_proposals
from helix.memory.maintenance.consolidate import proposals as list_proposals
from helix.memory.search_engine import RecallSoon
from helix.surfaces.caller import request_of, workspace_of
from helix.surfaces.monitoring.health import Health, can_serve
from helix.surfaces.monitoring.metrics import CONTENT_TYPE, Metrics
from helix.surfaces.rest import answers, asked, maintenance_answers
from helix.surfaces.rest.respond import changes, reads, reply

# Figures are given while every other thread is busy.
_SCRAPES = 2


def add_care(app: FastAPI, recall: RecallSoon, health: Health, metrics: Metrics) -> None:
    scrapes = anyio.CapacityLimiter(_SCRAPES)
    unwell = {
        **reads(maintenance_answers.Health),
        503: {"model": maintenance_answers.Health, "description": "It cannot serve now"},
    }

    @app.get("/healthz", tags=["daemon"], operation_id="healthz", responses=unwell)
    async def healthz() -> Response:
        """How the daemon is: `starting`, `ready` or `degraded`, and why. 503 only when it cannot serve at all."""
        said = await health.look_soon()
        return reply(said, status=200 if can_serve(said) else 503)

    @app.get(
        "/metrics", tags=["daemon"], operation_id="metrics",
        responses=_figures(), response_class=PlainTextResponse,
    )  # fmt: skip
    async def figures() -> Response:
        """Figures for a Prometheus server."""
        return Response(
            await anyio.to_thread.run_sync(metrics.render, limiter=scrapes),
            headers={"Content-Type": CONTENT_TYPE},
        )

    @app.post(
        "/reindex", tags=["care"], operation_id="reindex", responses=reads(maintenance_answers.Health, 507)
    )
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

    @app.get(
        "/consolidate",
        tags=["care"],
        operation_id="proposals",
        responses=reads(maintenance_answers.Proposals),
    )
    def proposals(request: Request, said: Annotated[asked.ListAsked, Query()]) -> Response:
        """What could be tidied: doubles, contradictions, what is over. Looks at every memory; nothing is changed."""
        return reply(
            list_proposals(
                request_of(request), limit=said.limit, max_tokens=said.max_tokens, cursor=said.cursor
            )
        )

    @app.post(
        "/consolidate",
        tags=["care"],
        operation_id="consolidate",
        responses=changes(maintenance_answers.Consolidated),
    )
    def consolidate(request: Request, said: asked.ConsolidateBody) -> Response:
        """Apply the proposals that are named, or else those that are certain: exact doubles."""
        return reply(apply_proposals(request_of(request), said.ids))

    @app.post(
        "/consolidate/pause",
        tags=["care"],
        operation_id="pause_consolidation",
        responses=reads(maintenance_answers.Upkeep),
    )
    def pause(request: Request) -> Response:
        """Let the consolidation worker rest until it is resumed, or the daemon starts again."""
        upkeep = workspace_of(request).upkeep
        upkeep.pause()
        return reply(upkeep.health())

    @app.post(
        "/consolidate/resume",
        tags=["care"],
        operation_id="resume_consolidation",
        responses=reads(maintenance_answers.Upkeep),
    )
    def resume(request: Request) -> Response:
        """Let the consolidation worker go on; it begins as soon as the vault is quiet."""
        upkeep = workspace_of(request).upkeep
        upkeep.resume()
        return reply(upkeep.health())


def _figures() -> dict[int | str, dict[str, Any]]:
    said = reads(answers.Problem)
    return {**said, 200: {"description": "Done", "content": {"text/plain": {"schema": {"type": "string"}}}}}
