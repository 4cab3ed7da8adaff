"""The official client through helix-mcp to a real server: what an agent's host does all day, in both eras."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from pydantic import FileUrl

from tests.cli.commands import BIN
from tests.shim.driver import OPENING, shim, text
from tests.shim.servers import FixtureServer
from tests.waiting import wait_for

ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
Story = Callable[[Client], Awaitable[None]]


def tell(server: FixtureServer, era: str, story: Story, **options: Any) -> None:
    # The user names the place and the token: a server of the tests can prove nothing.
    env = {
        "HELIX_URL": server.url,
        "HELIX_TOKEN": "of-the-test",
        "HELIX_CONFIG_DIR": os.devnull,
        "PATH": os.environ["PATH"],
    }
    if "PYTHONPATH" in os.environ:
        env["PYTHONPATH"] = os.environ["PYTHONPATH"]

    async def run() -> None:
        parameters = StdioServerParameters(command=str(BIN / "helix-mcp"), args=["--no-start"], env=env)
        with anyio.fail_after(30):
            async with Client(parameters, mode=era, **options) as client:
                await story(client)

    anyio.run(run)


def said(result: Any) -> str:
    return str(result.content[0].text)


def test_a_client_that_finds_out_by_itself_uses_the_newest_protocol(server: FixtureServer) -> None:
    async def story(client: Client) -> None:
        assert client.protocol_version == "2026-07-28"
        assert "echo" in {tool.name for tool in (await client.list_tools()).tools}

    tell(server, "auto", story)


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_revision_with_a_handshake_is_spoken(server: FixtureServer, revision: str) -> None:
    with shim(server.url) as client:
        opened = client.ask(1, "initialize", {**OPENING, "protocolVersion": revision})
        assert opened["result"]["protocolVersion"] == revision
        client.send("notifications/initialized")
        assert f"mcp-protocol-version: {revision}" in text(client.call(2, "headers")).splitlines()
        assert client.end() == 0


@ERAS
def test_fifty_calls_at_once_each_get_their_own_answer(server: FixtureServer, era: str) -> None:
    async def story(client: Client) -> None:
        got: dict[int, str] = {}

        async def call(number: int) -> None:
            got[number] = said(await client.call_tool("echo", {"text": f"number {number}"}))

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(call, number)
        assert got == {number: f"number {number}" for number in range(50)}

    tell(server, era, story)


@ERAS
def test_megabytes_of_every_script_go_both_ways_unchanged(server: FixtureServer, era: str) -> None:
    long = 'Grüße, 世界 🦉 \u2028\u2029\u0085\x0b\x0c\r\n\t"\\ ' * 60_000

    async def story(client: Client) -> None:
        assert len(long.encode()) > 2_000_000
        assert said(await client.call_tool("echo", {"text": long})) == long

    tell(server, era, story)


@ERAS
def test_progress_comes_before_the_result(server: FixtureServer, era: str) -> None:
    seen: list[tuple[float, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, message))

    async def story(client: Client) -> None:
        result = await client.call_tool("progress", {"steps": 5}, progress_callback=report)
        assert said(result) == "done"
        with anyio.fail_after(5):
            while len(seen) < 5:
                await anyio.sleep(0.01)
        assert seen == [(step, f"step {step}") for step in range(1, 6)]

    tell(server, era, story)


@ERAS
def test_a_cancelled_call_is_cancelled_in_the_server(server: FixtureServer, era: str) -> None:
    name = f"cancelled-{era}"

    async def story(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "slow", {"seconds": 60, "name": name})
            while f"{name} began" not in server.diary():
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        # The connection is not harmed by it.
        assert said(await client.call_tool("echo", {"text": "still here"})) == "still here"
        await anyio.to_thread.run_sync(lambda: wait_for(lambda: f"{name} cancelled" in server.diary()))

    tell(server, era, story)


def test_what_the_server_announces_reaches_the_client_of_the_handshake_era(server: FixtureServer) -> None:
    heard: list[str] = []

    async def listen(message: Any) -> None:
        heard.append(type(message).__name__)

    async def story(client: Client) -> None:
        with anyio.fail_after(10):
            while "ToolListChangedNotification" not in heard:  # its stream opens a moment after the handshake
                await client.call_tool("announce", {})
                await anyio.sleep(0.02)

    tell(server, "legacy", story, message_handler=listen)


def test_a_subscription_of_the_new_era_delivers_and_ends_when_the_client_closes_it(
    server: FixtureServer,
) -> None:
    async def story(client: Client) -> None:
        async with client.listen(tools_list_changed=True) as subscription:
            await client.call_tool("announce", {})
            with anyio.fail_after(10):
                async for event in subscription:
                    assert type(event).__name__ == "ToolsListChanged"
                    break
        assert said(await client.call_tool("echo", {"text": "after"})) == "after"

    tell(server, "2026-07-28", story)


def test_the_server_may_ask_the_client_and_gets_its_answer(server: FixtureServer) -> None:
    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl("file:///home/me"))])

    async def story(client: Client) -> None:
        assert said(await client.call_tool("ask", {})) == "file:///home/me"

    tell(server, "legacy", story, list_roots_callback=roots)


def test_names_that_a_header_cannot_hold_are_called_all_the_same(server: FixtureServer) -> None:
    async def story(client: Client) -> None:
        assert said(await client.call_tool("zählen", {})) == "counted"

    tell(server, "2026-07-28", story)


@ERAS
def test_errors_of_the_server_arrive_as_they_are(server: FixtureServer, era: str) -> None:
    async def story(client: Client) -> None:
        with pytest.raises(Exception, match=r"(?i)not found"):
            await client.list_prompts()

    tell(server, era, story)
