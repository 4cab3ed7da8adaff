"""The routes that read memories. They change no file."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Request, Response

from helix.memory.activity import timeline as activity
from helix.memory.reading import browse, map_points, phase_recall, search, versions
from helix.memory.reading import context as packing
from helix.memory.reading import graph as graphs
from helix.memory.reading import render as rendering
from helix.memory.reading.view import When
from helix.surfaces.caller import request_of
from helix.surfaces.rest import answers, asked, maintenance_answers
from helix.surfaces.rest.respond import CALLER, MemoryId, reads, reads_body, reply


def add_reading(app: FastAPI) -> None:
    @app.get(
        "/recall", tags=["reading"], operation_id="recall",
        responses=reads(answers.Hits, 404), openapi_extra=CALLER,
    )  # fmt: skip
    def recall(request: Request, said: Annotated[asked.RecallAsked, Query()]) -> Response:
        """Memories that fit a question, best first. Nothing is returned to fill a limit."""
        return reply(
            search.search(
                request_of(request), said.q, scope=said.scope, filters=said.filters,
                limit=said.limit, max_tokens=said.max_tokens, response_format=said.format_or("concise"),
                include_deleted=said.include_deleted, rerank=said.rerank, cursor=said.cursor, when=said.when,
            )
        )  # fmt: skip

    @app.post(
        "/context", tags=["reading"], operation_id="context",
        responses=reads_body(answers.ExplainedPack), openapi_extra=CALLER,
    )  # fmt: skip
    def context(request: Request, said: asked.ContextBody) -> Response:
        """One text for an agent to read before a task: grouped, cited, fenced as data, within its budget."""
        return reply(
            packing.context(
                request_of(request), said.task, scope=said.scope, filters=said.filters,
                max_tokens=said.max_tokens, rerank=said.rerank, when=When(said.as_of, said.ref),
                response_format=asked.one_format(said.format, said.response_format) or "concise",
                explain=said.explain, explain_tokens=said.explain_tokens,
            )
        )  # fmt: skip

    @app.post(
        "/phases", tags=["reading"], operation_id="phases",
        responses=reads_body(answers.Pack), openapi_extra=CALLER,
    )  # fmt: skip
    def phases(request: Request, said: asked.PhasesBody) -> Response:
        """A bundle for phases of work, such as `plan`, `work`, `review`, `debug`, `release`."""
        return reply(
            phase_recall.recall_phases(
                request_of(request), said.phases, budget_tokens=said.budget_tokens,
                scope=said.scope, idempotency_key=said.idempotency_key,
            )
        )  # fmt: skip

    @app.get(
        "/memory/{id}",
        tags=["reading"],
        operation_id="get_memory",
        responses=reads(answers.MemoryPage, 404, 409),
    )
    def get_memory(
        request: Request, memory_id: MemoryId, said: Annotated[asked.MemoryAsked, Query()]
    ) -> Response:
        """One memory. The `ETag` is the hash of its file, for `If-Match` when it is changed."""
        # The hash first: if the file changes between the two, a change based on it is refused, never made unseen.
        read = browse.content_hash(request_of(request), memory_id, when=said.when)
        memory = browse.get(
            request_of(request), memory_id, response_format=said.format_or("detailed"),
            include_deleted=said.include_deleted, max_tokens=said.max_tokens, cursor=said.cursor, when=said.when,
        )  # fmt: skip
        return reply(memory, {"ETag": f'"{read}"'})

    @app.get(
        "/recent", tags=["reading"], operation_id="recent",
        responses=reads(answers.Memories, 404), openapi_extra=CALLER,
    )  # fmt: skip
    def recent(request: Request, said: Annotated[asked.RecentAsked, Query()]) -> Response:
        """Memories by their last change, the latest first."""
        return reply(
            browse.recent(
                request_of(request), scope=said.scope, filters=said.filters, since=said.since,
                include_deleted=said.include_deleted, limit=said.limit, max_tokens=said.max_tokens,
                response_format=said.format_or("concise"), cursor=said.cursor, when=said.when,
            )
        )  # fmt: skip

    @app.get(
        "/today", tags=["reading"], operation_id="today",
        responses=reads(answers.Memories, 404), openapi_extra=CALLER,
    )  # fmt: skip
    def today(request: Request, said: Annotated[asked.TodayAsked, Query()]) -> Response:
        """What changed in the last 24 hours."""
        return reply(
            browse.today(
                request_of(request), scope=said.scope, filters=said.filters, limit=said.limit,
                max_tokens=said.max_tokens, response_format=said.format_or("concise"), cursor=said.cursor,
                when=said.when,
            )
        )  # fmt: skip

    @app.get(
        "/memory/{id}/history",
        tags=["reading"],
        operation_id="history",
        responses=reads(answers.Versions, 404),
    )
    def history(
        request: Request, memory_id: MemoryId, said: Annotated[asked.HistoryAsked, Query()]
    ) -> Response:
        """The versions of a memory in git, newest first, across renames."""
        return reply(
            versions.history(
                request_of(request),
                memory_id,
                limit=said.limit,
                max_tokens=said.max_tokens,
                cursor=said.cursor,
            )
        )

    @app.get(
        "/memory/{id}/diff",
        tags=["reading"],
        operation_id="diff",
        responses=reads(answers.Diff, 404, 409, 410),
    )
    def diff(request: Request, memory_id: MemoryId, said: Annotated[asked.DiffAsked, Query()]) -> Response:
        """What changed in the file of a memory between two revisions of git, or since one."""
        return reply(
            versions.diff(
                request_of(request),
                memory_id,
                said.old,
                said.new,
                max_tokens=said.max_tokens,
                cursor=said.cursor,
            )
        )

    @app.post("/render", tags=["reading"], operation_id="render", responses=reads_body(answers.Rendered))
    def render(request: Request, said: asked.RenderBody) -> Response:
        """Markdown as HTML that a page can show as it is, whatever the text holds.

        Raw HTML is shown as text. Links lead to the web, to a mail address or to Obsidian; pictures become links.
        `[[…]]` becomes `<a href="#/memory/ID" data-memory="ID">` where the memory exists, else a marked span.
        """
        return reply(rendering.render(request_of(request), said.text))

    @app.get(
        "/graph", tags=["graph"], operation_id="graph",
        responses=reads(answers.Graph, 404), openapi_extra=CALLER,
    )  # fmt: skip
    def graph(request: Request, said: Annotated[asked.GraphAsked, Query()]) -> Response:
        """The memories and the edges between them."""
        return reply(
            graphs.graph(
                request_of(request), scope=said.scope, project=said.project,
                include_deleted=said.include_deleted, limit=said.limit, max_tokens=said.max_tokens,
                cursor=said.cursor, when=said.when,
            )
        )  # fmt: skip

    @app.get(
        "/map", tags=["graph"], operation_id="map",
        responses=reads(answers.Map, 409), openapi_extra=CALLER,
    )  # fmt: skip
    def draw_map(request: Request, said: Annotated[asked.MapAsked, Query()]) -> Response:
        """The memories on a plane, near in meaning near each other. 503 `index-not-ready` until there is a first map.

        A map is drawn in the background when memories have changed and somebody looks; points stay about where they
        were. A cursor leads through one map: when it was drawn again meanwhile the answer is 409 `stale-hash`.
        """
        return reply(map_points.draw_map(request_of(request), **said.model_dump()))

    @app.get(
        "/memory/{id}/neighbors",
        tags=["graph"],
        operation_id="neighbors",
        responses=reads(answers.Neighbors, 404),
    )
    def neighbors(
        request: Request, memory_id: MemoryId, said: Annotated[asked.NeighborsAsked, Query()]
    ) -> Response:
        """The memories around one, nearest first, each with the edge that led to it."""
        return reply(
            graphs.neighbors(
                request_of(request), memory_id, depth=said.depth, include_deleted=said.include_deleted,
                limit=said.limit, max_tokens=said.max_tokens, cursor=said.cursor, when=said.when,
            )
        )  # fmt: skip

    @app.get(
        "/stats", tags=["care"], operation_id="stats",
        responses=reads(maintenance_answers.Stats, 404), openapi_extra=CALLER,
    )  # fmt: skip
    def stats(request: Request, said: Annotated[asked.StatsAsked, Query()]) -> Response:
        """How many memories there are, by status, scope, kind, project and tag."""
        return reply(
            browse.stats(
                request_of(request), scope=said.scope, max_tokens=said.max_tokens,
                cursor=said.cursor, when=said.when,
            )
        )  # fmt: skip

    @app.get("/timeline", tags=["care"], operation_id="timeline", responses=reads(answers.Timeline))
    def timeline(request: Request, said: Annotated[asked.TimelineAsked, Query()]) -> Response:
        """What happened to the memories and who did it, the latest first, as far as the journal goes back.

        Before the journal began it tells what the notes themselves do. A time is that at which Helix saw it happen.
        """
        return reply(activity.timeline(request_of(request), **said.model_dump()))

    @app.get(
        "/conflicts", tags=["care"], operation_id="conflicts", responses=reads(maintenance_answers.Conflicts)
    )
    def conflicts(request: Request, said: Annotated[asked.ListAsked, Query()]) -> Response:
        """What needs a person: files that cannot be read, and ids that stand in several files."""
        return reply(
            browse.conflicts(
                request_of(request), limit=said.limit, max_tokens=said.max_tokens, cursor=said.cursor
            )
        )

    @app.get(
        "/strand/manifest", tags=["care"], operation_id="strand_manifest",
        responses=reads(maintenance_answers.StrandManifest),
    )  # fmt: skip
    def strand_manifest(request: Request, said: Annotated[asked.Budgeted, Query()]) -> Response:
        """What an export of the vault would hold, entry by entry, with its checksums."""
        return reply(
            browse.strand_manifest(request_of(request), max_tokens=said.max_tokens, cursor=said.cursor)
        )
