"""A real MCP server, both eras of the protocol, with tools that show what a shim must carry.

Run as `python -m tests.shim.mcp_server PORT FOLDER`; what must outlive a kill is in files of that folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from helix.surfaces.daemon_proof import routes as proof

TOKEN = "of-the-test"  # noqa: S105 (of nobody)
READ_ONLY = types.ToolAnnotations(read_only_hint=True)
WRITING = types.ToolAnnotations(read_only_hint=False, idempotent_hint=False)
TOOLS = {
    "echo": READ_ONLY,
    "slow": READ_ONLY,
    "progress": READ_ONLY,
    "announce": READ_ONLY,
    "ask": READ_ONLY,
    "headers": READ_ONLY,
    "count": WRITING,
    "zählen": WRITING,
}


class Fixture:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bus = InMemorySubscriptionBus()
        self.server: Server[dict[str, Any]] = Server(
            "fixture",
            version="1",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=ListenHandler(self._bus),
            get_tool_input_schema=lambda _: {"type": "object"},
        )

    def note(self, what: str) -> None:
        with (self._folder / "diary").open("a", encoding="utf-8") as diary:
            diary.write(what + "\n")

    async def _list(self, _: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, input_schema={"type": "object"}, annotations=hints)
                for name, hints in TOOLS.items()
            ]
        )

    async def _call(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        act = getattr(self, f"_{'count' if params.name == 'zählen' else params.name}")
        return types.CallToolResult(content=[types.TextContent(text=await act(context, **arguments))])

    async def _echo(self, _: Any, text: str, times: int = 1) -> str:
        return text * times

    async def _slow(self, _: Any, seconds: float, name: str = "slow") -> str:
        self.note(f"{name} began")
        try:
            await anyio.sleep(seconds)
        except anyio.get_cancelled_exc_class():
            self.note(f"{name} cancelled")
            raise
        self.note(f"{name} done")
        return "done"

    async def _progress(self, context: Any, steps: int) -> str:
        for step in range(steps):
            await context.session.report_progress(step + 1, steps, f"step {step + 1}")
        return "done"

    async def _announce(self, context: Any) -> str:
        await context.session.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())
        return "announced"

    async def _ask(self, context: Any) -> str:
        roots = await context.session.list_roots()
        return ",".join(str(root.uri) for root in roots.roots)

    async def _headers(self, context: Any) -> str:
        return "\n".join(f"{name}: {value}" for name, value in context.request.headers.items())

    async def _count(self, _: Any, hang: bool = False, idempotency_key: str = "") -> str:
        self.note(f"count {idempotency_key}".strip())
        if hang and not (self._folder / "free").exists():
            await anyio.sleep(60)
        return "counted"


def application(fixture: Fixture) -> Starlette:
    sessions = StreamableHTTPSessionManager(app=fixture.server, max_request_body_size=32 * 1024 * 1024)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    async def healthz(_: Request) -> JSONResponse:
        return JSONResponse({"version": "fixture"})

    async def forget(_: Request) -> JSONResponse:
        """Lose every session, as a daemon does that was restarted."""
        for one in list(sessions._server_instances.values()):
            await one.terminate()
        sessions._server_instances.clear()
        return JSONResponse({})

    async def sessions_open(_: Request) -> JSONResponse:
        return JSONResponse(list(sessions._server_instances))

    return Starlette(
        routes=[
            Route("/mcp", endpoint=StreamableHTTPASGIApp(sessions)),
            Route("/healthz", healthz),
            Route("/forget", forget, methods=["POST"]),
            Route("/sessions", sessions_open),
            *proof(lambda: TOKEN),
        ],
        lifespan=lifespan,
    )


def main(port: int, folder: Path) -> None:
    fixture = Fixture(folder)
    fixture.note(f"server {os.getpid()}")
    settings = uvicorn.Config(
        application(fixture), host="127.0.0.1", port=port, log_level="error", timeout_graceful_shutdown=1
    )
    uvicorn.Server(settings).run()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
