"""The MCP surface: every dialect at its path, and one place that is told when memories change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from helix.dialects.dialect import Dialect
from helix.dialects.registry import DEFAULT, DIALECTS
from helix.memory.place import Place
from helix.memory.workspace import Workspace
from helix.surfaces.mcp.call import Patience, Tools
from helix.surfaces.mcp.caller import requests_to
from helix.surfaces.mcp.endpoint import Endpoint
from helix.surfaces.mcp.lazy_surface import PATH
from helix.surfaces.mcp.notices import Notices
from helix.surfaces.mcp.resources import Resources
from helix.surfaces.mcp.server import make_server
from helix.surfaces.mcp.worker_threads import Workers
from helix.surfaces.problems import to_body

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
        **limits: Any,
    ) -> None:
        """`is_ready` says whether search is; `on_call` hears who calls a tool; `limits` are those of Endpoint."""
        self._default = default
        self.workers = Workers()
        self.servers: dict[str, Server[Any]] = {}
        self._endpoints: dict[str, Endpoint] = {}
        self.notices: dict[str, Notices] = {}
        request_in = requests_to(workspace)
        for name, dialect in dialects.items():
            tools = Tools(dialect, request_in, self.workers, is_ready, patience or Patience(), on_call)
            resources = Resources(dialect, request_in, self.workers)
            notices = Notices(resources)
            server = make_server(dialect, version, tools, resources, notices)
            self.servers[name] = server
            self.notices[name] = notices
            self._endpoints[name] = Endpoint(server, needs_credential=dialect.needs_credential, **limits)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def sessions(self) -> int:
        return sum(endpoint.count() for endpoint in self._endpoints.values())

    def routes(self) -> list[Route]:
        """Exact paths: a mount would redirect, and clients do not follow a redirected POST."""
        paths = {f"{PATH}/{name}": endpoint for name, endpoint in self._endpoints.items()}
        paths[PATH] = self._endpoints[self._default]
        known = ", ".join(self._endpoints)

        def unknown(request: Request) -> JSONResponse:
            name = str(request.path_params["dialect"])[:80]
            said = f"there is no dialect {name!r}; there are {known}" if name else f"the path is {PATH}"
            return JSONResponse(to_body(said, "not-found"), status_code=404)

        every_method = ["GET", "POST", "DELETE", "PUT", "PATCH"]
        return [
            *(Route(path, endpoint) for path, endpoint in paths.items()),
            Route(f"{PATH}/{{dialect:path}}", unknown, methods=every_method),
        ]

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as the app serves."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.workers.close)
            for endpoint in self._endpoints.values():
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
        for notices in self.notices.values():
            await notices.tell_tools_changed()

    def end_streams(self) -> None:
        """From any thread: the daemon is about to stop, and would wait for those who listen."""
        if (loop := self._loop) is not None:
            for notices in self.notices.values():
                loop.call_soon_threadsafe(notices.listen.close)

    async def _tell_changes(self) -> None:
        while True:
            await self._changed.wait()
            await anyio.sleep(_QUIET)
            self._changed.clear()
            for notices in self.notices.values():
                await notices.tell_memories_changed()
