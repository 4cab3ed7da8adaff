"""Running the plain functions of the service for async callers: a few at a time, and cancelled as far as can be."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

import anyio

from helix.surfaces.mcp.caller import Context

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 8
_LOOK_AGAIN = 0.05
_LAST_CALLS = 5.0

WAITING = "search is getting ready"
WORKING = "at work"


class Workers:
    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, "helix-mcp")
        self.under_way = 0
        """calls that somebody waits for"""

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Cancelled while it is queued it never starts. What has begun ends by itself, and nobody waits for it:
        it keeps its thread, so that calls and cancellations in turn cannot pile up more than there are threads."""
        self.under_way += 1
        try:
            return await asyncio.wrap_future(self._threads.submit(lambda: function(*args, **kwargs)))
        finally:
            self.under_way -= 1

    async def close(self) -> None:
        """Writes that have begun are completed. A long look at the past is not waited for."""
        with anyio.move_on_after(_LAST_CALLS):
            await anyio.to_thread.run_sync(
                lambda: self._threads.shutdown(cancel_futures=True), abandon_on_cancel=True
            )


class Stage:
    """What a call is doing, for those who wait for it."""

    now = WORKING


@asynccontextmanager
async def telling_progress(ctx: Context, every: float) -> AsyncIterator[Stage]:
    """A sign of life now and then, for a client that asked for one."""
    stage = Stage()
    if ctx.meta is None or "progress_token" not in ctx.meta:
        yield stage
        return

    async def beat() -> None:
        for count in itertools.count(1):
            await anyio.sleep(every)
            await ctx.session.report_progress(count, message=stage.now)

    beating = asyncio.create_task(beat())
    try:
        yield stage
    finally:
        beating.cancel()


async def wait_until(is_ready: Callable[[], bool], patience: float) -> None:
    """Holds no thread meanwhile. When patience ends the service says itself what it cannot do yet."""
    with anyio.move_on_after(patience):
        while not is_ready():
            await anyio.sleep(_LOOK_AGAIN)
