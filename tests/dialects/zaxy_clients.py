"""The official client of the protocol, speaking `zaxy` to a real daemon over each of the three transports."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.cli.commands import BIN
from tests.surfaces.conftest import Served

TRANSPORTS = ("stdio", "http", "sse")
SCOPE = "x-zaxy-session-id"
INVALID = "Invalid session_id"
every_transport = pytest.mark.parametrize("transport", TRANSPORTS)


class Refused(Exception):
    """A result that says that it is none: what its document says of the reason."""

    def __init__(self, error: Mapping[str, str]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message, self.remediation = error["code"], error["message"], error["remediation"]


class Zaxy:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def text(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        [item] = result.content
        assert item.type == "text"
        assert result.structured_content is None
        if result.is_error:
            document = json.loads(item.text)
            assert item.text == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False)
            raise Refused(document["error"])
        return item.text

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        return json.loads(await self.text(tool, **arguments))


@asynccontextmanager
async def zaxy(
    served: Served,
    transport: str,
    *,
    project: str = "billing-api",
    scope: str = "",
    env: Mapping[str, str] | None = None,
    era: str = "legacy",
) -> AsyncIterator[Zaxy]:
    """`scope` is the session that a connection is held to; `env` what a host sets for a program that it starts."""
    if transport == "stdio":
        shim = {**served.env, "HELIX_URL": served.url, "HELIX_PROJECT": project, **(env or {})}
        server = StdioServerParameters(
            command=str(BIN / "helix-mcp"), args=["--dialect", "zaxy", "--no-start"], env=shim
        )
        async with Client(server, mode=era) as client:
            yield Zaxy(client)
        return
    headers = {"Helix-Project": project, **({SCOPE: scope} if scope else {})}
    if transport == "sse":
        async with Client(sse_client(f"{served.url}/mcp/zaxy/sse", headers=headers), mode=era) as client:
            yield Zaxy(client)
        return
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        connection = streamable_http_client(f"{served.url}/mcp/zaxy", http_client=http)
        async with Client(connection, mode=era) as client:
            yield Zaxy(client)


Story = Callable[[Zaxy], Awaitable[None]]


def told(served: Served, story: Story, transport: str = "http", **how: Any) -> None:
    wrong: list[Exception] = []

    async def run() -> None:
        async with zaxy(served, transport, **how) as client:
            try:
                await story(client)
            except Exception as error:  # noqa: BLE001
                wrong.append(error)  # raised in here it would come out in several groups

    asyncio.run(run())
    for error in wrong:
        raise error


async def decide(client: Zaxy, session: str, decision: str, summary: str) -> dict[str, Any]:
    payload = {"decision": decision, "summary": summary}
    said = await client(
        "memory_append", event_type="decision.made", actor="agent", payload=payload, session_id=session
    )
    return dict(said)


async def refused(client: Zaxy, tool: str, **arguments: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        await client(tool, **arguments)
    assert caught.value.remediation
    return caught.value
