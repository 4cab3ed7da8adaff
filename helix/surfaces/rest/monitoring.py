"""The routes for whoever watches the daemon: what happens, as it happens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response
from starlette.responses import StreamingResponse

from helix.access import LOCAL, declare
from helix.config import Config
from helix.surfaces.caller import request_of
from helix.surfaces.doors import doors_in
from helix.surfaces.monitoring.events import TooMany
from helix.surfaces.problems import refuse
from helix.surfaces.rest import daemon_answers
from helix.surfaces.rest.respond import reads, reply

LastHeard = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        description="The `id` of the last event that was heard; what came after it is told.",
    ),
]


class EventStream(StreamingResponse):
    media_type = "text/event-stream"


def add_watching(app: FastAPI, config: Config) -> None:
    @app.get("/status", tags=["daemon"], operation_id="status", responses=reads(daemon_answers.Status))
    @declare(LOCAL.needing("diagnostics").unheard())
    def look(request: Request) -> Response:
        """What `/healthz` does not say: latencies, tokens, who asks, the embedder, disk and git."""
        return reply(doors_in(request.scope).status.look())

    @app.get("/hosts", tags=["daemon"], operation_id="hosts", responses=reads(daemon_answers.Hosts))
    @declare(LOCAL.needing("connectors"))
    def hosts(request: Request) -> Response:
        """For every host that Helix knows: its files, what belongs into them, and the command that puts it there."""
        # Here and not above: the spelling of every host's files is needed by nobody who starts a daemon.
        from helix.hosts.fragment import snippets
        from helix.hosts.this_machine import carried, get_executable, this_machine

        machine = this_machine()
        known = snippets(get_executable(), f"{request.base_url}mcp", machine, carried(config, machine.env))
        return reply({"hosts": known})

    @app.get(
        "/events", tags=["daemon"], operation_id="events", responses=_stream(), response_class=EventStream
    )
    @declare(LOCAL.needing("recall").unheard())
    async def listen(request: Request, last_heard: LastHeard = None) -> Response:
        """What happens, as it happens: a stream of server-sent events that ends when the daemon stops.

        `event: change` carries an event of the timeline, with its number as `id`; `event: health` what `/healthz` says,
        at the start and whenever the state or its reasons change. A listener that does not keep up is disconnected, and
        hears the rest when it comes back with `Last-Event-ID`, as browsers do by themselves.
        """
        try:
            stream = doors_in(request.scope).events.listen(request_of(request).activity, last_heard)
        except TooMany:
            return refuse("busy", "too many listen already; close some", {"Retry-After": "5"})
        return EventStream(stream)


def _stream() -> dict[int | str, dict[str, Any]]:
    content = {"text/event-stream": {"schema": {"type": "string"}}}
    return {**reads(daemon_answers.Problem), 200: {"description": "Done", "content": content}}
