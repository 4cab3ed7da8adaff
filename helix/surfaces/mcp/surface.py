"""The MCP surface: every dialect at its path, and one place that is told when memories change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.lowlevel import Server
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.dialects.dialect import Dialect, SessionWords
from helix.dialects.registry import DEFAULT, DIALECTS, access_to
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


class ServedDialect:
    """One dialect, over both transports. Made when it is first spoken."""

    def __init__(
        self,
        server: Server[Any],
        direct: DirectCalls,
        notices: Notices,
        streams: SseStreams,
        words: SessionWords | None = None,
        **limits: Any,
    ) -> None:
        self.server = server
        self.direct = direct
        self.notices = notices
        self.endpoint = DialectEndpoint(server, direct, words=words, **limits)
        self.stream_endpoint = SseEndpoint(server, streams, words)
        self.is_running = False

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        async with self.endpoint.run():
            self.is_running = True
            task_status.started()
            await anyio.sleep_forever()


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
        self._workspace = workspace
        self._version = version
        self._is_ready = is_ready
        self._dialects = dialects
        self._default = default
        self._patience = patience or Patience()
        self._on_call = on_call
        self._limits = limits
        self.workers = Workers()
        self.streams = streams or SseStreams()
        self._served: dict[str, ServedDialect] = {}
        self._starting = anyio.Lock()
        self._group: TaskGroup | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def served(self, name: str) -> ServedDialect:
        """What serves a dialect."""
        if name not in self._served:
            dialect = self._dialects[name]
            request_in = requests_to(self._workspace, dialect.session_header)
            tools = Tools(dialect, request_in, self.workers, self._is_ready, self._patience, self._on_call)
            resources = Resources(dialect, request_in, self.workers)
            direct = DirectCalls(tools)
            notices = Notices(resources, direct)
            server = make_server(dialect, self._version, tools, resources, notices)
            self._served[name] = ServedDialect(
                server, direct, notices, self.streams, dialect.sessions, **self._limits
            )
        return self._served[name]

    async def started(self, name: str) -> ServedDialect:
        """The same, ready for requests. Only while the app serves."""
        served = self.served(name)
        # To the end, though the client that asked first may leave: the library starts it once.
        with anyio.CancelScope(shield=True):
            async with self._starting:
                if not served.is_running and self._group is not None:
                    await self._group.start(served.run)
        return served

    def sessions(self) -> int:
        return sum(served.endpoint.count() for served in self._served.values()) + self.streams.count()

    def routes(self) -> list[Route]:
        """For an app that serves it from the start."""
        return dialect_routes(
            {name: access_to(name) for name in self._dialects},
            self._default,
            {name: _Started(self, name, lambda served: served.endpoint) for name in self._dialects},
            {name: _Started(self, name, lambda served: served.stream_endpoint) for name in self._dialects},
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as the app serves."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.workers.close)
            self._group = await stack.enter_async_context(anyio.create_task_group())
            self._loop = asyncio.get_running_loop()
            self._group.start_soon(self._tell_changes)
            try:
                yield
            finally:
                self._loop = None
                self._group.cancel_scope.cancel()

    def memories_changed(self) -> None:
        """From any thread."""
        if (loop := self._loop) is not None:
            loop.call_soon_threadsafe(self._changed.set)

    async def tools_changed(self) -> None:
        """For dialects whose tools depend on what may change; those of today's do not."""
        for served in list(self._served.values()):
            await served.notices.tell_tools_changed()

    def end_streams(self) -> None:
        """From any thread: the daemon is about to stop, and would wait for those who listen."""
        if (loop := self._loop) is not None:
            loop.call_soon_threadsafe(self.streams.end)
            for served in list(self._served.values()):
                loop.call_soon_threadsafe(served.notices.listen.close)

    async def _tell_changes(self) -> None:
        while True:
            await self._changed.wait()
            await anyio.sleep(_QUIET)
            self._changed.clear()
            for served in list(self._served.values()):
                await served.notices.tell_memories_changed()


class _Started:
    """A dialect at its path."""

    def __init__(
        self, surface: McpSurface, dialect: str, endpoint: Callable[[ServedDialect], ASGIApp]
    ) -> None:
        """`endpoint` is that of one transport."""
        self._surface = surface
        self._dialect = dialect
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoint(await self._surface.started(self._dialect))(scope, receive, send)
