"""The transport of 2024-11-05, with the official client where it can show what is asked, else with bare requests."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp_types import ResourceUpdatedNotification

from helix.config import load
from helix.memory.workspace import Workspace
from helix.surfaces.mcp.sse import SseStreams
from helix.surfaces.mcp.surface import McpSurface
from helix.token_file import TokenFile
from tests.flows.daemon import Daemon
from tests.surfaces.mcp.serving import ERAS, VERSION, NoWorkspace, Served, Vaulted, served
from tests.surfaces.mcp.test_daemon import daemon
from tests.surfaces.mcp.test_notices import Inbox, of_the_old_era, write
from tests.surfaces.mcp.test_sessions import Gate
from tests.waiting import wait_for

__all__ = ["daemon", "of_the_old_era"]

PATHS = ("/mcp/sse", "/mcp/helix/sse", "/mcp/vault/sse")


@asynccontextmanager
async def connected(url: str, era: str = "legacy", owner: str = "", **options: Any) -> AsyncIterator[Client]:
    headers = {**options.pop("headers", {}), **({"Authorization": f"Bearer {owner}"} if owner else {})}
    transport = sse_client(url, headers=headers)
    async with Client(transport, mode="legacy" if era == "legacy" else "auto", **options) as client:
        yield client


class Stream:
    """One that is read line by line, by a client that does no more than it is told to."""

    def __init__(self, base: str, answer: httpx.Response, headers: dict[str, str]) -> None:
        self.status = answer.status_code
        self.lines = answer.iter_lines()
        self._headers = headers
        self.posted_to = base + self.next("endpoint") if self.status == 200 else ""

    def next(self, kind: str) -> str:
        assert next(line for line in self.lines if line.startswith("event: ")) == f"event: {kind}"
        return next(self.lines).removeprefix("data: ")

    def post(self, method: str, number: int | None = None, **params: Any) -> httpx.Response:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = message if number is None else {**message, "id": number}
        return httpx.post(self.posted_to, json=body, headers=self._headers, timeout=20)

    def initialize(self) -> dict[str, Any]:
        client = {"name": "raw", "version": "0"}
        posted = self.post("initialize", 0, protocolVersion="2024-11-05", capabilities={}, clientInfo=client)
        assert (posted.status_code, posted.text) == (202, "Accepted")
        return dict(json.loads(self.next("message"))["result"])


@contextmanager
def opened(url: str, path: str = "/mcp/sse", owner: str = "") -> Iterator[Stream]:
    headers = {"Authorization": f"Bearer {owner}"} if owner else {}
    with httpx.stream("GET", url + path, headers=headers, timeout=20) as answer:
        yield Stream(url, answer, headers)


@contextmanager
def serving_streams(instructions: str = "", **limits: Any) -> Iterator[Served]:
    gate = Gate()
    dialect = replace(gate.dialect, instructions=instructions)
    workspace = cast(Workspace, NoWorkspace())
    with served(
        McpSurface(
            workspace,
            VERSION,
            dialects={"gate": dialect, "other": dialect},
            default="gate",
            streams=SseStreams(**limits),
        )
    ) as at:
        try:
            yield at
        finally:
            gate.open.set()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("path", PATHS)
def test_the_official_client_lists_and_calls_tools(at: Served, path: str, era: str) -> None:
    async def story() -> None:
        async with connected(at.url + path, era, "anna") as client:
            assert client.protocol_version == ("2025-11-25" if era == "legacy" else era)
            tools = {tool.name for tool in (await client.list_tools()).tools}
            if "vault" in path:
                assert tools == {"memory_search", "memory_recall", "memory_append", "memory_forget"}
                entry = {"title": f"Gulls {era}", "body": "The gulls of the quay nest in May"}
                written = await client.call_tool("memory_append", entry)
            else:
                assert "memory_context" in tools
                written = await client.call_tool("memory_write", {"text": f"The quay{path} of {era} is long"})
            assert not written.is_error
            found = await client.call_tool("memory_search", {"query": "the quay"})
            assert found.structured_content is not None
            assert found.structured_content["results"]
            assert (await client.call_tool("memory_forget", {"id": "mem_x"})).is_error

    asyncio.run(story())


def test_a_client_that_never_says_that_it_is_initialized_is_served(at: Served) -> None:
    with opened(at.url) as stream:
        assert stream.initialize()["serverInfo"]["name"] == "helix"
        assert stream.post("tools/list", 1).status_code == 202
        assert json.loads(stream.next("message"))["result"]["tools"]


def test_what_the_stream_was_opened_with_counts_for_every_message(at: Served, vault: Vaulted) -> None:
    """The posts carry none of it."""

    async def story() -> None:
        headers = {"Helix-Session": "voyage-7", "Helix-Project": "harbour"}
        async with httpx.AsyncClient(timeout=20) as http:
            url = f"{at.url}/mcp/sse?names=dotted"
            async with http.stream("GET", url, headers=headers) as answer:
                lines = answer.aiter_lines()
                posted_to = at.url + [await anext(lines), await anext(lines)][1].removeprefix("data: ")

                async def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
                    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                    assert (await http.post(posted_to, json=body)).status_code == 202
                    async for line in lines:
                        if line.startswith("data: "):
                            return dict(json.loads(line.removeprefix("data: "))["result"])
                    raise AssertionError("the stream ended")

                client = {"name": "old-timer", "version": "0"}
                hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client}
                await ask(0, "initialize", hello)
                tools = (await ask(1, "tools/list", {}))["tools"]
                assert "memory.write" in [tool["name"] for tool in tools]
                wish = {"text": "The anchor of voyage seven is lost", "scope": "session"}
                said = await ask(2, "tools/call", {"name": "memory_write", "arguments": wish})
                memory_id = json.loads(said["content"][0]["text"])["id"]
        [file] = vault.folder.rglob(f"{memory_id}.md")
        text = file.read_text("utf-8")
        assert "voyage-7" in text
        assert "harbour" in text
        assert "old-timer" in text

    asyncio.run(story())


def test_without_a_name_for_its_session_a_stream_is_one_whose_id_is_in_no_note(
    at: Served, vault: Vaulted
) -> None:
    with opened(at.url) as stream:
        stream.initialize()
        wish = {"text": "The fog bell of the mole is cracked", "scope": "session"}
        stream.post("tools/call", 1, name="memory_write", arguments=wish)
        memory_id = json.loads(json.loads(stream.next("message"))["result"]["content"][0]["text"])["id"]
        [file] = vault.folder.rglob(f"{memory_id}.md")
        text = file.read_text("utf-8")
        assert "mcp-" in text
        assert stream.posted_to.partition("=")[2] not in text


def test_a_stream_that_subscribed_hears_of_a_change(at: Served) -> None:
    async def story() -> None:
        inbox = Inbox()
        async with connected(f"{at.url}/mcp/sse", message_handler=inbox) as client:
            await client.subscribe_resource("helix://graph")
            await write(at, "The ferry to the island is blue")
            await inbox.wait_for(ResourceUpdatedNotification)

    asyncio.run(story())


def test_a_stream_belongs_to_who_opened_it_and_to_its_dialect(at: Served) -> None:
    with opened(at.url, owner="anna") as stream:
        stream.initialize()
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

        def post(url: str, owner: str) -> httpx.Response:
            return httpx.post(url, json=body, headers={"Authorization": f"Bearer {owner}"} if owner else {})

        elsewhere = stream.posted_to.replace("/mcp/", "/mcp/vault/")
        nowhere = f"{at.url}/mcp/messages/"
        refused = [
            post(stream.posted_to, "bert"),
            post(stream.posted_to, ""),
            post(elsewhere, "anna"),
            post(nowhere, "anna"),
            post(f"{nowhere}?session_id=x", "anna"),
        ]
        assert [answer.status_code for answer in refused] == [404] * 5
        assert len({answer.text for answer in refused}) == 1
        assert post(stream.posted_to, "anna").status_code == 202
        assert json.loads(stream.next("message")) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_what_is_no_message_is_refused_and_the_stream_goes_on(at: Served) -> None:
    with opened(at.url) as stream:
        stream.initialize()
        for body in (b"{", b"[]", b"\xff", b'{"jsonrpc": "1.0"}', b"[" * 100_000):
            answer = httpx.post(stream.posted_to, content=body, headers={"Content-Type": "application/json"})
            assert (answer.status_code, answer.json()["code"]) == (400, "bad-request")
        stream.post("ping", 1)
        assert json.loads(stream.next("message"))["id"] == 1


def test_each_path_takes_one_method(at: Served) -> None:
    for method, path, allowed in (("POST", "/mcp/sse", "GET"), ("GET", "/mcp/messages/", "POST")):
        answer = httpx.request(method, at.url + path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
        assert answer.json()["code"] == "wrong-method"


def test_the_vault_dialect_asks_for_a_token_at_both_paths(at: Served) -> None:
    assert httpx.get(f"{at.url}/mcp/vault/sse").status_code == 401
    assert httpx.post(f"{at.url}/mcp/vault/messages/").status_code == 401


def test_there_are_only_so_many_streams_for_one_principal_whatever_they_speak() -> None:
    with serving_streams(most_streams=2) as at:
        with opened(at.url) as first, opened(at.url, "/mcp/other/sse") as second:
            assert first.initialize()
            assert second.initialize()
            refused = httpx.get(f"{at.url}/mcp/sse")
            assert (refused.status_code, refused.json()["code"]) == (429, "rate-limited")
            assert refused.headers["retry-after"]
            assert at.surface.sessions() == 2
        wait_for(lambda: at.surface.sessions() == 0)
        with opened(at.url) as again:
            assert again.initialize()


def test_a_silent_stream_is_kept_alive() -> None:
    with serving_streams(ping_seconds=0.02) as at, opened(at.url) as stream:
        comments = [line for line, _ in zip(stream.lines, range(9), strict=False) if line]
        assert set(comments) == {": still here"}
        assert len(comments) >= 3


def test_a_stream_lasts_as_long_as_it_is_used_and_pings_are_no_use() -> None:
    with serving_streams(idle_seconds=1.5, ping_seconds=0.1) as at, opened(at.url) as stream:
        until = time.monotonic() + 2
        while time.monotonic() < until:
            assert stream.post("notifications/initialized").status_code == 202
        assert ": still here" in list(stream.lines)
        assert stream.post("ping", 1).status_code == 404
        assert at.surface.sessions() == 0


def test_a_client_that_asks_and_does_not_read_is_told_so() -> None:
    with (
        serving_streams(instructions="x" * 20_000_000, post_patience=0.2) as at,
        opened(at.url) as stream,
    ):
        hello = {
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "0"},
        }
        answers = (stream.post("initialize", number, **hello) for number in range(20))
        refused = next(answer for answer in answers if answer.status_code != 202)
        assert (refused.status_code, refused.json()["code"]) == (503, "busy")


def test_the_daemon_serves_both_dialects_and_stops_though_streams_are_open(
    daemon: Daemon, place: Path
) -> None:
    token = TokenFile(load(os.environ, place)).get()

    async def story() -> None:
        async with connected(f"{daemon.url}/mcp/sse") as client:
            written = await client.call_tool("memory_write", {"text": "The bell tower is struck at noon"})
            assert written.structured_content is not None
            assert list((place / "vault").rglob(f"{written.structured_content['id']}.md"))
        async with connected(f"{daemon.url}/mcp/vault/sse", owner=token) as client:
            found = await client.call_tool("memory_search", {"query": "bell tower"})
            assert found.structured_content is not None
            assert "noon" in found.structured_content["results"][0]["body"]

    asyncio.run(story())
    assert daemon.get("/mcp/vault/sse")[0] == 401
    with ExitStack() as stack:
        wait_for(lambda: daemon.get("/status")[1].count('"mcp_sessions":0'))
        streams = [stack.enter_context(opened(daemon.url)) for _ in range(10)]
        assert [stream.status for stream in streams] == [200] * 10
        assert daemon.get("/mcp/vault/sse", {"Authorization": f"Bearer {token}"})[0] == 429
        streams[0].initialize()
        foreign = httpx.post(
            streams[0].posted_to,
            json={"jsonrpc": "2.0", "id": 1, "method": "ping"},
            headers={"Authorization": f"Bearer {token}"},
        )
        assert (foreign.status_code, foreign.json()["code"]) == (404, "no-such-path")
        began = time.monotonic()
        daemon.process.terminate()
        for stream in streams:
            assert not [line for line in stream.lines if line]  # ends in good order
        assert daemon.process.wait(20) in (0, -15)
        assert time.monotonic() - began < 4  # less than the daemon would wait for them
    assert "Traceback" not in daemon.last_words()
