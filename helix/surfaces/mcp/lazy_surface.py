"""The MCP surface, made when somebody first asks for it.

Its library takes a second and tens of megabytes to load. A daemon that no agent is connected to needs neither.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.dialects.registry import DEFAULT, DIALECTS, access_to
from helix.surfaces.mcp.routes import dialect_routes
from helix.surfaces.problems import refuse

if TYPE_CHECKING:
    from helix.surfaces.mcp.surface import McpSurface, ServedDialect

log = logging.getLogger(__name__)


class McpSoon:
    def __init__(self, make: Callable[[], McpSurface]) -> None:
        self._make = make
        self._surface: McpSurface | None = None
        self.is_loading = False
        """somebody waits for it; read from any thread"""
        self._is_wanted = anyio.Event()
        self._is_there = anyio.Event()
        self._has_ended = anyio.Event()

    async def surface(self) -> McpSurface | None:
        """None when it cannot be made, or will not be any more."""
        self._is_wanted.set()
        await self._is_there.wait()
        return self._surface

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as the app serves."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._serve)
            try:
                yield
            finally:
                self._has_ended.set()
                self._is_wanted.set()

    async def _serve(self) -> None:
        await self._is_wanted.wait()
        if self._has_ended.is_set():
            self._is_there.set()  # for who asks while the daemon stops
            return
        self.is_loading = True
        try:
            surface = await anyio.to_thread.run_sync(self._make)
        except Exception:  # a broken library: the other surfaces go on
            log.exception("the MCP surface cannot be made")
            self._is_there.set()
            return
        finally:
            self.is_loading = False
        async with surface.run():
            self._surface = surface
            self._is_there.set()
            await self._has_ended.wait()

    def sessions(self) -> int:
        return 0 if self._surface is None else self._surface.sessions()

    def memories_changed(self) -> None:
        """From any thread."""
        if self._surface is not None:
            self._surface.memories_changed()

    def end_streams(self) -> None:
        """From any thread: the daemon is about to stop, and would wait for those who listen."""
        if self._surface is not None:
            self._surface.end_streams()


def mcp_routes(soon_of: Callable[[Scope], McpSoon], dialects: Collection[str] = DIALECTS) -> list[Route]:
    """`soon_of` gives the surface of the workspace that a request is about; `dialects` are the names of those that are
    served."""
    return dialect_routes(
        {name: access_to(name) for name in dialects},
        DEFAULT,
        {name: _Awaited(soon_of, name, lambda served: served.endpoint) for name in dialects},
        {name: _Awaited(soon_of, name, lambda served: served.stream_endpoint) for name in dialects},
    )


class _Awaited:
    """A dialect at its path, from before there is anything to answer with."""

    def __init__(
        self, soon_of: Callable[[Scope], McpSoon], dialect: str, endpoint: Callable[[ServedDialect], ASGIApp]
    ) -> None:
        """`endpoint` is that of one transport."""
        self._soon_of = soon_of
        self._dialect = dialect
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        surface = await self._soon_of(scope).surface()
        if surface is None:
            refusal = refuse("internal", "MCP cannot be served now; the log of the daemon says why")
            await refusal(scope, receive, send)
        else:
            await self._endpoint(await surface.started(self._dialect))(scope, receive, send)
