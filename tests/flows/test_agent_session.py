"""An agent's session as its host lives it: helix-mcp starts the real daemon, which is killed in the middle of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.cli.commands import BIN, helix
from tests.flows.daemon import free_port
from tests.waiting import wait_for


def pid_of_daemon(place: Path) -> int | None:
    for file in (place / "state").rglob("daemon.json"):
        return int(json.loads(file.read_text())["pid"])
    return None


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    said: dict[str, Any] = dict(result.structured_content or {})
    return said


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_a_session_goes_on_over_the_death_of_the_daemon(
    place: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    before: list[int] = []

    async def story(client: Client) -> None:
        kept = await ask(
            client, "memory_write", text="The orchard has nine pear trees", idempotency_key="pears"
        )
        many = await asyncio.gather(
            *(ask(client, "memory_search", query=f"pear trees {number}") for number in range(40)),
            *(ask(client, "memory.write", text=f"Berth {number} takes barges") for number in range(10)),
        )
        assert all(kept["id"] in {one["id"] for one in said["results"]} for said in many[:40])
        long = await ask(
            client, "memory_write", text="Ein langer Text über Äpfel. 苹果 " * 40_000, force=True
        )
        first = pid_of_daemon(place)
        assert first is not None
        before.append(first)
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: not is_alive(first))
        again = await ask(client, "memory_search", query="how many pear trees are there")
        assert kept["id"] in {one["id"] for one in again["results"]}
        retried = await ask(
            client, "memory_write", text="The orchard has nine pear trees", idempotency_key="pears"
        )
        assert (retried["id"], retried["status"]) == (kept["id"], "noop")
        read = await ask(client, "memory_get", id=long["id"], max_tokens=2_000)
        assert read["truncated"]
        assert "苹果" in read["text"]

    async def run() -> None:
        parameters = StdioServerParameters(command=str(BIN / "helix-mcp"), env=dict(os.environ))
        with anyio.fail_after(90):
            async with Client(parameters, mode=era) as client:
                await story(client)

    try:
        anyio.run(run)
        files = list((place / "vault").rglob("mem_*pear-trees*.md"))
        assert len(files) == 1, "a retry over the restart wrote nothing twice"
    finally:
        last = pid_of_daemon(place)
        if last is not None and last not in before:
            os.kill(last, signal.SIGTERM)
            wait_for(lambda: not is_alive(last), 30)
