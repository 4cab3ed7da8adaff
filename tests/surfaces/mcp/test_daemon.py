"""MCP of a real helixd, from the handshake to the file in the vault."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_types import ResourceUpdatedNotification

from tests.cli.commands import helix
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.surfaces.mcp.serving import Serving
from tests.surfaces.mcp.test_notices import Inbox


@pytest.fixture
def daemon(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    with running_daemon() as running:
        yield running


def test_a_memory_is_written_found_and_told_of_and_the_daemon_stops_though_somebody_listens(
    daemon: Daemon, place: Path
) -> None:
    at = Serving(daemon.url)

    async def story() -> None:
        inbox = Inbox()
        async with at.client("legacy", message_handler=inbox) as old, at.client("2026-07-28") as new:
            written = await old.call_tool("memory.add", {"text": "The bell tower is struck at noon"})
            assert written.structured_content is not None
            memory_id = written.structured_content["id"]
            [file] = (place / "vault").rglob(f"{memory_id}.md")
            found = await new.call_tool("memory_search", {"query": "when is the bell tower struck"})
            assert found.structured_content is not None
            assert found.structured_content["results"][0]["id"] == memory_id

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                await old.subscribe_resource("helix://graph")
            file.write_text(file.read_text().replace("at noon", "at dusk"))
            await inbox.wait_for(ResourceUpdatedNotification)
            again = await new.call_tool("memory_get", {"id": memory_id})
            assert again.structured_content is not None
            assert "at dusk" in again.structured_content["text"]

            async with new.listen(tools_list_changed=True) as events:
                began = time.monotonic()
                daemon.process.terminate()
                async for _ in events:
                    pass  # the stream ends in good order
                await asyncio.to_thread(daemon.process.wait, 20)
                assert time.monotonic() - began < 4  # less than the daemon would wait for it

    asyncio.run(story())
    assert daemon.process.returncode in (0, -15)


def test_the_vault_dialect_is_closed_to_those_without_a_token(daemon: Daemon) -> None:
    status, said = daemon.get("/mcp/vault", {"accept": "application/json, text/event-stream"}, "POST")
    assert status == 401
    assert "token" in said
    assert daemon.get("/mcp/none")[0] == 404
