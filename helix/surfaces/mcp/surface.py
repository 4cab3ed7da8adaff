"""The MCP surface: every dialect at its path, and one place that is told when memories change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from starlette.routing import Route

from helix.dialects.dialect import Dialect
from helix.dialects.registry import DEFAULT, DIALECTS
from helix.memory.place import Place
from helix.memory.workspace import Workspace
from helix.surfaces.mcp.call import Patience, Tools
from helix.surfaces.mcp.caller import requests_to
from helix.surfaces.mcp.direct_calls import DirectCalls
from helix.surfaces.mcp.endpoint import DialectEndpoint
from helix.surfaces.mcp.notices import Notices
from helix.surfaces.mcp.resources import Resources
from helix.surfaces.mcp.routes import dialect_routes
from helix.surfaces.mcp.server import make_server
from helix.surfaces.mcp.sse import SseEndpoint, SseStreams
from helix.surfaces.mcp.worker_threads import Workers

_QUIET = 0.25  # changes this close to each other are told as one


class McpSurface:
    def __init__(
        self,
        workspace: Workspace,
        version: str,
        *,
        is_ready: Callable[[], bool] = lambda: True,
        dialects: Mapping[str, Dialect] = DIALECTS,
        default: str = DEFAULT,
        patience: Patience | None = None,
        on_call: Callable[[Place], None] = lambda place: None,
        streams: SseStreams | None = None,
        **limits: Any,
    ) -> None:
        """`is_ready` says whether search is; `on_call` hears who calls a tool; `limits` are those of an endpoint."""
        self._dialects = dialects
        self._default = default
        self.workers = Workers()
        self.servers: dict[str, Server[Any]] = {}
        self.endpoints: dict[str, DialectEndpoint] = {}
        self.streams = streams or SseStreams()
        self.stream_endpoints: dict[str, SseEndpoint] = {}
        self.notices: dict[str, Notices] = {}
        request_in = requests_to(workspace)
        for name, dialect in dialects.items():
            tools = Tools(dialect, request_in, self.workers, is_ready, patience or Patience(), on_call)
            resources = Resources(dialect, request_in, self.workers)
            direct = DirectCalls(tools)
            notices = Notices(resources, direct)
            server = make_server(dialect, version, tools, resources, notices)
            self.servers[name] = server
            self.notices[name] = notices
            self.endpoints[name] = DialectEndpoint(server, direct, **limits)
            self.stream_endpoints[name] = SseEndpoint(server, self.streams)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def sessions(self) -> int:
        return sum(endpoint.count() for endpoint in self.endpoints.values()) + self.streams.count()

    def routes(self) -> list[Route]:
        """For an app that serves it from the start."""
        return dialect_routes(self._dialects, self._default, self.endpoints, self.stream_endpoints)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as the app serves."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.workers.close)
            for endpoint in self.endpoints.values():
                await stack.enter_async_context(endpoint.run())
            group = await stack.enter_async_context(anyio.create_task_group())
            self._loop = asyncio.get_running_loop()
            group.start_soon(self._tell_changes)
            try:
                yield
            finally:
                self._loop = None
                group.cancel_scope.cancel()

    def memories_changed(self) -> None:
        """From any thread."""
        if (loop := self._loop) is not None:
            loop.call_soon_threadsafe(self._changed.set)

    async def tools_changed(self) -> None:
        """For dialects whose tools depend on what may change; those of today's do not."""
        for notices in self.notices.values():
            await notices.tell_tools_changed()

    def end_streams(self) -> None:
        """From any thread: the daemon is about to stop, and would wait for those who listen."""
        if (loop := self._loop) is not None:
            loop.call_soon_threadsafe(self.streams.end)
            for notices in self.notices.values():
                loop.call_soon_threadsafe(notices.listen.close)

    async def _tell_changes(self) -> None:
        while True:
            await self._changed.wait()
            await anyio.sleep(_QUIET)
            self._changed.clear()
            for notices in self.notices.values():
                await notices.tell_memories_changed()
