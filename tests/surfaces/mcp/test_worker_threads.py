"""Long calls: signs of life for those who wait, and an end for those who do not."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from mcp_types import CallToolResult

from helix.surfaces.mcp.call import Patience
from helix.surfaces.mcp.surface import McpSurface
from tests.surfaces.mcp.serving import ERAS, VERSION, Vaulted, served
from tests.surfaces.mcp.test_sessions import Gate, gated
from tests.waiting import wait_for

both_eras = pytest.mark.parametrize("era", ERAS)
THREADS = 8


@both_eras
def test_a_long_call_tells_that_it_is_at_work(era: str) -> None:
    gate = Gate()
    heard: list[tuple[float, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        if len(heard) == 3:
            gate.open.set()

    async def story() -> None:
        async with at.client(era) as client:
            await client.call_tool("memory_wait", {}, progress_callback=on_progress)

    with gated(gate, patience=Patience(progress=0.05)) as at:
        asyncio.run(story())
    assert heard[:3] == [(1, "at work"), (2, "at work"), (3, "at work")]


@both_eras
def test_a_client_connects_at_once_while_search_gets_ready_and_a_search_waits(
    vault: Vaulted, era: str
) -> None:
    ready: list[bool] = []
    heard: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        ready.append(True)

    async def story() -> None:
        async with at.client(era) as client:
            assert len((await client.list_tools()).tools) == 6
            missed = await client.call_tool(
                "memory_get", {"id": "mem_none"}
            )  # needs no search, so does not wait
            assert missed.is_error
            assert not ready
            found = await client.call_tool(
                "memory_search", {"query": "anything"}, progress_callback=on_progress
            )
            assert not found.is_error

    surface = McpSurface(
        vault.workspace, VERSION, is_ready=lambda: bool(ready), patience=Patience(progress=0.05)
    )
    with served(surface) as at:
        asyncio.run(story())
    assert heard[0] == "search is getting ready"


async def _abandon(task: asyncio.Task[CallToolResult]) -> float:
    began = time.monotonic()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return time.monotonic() - began


@both_eras
def test_a_cancelled_call_that_waits_its_turn_never_starts_and_one_that_began_completes(era: str) -> None:
    gate = Gate()

    async def story() -> None:
        async with at.client(era) as client:

            def call(name: str) -> asyncio.Task[Any]:
                return asyncio.create_task(client.call_tool("memory_wait", {"name": name}))

            busy = [call(f"busy {number}") for number in range(THREADS)]
            await asyncio.to_thread(wait_for, lambda: len(gate.begun) == THREADS)
            queued = call("queued")
            await asyncio.to_thread(wait_for, lambda: at.surface.workers.under_way == THREADS + 1)
            assert await _abandon(queued) < 2
            assert await _abandon(busy[0]) < 2
            await asyncio.to_thread(wait_for, lambda: at.surface.workers.under_way == THREADS - 1)
            gate.open.set()
            await asyncio.gather(*busy[1:])
            after = await client.call_tool("memory_wait", {"name": "after"})
            assert not after.is_error

    with gated(gate) as at:
        asyncio.run(story())
    names = [one["name"] for one in gate.done]
    assert "queued" not in names
    assert "busy 0" in names
    assert "after" in names


def test_a_call_that_waits_for_search_is_abandoned_at_once(vault: Vaulted) -> None:
    """And holds no thread: as many calls as there are threads may wait, and others are served."""
    asked: list[bool] = []

    def is_ready() -> bool:
        asked.append(False)
        return False

    async def story() -> None:
        async with at.client("legacy") as client:
            waiting = [
                asyncio.create_task(client.call_tool("memory_search", {"query": "anything"}))
                for _ in range(2 * THREADS)
            ]
            await asyncio.to_thread(wait_for, lambda: len(asked) >= 4 * THREADS)
            missed = await client.call_tool("memory_get", {"id": "mem_none"})
            assert missed.is_error
            for task in waiting:
                assert await _abandon(task) < 2

    with served(McpSurface(vault.workspace, VERSION, is_ready=is_ready)) as at:
        asyncio.run(story())
