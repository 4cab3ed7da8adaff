"""The tools over sources and code, through a real daemon, for who asks for them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from mcp import Client

from tests.code_graph.test_languages import program
from tests.dialects.test_session_tools import SIX, listed
from tests.sources.repositories import repository
from tests.surfaces.conftest import serving
from tests.waiting import wait_for

TOOLS = ["code_find", "code_impact", "code_neighborhood", "code_tour", "source_list"]


def test_they_are_listed_for_who_asks_and_answer(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", program("python"))

    async def story(url: str) -> None:
        async with Client(f"{url}/mcp?tools=knowledge") as client:
            assert await listed(client) == [*SIX, *TOOLS]

            async def ask(tool: str, **arguments: Any) -> Any:
                answer = await client.call_tool(tool, arguments)
                assert not answer.is_error, answer.content
                return answer.structured_content or json.loads(answer.content[0].text)  # type: ignore[union-attr]

            assert (await ask("source_list"))["sources"][0]["name"] == "shop"
            assert (await ask("code_find", symbol="Gateway"))["symbols"][0]["path"] == "shop/pay.py"
            assert (await ask("code_impact", symbol="Gateway.charge"))["total"] == 2
            assert (await ask("code_neighborhood", symbol="shop/desk.py"))["neighbors"]
            assert (await ask("code_tour"))["stops"][0]["path"] == "shop/pay.py"
            hits = await ask("memory_search", query="lane:source retry order")
            assert "shop/" in hits["results"][0]["citation"]
            refused = await client.call_tool("code_impact", {"symbol": "zanzibar"})
            assert refused.is_error

    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served") as served:
        source_id = served.http.post("/sources", json={"path": str(shop)}).json()["id"]
        wait_for(lambda: served.http.get(f"/sources/{source_id}/health").json()["state"] == "ready")
        asyncio.run(story(served.url))
