"""The official client of the protocol, speaking `novamem` to a real daemon over each of the three transports."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.cli.commands import BIN
from tests.surfaces.conftest import Served

every_transport = pytest.mark.parametrize("transport", ["stdio", "http", "sse"])


class Failed(Exception):
    """A result that says that it is none."""


class Novamem:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, /, **arguments: Any) -> Any:
        result = await self.client.call_tool(tool, arguments)
        [item] = result.content
        assert item.type == "text"
        if result.is_error:
            assert result.structured_content is None
            raise Failed(item.text)
        assert result.structured_content == json.loads(item.text)
        return result.structured_content

    async def found(self, query: str, **how: Any) -> list[str]:
        return [entry["content"] for entry in (await self("memory_search", query=query, **how))["results"]]


@asynccontextmanager
async def novamem(
    url: str,
    transport: str = "http",
    *,
    key: str = "",
    project: str = "",
    path: str = "/mcp/novamem",
    folder: Path | None = None,
    **env: str,
) -> AsyncIterator[Novamem]:
    if transport == "stdio":
        own = {**env, "HELIX_URL": url, "HELIX_PROJECT": project, **({"HELIX_TOKEN": key} if key else {})}
        shim = ["--dialect", "novamem", "--no-start"]
        server = StdioServerParameters(command=str(BIN / "helix-mcp"), args=shim, env=own, cwd=folder)
        async with Client(server, mode="legacy") as client:
            yield Novamem(client)
        return
    headers = {
        **({"Authorization": f"Bearer {key}"} if key else {}),
        **({"Helix-Project": project} if project else {}),
    }
    if transport == "sse":
        async with Client(sse_client(f"{url}{path}/sse", headers=headers), mode="legacy") as client:
            yield Novamem(client)
        return
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url + path, http_client=http), mode="legacy") as client,
    ):
        yield Novamem(client)


def told(
    served: Served, story: Callable[[Novamem], Awaitable[None]], transport: str = "http", **how: Any
) -> None:
    wrong: list[Exception] = []

    async def run() -> None:
        env = dict(served.env) if transport == "stdio" else {}
        async with novamem(served.url, transport, folder=served.place, **how, **env) as client:
            try:
                await story(client)
            except Exception as error:  # noqa: BLE001
                wrong.append(error)  # raised in here it would come out in several groups

    asyncio.run(run())
    for error in wrong:
        raise error


async def failure(client: Novamem, tool: str, /, **arguments: Any) -> str:
    with pytest.raises(Failed) as caught:
        await client(tool, **arguments)
    return str(caught.value)
