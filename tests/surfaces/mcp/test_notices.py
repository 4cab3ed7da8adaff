"""Clients that want to know are told when memories change, in the way of their era."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Coroutine
from typing import Any

import pytest
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp_types import ResourceUpdatedNotification, ToolListChangedNotification

from tests.surfaces.mcp.serving import Served, Vaulted

PATIENCE = 10.0


class Inbox:
    def __init__(self) -> None:
        self.got: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, message: Any) -> None:
        await self.got.put(message)

    async def next(self) -> Any:
        async with asyncio.timeout(PATIENCE):
            return await self.got.get()

    async def wait_for(self, kind: type) -> Any:
        while not isinstance(message := await self.next(), kind):
            pass
        return message


async def on_loop(at: Served, work: Coroutine[Any, Any, None]) -> None:
    """Run it where the surface runs, which is another thread."""
    loop = at.surface._loop
    assert loop is not None
    await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


async def write(at: Served, text: str) -> None:
    async with at.client("2026-07-28") as other:
        await other.call_tool("memory_write", {"text": text})


@pytest.fixture(autouse=True)
def of_the_old_era() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the client says that subscribing is of the old era, which is the point
        yield


def test_a_session_that_subscribed_hears_of_a_change_until_it_unsubscribes(at: Served) -> None:
    async def story() -> None:
        inbox = Inbox()
        async with at.client("legacy", message_handler=inbox) as client:
            await client.subscribe_resource("helix://graph")
            await write(at, "The harbour light is green")
            notice = await inbox.wait_for(ResourceUpdatedNotification)
            assert notice.params.uri == "helix://graph"
            await client.unsubscribe_resource("helix://graph")
            await on_loop(at, at.surface.served("helix").notices.tell_memories_changed())
            await on_loop(at, at.surface.tools_changed())
            assert isinstance(await inbox.next(), ToolListChangedNotification)

    asyncio.run(story())


def test_a_listener_hears_of_a_change(at: Served) -> None:
    async def story() -> None:
        wanted = ["helix://graph"]
        async with at.client("2026-07-28") as client, client.listen(resource_subscriptions=wanted) as events:
            await write(at, "The pilot boat is yellow")
            async with asyncio.timeout(PATIENCE):
                assert await anext(aiter(events)) == ResourceUpdated("helix://graph")

    asyncio.run(story())


def test_an_edit_by_hand_is_told_as_well(at: Served, vault: Vaulted) -> None:
    async def story() -> None:
        inbox = Inbox()
        async with at.client("legacy", message_handler=inbox) as client:
            await client.subscribe_resource("helix://graph")
            (vault.folder / "by-hand.md").write_text("---\ntitle: By hand\n---\nWritten in an editor.\n")
            await asyncio.to_thread(vault.helix.reconciler.reconcile, ["by-hand.md"], settled=True)
            await inbox.wait_for(ResourceUpdatedNotification)

    asyncio.run(story())


def test_many_changes_at_once_are_told_as_few(at: Served) -> None:
    async def story() -> None:
        inbox = Inbox()
        async with at.client("legacy", message_handler=inbox) as client:
            await client.subscribe_resource("helix://graph")
            for _ in range(100):
                at.surface.memories_changed()
            assert isinstance(await inbox.next(), ResourceUpdatedNotification)
            await on_loop(at, at.surface.tools_changed())
            assert isinstance(await inbox.next(), ToolListChangedNotification)

    asyncio.run(story())


def test_a_change_of_the_tools_reaches_both_eras(at: Served) -> None:
    async def story() -> None:
        inbox = Inbox()
        async with at.client("legacy", message_handler=inbox) as old, at.client("2026-07-28") as new:
            await old.send_ping()
            async with new.listen(tools_list_changed=True) as events:
                await on_loop(at, at.surface.tools_changed())
                await inbox.wait_for(ToolListChangedNotification)
                async with asyncio.timeout(PATIENCE):
                    assert await anext(aiter(events)) == ToolsListChanged()

    asyncio.run(story())


def test_a_subscription_to_nothing_is_refused(at: Served) -> None:
    async def story() -> None:
        async with at.client("legacy") as client:
            with pytest.raises(Exception, match="there is no resource"):
                await client.subscribe_resource("helix://nothing")

    asyncio.run(story())


def test_a_session_that_has_ended_is_forgotten(at: Served) -> None:
    async def story() -> None:
        async with at.client("legacy") as client:
            await client.subscribe_resource("helix://graph")
            assert at.surface.served("helix").notices._subscribed
        async with asyncio.timeout(PATIENCE):
            while at.surface.served("helix").notices._subscribed:
                await asyncio.sleep(0.01)

    asyncio.run(story())
