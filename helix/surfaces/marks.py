"""Read your own writes at whichever daemon: an answer says up to where it has come, and a request may bring that along.

`Helix-Version` of an answer names a moment of the index; sent back as `Helix-Seen` it is waited for, for a while.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.surfaces.doors import find_doors

SEEN, VERSION = "helix-seen", "Helix-Version"
_LONGEST = 80


@dataclass
class VersionMarks:
    """Of one request."""

    seen: str = ""
    """what its client has seen"""
    written: str = ""
    """what another daemon wrote for it"""


current: ContextVar[VersionMarks | None] = ContextVar("helix_marks", default=None)


class Marked:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        marks = VersionMarks(Headers(scope=scope).get(SEEN, "")[:_LONGEST])

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                doors = find_doors(scope)
                engine = None if doors is None else doors.find_engine()
                if mark := marks.written or ("" if engine is None else engine.written()):
                    MutableHeaders(scope=message)[VERSION] = mark
            await send(message)

        before = current.set(marks)
        try:
            await self._app(scope, receive, send_marked)
        finally:
            current.reset(before)
