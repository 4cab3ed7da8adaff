"""Tools over the logs of sessions in the default dialect: there for those who ask for them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.cli.commands import BIN
from tests.surfaces.conftest import Served, serving

SIX = ["memory_search", "memory_context", "memory_write", "memory_get", "memory_forget", "memory_relate"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("sessions")) as one:
        yield one


@asynccontextmanager
async def speaking(served: Served, transport: str, *, tools: str = "sessions") -> AsyncIterator[Client]:
    asked = f"?tools={tools}" if tools else ""
    if transport == "http":
        async with Client(f"{served.url}/mcp{asked}") as client:
            yield client
        return
    options = ["--tools", tools] if tools else []
    env = {**served.env, "HELIX_URL": served.url, "HELIX_SESSION": f"voyage-{transport}"}
    server = StdioServerParameters(command=str(BIN / "helix-mcp"), args=["--no-start", *options], env=env)
    async with Client(server, mode="legacy") as client:
        yield client


async def listed(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_they_are_listed_for_who_asks_and_for_nobody_else(served: Served, transport: str) -> None:
    async def story() -> None:
        async with speaking(served, transport, tools="") as client:
            assert await listed(client) == SIX
        async with speaking(served, transport) as client:
            names = await listed(client)
            assert names[:6] == SIX
            assert {"session_append", "session_checkout", "session_verbatim", "session_query"} <= set(names)
            assert all(name.startswith("session_") for name in names[6:])

    asyncio.run(story())


def test_a_set_of_tools_that_there_is_not_is_refused(served: Served) -> None:
    async def story() -> None:
        async with speaking(served, "http", tools="pirates") as client:
            with pytest.raises(MCPError, match="there are sessions"):
                await client.list_tools()

    asyncio.run(story())


def test_a_session_is_told_with_them_and_what_to_call_next_is_in_the_list(served: Served) -> None:
    async def story() -> None:
        async with speaking(served, "stdio") as client:
            names = set(await listed(client))

            async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                assert result.structured_content is not None
                for name in re.findall(r'"tool": "(\w+)"', json.dumps(result.structured_content)):
                    assert name in names
                return dict(result.structured_content)

            packet = await ask("session_bootstrap", current_task="Mend the bilge pump")
            assert packet["session_id"] == "voyage-stdio"
            assert "session_checkout" in packet["prompt"]
            assert "memory_checkout" not in packet["prompt"]
            able = await ask("session_capabilities")
            assert {tool["name"] for tool in able["tools"]} <= names
            decision = {"decision": "Bilge pump", "summary": "runs every four hours"}
            made = await ask("session_append", type="decision.made", actor="agent", payload=decision)
            assert made["memory"]["status"] == "created"
            await ask("session_after_turn", role="user", content="Does the bilge pump run at night?")
            answer = await ask("session_checkout", query="how often does the bilge pump run")
            assert answer["quality"]["answerability"] == "answer_from_memory"
            assert answer["diagnostics"]["feedback_tool"] == "session_feedback"
            assert "call session_feedback" in answer["prompt"]
            [payload, *_] = answer["guidance"]["feedback"]["payloads"]
            kept = {
                key: payload[key] for key in ("entity_name", "entity_type", "feedback", "query", "citation")
            }
            assert (await ask("session_feedback", **kept))["event_type"] == "memory.reinforced"
            assert (await ask("session_query", query="bilge pump"))["facts"]
            assert (await ask("session_verbatim", query="pump at night"))["results"]
            assert (await ask("session_assemble", query="bilge pump"))["contexts"]
            assert (await ask("session_skill", action="proposed", skill_id="pump"))["status"] == "proposed"
            handed = await ask("session_handover", subagent_session_id="voyage-sub", summary="It runs.")
            assert handed["integrity_ok"]
            closed = await ask("session_invalidate", entity_name="Bilge pump", entity_type="decision")
            assert closed["status"] == "invalidated"
            replayed = await ask("session_replay", max_tokens=20_000)
            assert replayed["integrity"]["ok"]
            assert [event["seq"] for event in replayed["events"]] == list(
                range(1, len(replayed["events"]) + 1)
            )
            wrong = await client.call_tool("session_checkout", {"query": "x", "limit": 1000})
            assert wrong.is_error

    asyncio.run(story())


def test_without_a_session_one_has_to_be_named(served: Served) -> None:
    async def story() -> None:
        async with speaking(served, "http") as client:
            refused = await client.call_tool("session_checkout", {"query": "x"})
            [item] = refused.content
            assert item.type == "text"
            assert "name one as session_id" in item.text
            named = await client.call_tool("session_checkout", {"query": "x", "session_id": "named"})
            assert not named.is_error

    asyncio.run(story())
