"""The routes of capture: whether transcripts are taken in, turning that on and off, and erasing what was taken in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Annotated, Any

from fastapi import FastAPI, Request, Response
from pydantic import ConfigDict, Field

from helix.access import LOCAL, declare
from helix.errors import BadValue, Forbidden, SessionsOff
from helix.memory.tokens import Payload
from helix.surfaces.caller import principal_of, request_of, workspace_of
from helix.surfaces.doors import doors_in
from helix.surfaces.rest import daemon_answers
from helix.surfaces.rest.models import Body
from helix.surfaces.rest.respond import changes, reads, reply


class CaptureBody(Body):
    model_config = ConfigDict(json_schema_extra={"example": {"folder": "/home/ann/work/billing"}})

    folder: Annotated[
        str | None, Field(description="Sessions of this folder, and of what lies in it.", max_length=4096)
    ] = None
    all: Annotated[bool, Field(description="Sessions of every folder.")] = False


def add_capture(app: FastAPI) -> None:
    @app.get("/capture", tags=["care"], operation_id="capture", responses=reads(daemon_answers.CaptureState))
    @declare(LOCAL.needing("diagnostics"))
    def capture(request: Request) -> Response:
        """Whether transcripts of agents are taken in, and how the program of `distill.command` is doing."""
        return reply(_state(request))

    @app.post(
        "/capture/on", tags=["care"], operation_id="turn_capture_on",
        responses=changes(daemon_answers.CaptureState),
    )  # fmt: skip
    @declare(LOCAL.needing("admin"))
    def turn_on(request: Request, wanted: CaptureBody) -> Response:
        """Take in the sessions of a folder, those that were and those that come. Named folders stay named."""
        # Here and not above: most daemons have no use for it.
        from helix.capture.registry import HOSTS
        from helix.capture.settings import find_settings, widened, write_settings

        doors = doors_in(request.scope)
        if not doors.is_main and not principal_of(request.scope).sees_everything:
            raise Forbidden(
                "transcripts are those of the daemon's machine: its owner takes them in, and nobody else"
            )
        workspace = doors.workspace
        if not workspace.followed.events.is_kept:
            raise SessionsOff("nothing is added to logs here; set sessions.keep to `vault` or `state`")
        if (wanted.folder is None) is not wanted.all:
            raise BadValue("give a folder, or say all")
        folder = None if wanted.folder is None else Path(wanted.folder).expanduser()
        if folder is not None and not (folder.is_absolute() and folder.is_dir()):
            raise BadValue(f"{wanted.folder} is not a folder; give its whole path")
        state = workspace.followed.state
        roots = {name: str(host.root(os.environ, Path.home()).absolute()) for name, host in HOSTS.items()}
        named = [] if folder is None else [os.path.realpath(folder)]
        write_settings(state, widened(find_settings(state), named, wanted.all, roots, keep_roots=True))
        doors.look_for_capture()
        return reply(_state(request))

    @app.post(
        "/capture/off", tags=["care"], operation_id="turn_capture_off",
        responses=reads(daemon_answers.CaptureState),
    )  # fmt: skip
    @declare(LOCAL.needing("admin"))
    def turn_off(request: Request) -> Response:
        """Take nothing in any more; what is in the logs stays there."""
        from helix.capture.settings import remove_settings

        remove_settings(workspace_of(request).followed.state)
        return reply(_state(request))

    @app.post(
        "/capture/purge", tags=["care"], operation_id="purge_capture",
        responses=reads(daemon_answers.PurgedCapture, 507),
    )  # fmt: skip
    @declare(LOCAL.needing("admin"))
    def purge_all(request: Request) -> Response:
        """Turn it off, and erase everything that was taken in for good; the transcripts of the hosts stay."""
        from helix.capture.marks import MARKS_FILE, Marks
        from helix.capture.purge import purge
        from helix.capture.settings import remove_settings
        from helix.sessions import append, reading

        state = workspace_of(request).followed.state
        remove_settings(state)  # first: nothing must be taken in again while it is erased
        verbs: dict[str, Callable[..., Any]] = {
            "sessions": reading.sessions, "session_replay": reading.replay, "session_erase": append.erase,
        }  # fmt: skip
        asking = request_of(request)
        sessions, events = purge(lambda name, **fields: dict(verbs[name](asking, **fields)))
        marks = Marks(state / MARKS_FILE)
        marks.clear()
        marks.close()
        return reply({"on": False, "sessions": sessions, "events": events})


def _state(request: Request) -> Payload:
    from helix.capture.settings import find_settings, summary_of
    from helix.memory.distill.finished import summary

    followed = workspace_of(request).followed
    distill = summary(followed.events, followed.config.distill, time())
    return {**summary_of(find_settings(followed.state)), "distill": distill}
