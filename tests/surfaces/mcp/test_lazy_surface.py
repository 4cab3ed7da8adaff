"""MCP is served when it is first asked for, and costs nothing before."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import httpx
from starlette.applications import Starlette
from starlette.testclient import TestClient

from helix.surfaces.mcp.lazy_surface import McpSoon, mcp_routes
from helix.surfaces.mcp.surface import McpSurface
from tests.flows.daemon import Daemon
from tests.surfaces.mcp.test_daemon import daemon

__all__ = ["daemon"]

_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_HEADERS = {"Accept": "application/json, text/event-stream"}


def test_a_daemon_without_an_agent_does_not_load_the_library() -> None:
    program = "import sys, helix.daemon.serve; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"mcp", "mcp_types", "lancedb", "onnxruntime"}.isdisjoint(done.stdout.split())


def test_a_dialect_that_nobody_speaks_is_not_loaded() -> None:
    program = """
import asyncio, sys
from helix.surfaces.mcp.known_answers import _with_handshake
from helix.surfaces.mcp.surface import McpSurface

async def speak():
    surface = McpSurface(None, "1")
    async with surface.run():
        await _with_handshake((await surface.started("helix")).endpoint)

asyncio.run(speak())
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.split() if name.startswith("helix.dialects.")]
    assert "helix.dialects.helix.tools" in loaded
    assert not [name for name in loaded if name.startswith(("helix.dialects.vault", "helix.dialects.zaxy"))]


def test_those_who_come_first_at_the_same_time_are_answered_as_those_who_come_later(daemon: Daemon) -> None:
    paths = ["/mcp", "/mcp", "/mcp/vault", "/mcp/nobody"]
    go = threading.Barrier(len(paths))

    def ask(path: str) -> tuple[int, str]:
        answer = httpx.post(f"{daemon.url}{path}", json=_PING, headers=_HEADERS, timeout=60)
        return answer.status_code, answer.text

    def ask_at_once(path: str) -> tuple[int, str]:
        go.wait()
        return ask(path)

    with ThreadPoolExecutor(len(paths)) as pool:
        first = list(pool.map(ask_at_once, paths))
    assert first == [ask(path) for path in paths]
    assert [status for status, _ in first][3] == 404


def test_a_daemon_that_nobody_asked_over_mcp_stops_as_it_should(daemon: Daemon) -> None:
    assert daemon.health()["state"] == "ready"
    daemon.process.terminate()
    assert daemon.process.wait(20) == 0


def test_a_library_that_cannot_be_loaded_costs_mcp_and_nothing_else() -> None:
    def broken() -> McpSurface:
        raise ImportError("half an upgrade")

    soon = McpSoon(broken)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with soon.run():
            yield

    with TestClient(Starlette(routes=mcp_routes(lambda _: soon), lifespan=lifespan)) as client:
        paths = ("/mcp", "/mcp/vault", "/mcp", "/mcp/messages/")
        answers = [client.get("/mcp/sse"), *(client.post(path, json=_PING) for path in paths)]
    assert [answer.status_code for answer in answers] == [500] * 5
    assert "the log of the daemon says why" in answers[0].text
    assert "half an upgrade" not in answers[0].text
    assert soon.sessions() == 0
