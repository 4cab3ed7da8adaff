"""The past over MCP, where the vault is a git repository."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from mcp import Client

from helix.memory.writing.amend import Amendment
from helix.surfaces.mcp.surface import McpSurface
from tests.surfaces.mcp.serving import VERSION, Vaulted, served, vaulted
from tests.surfaces.mcp.test_tools import ask, refused, told


def _commit(vault: Vaulted) -> None:
    person = ("-c", "user.name=A person", "-c", "user.email=person@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*person, "commit", "-q", "-m", "As it was")):
        subprocess.run(["git", "-C", str(vault.folder), *words], check=True, capture_output=True)


def test_a_memory_is_read_and_found_as_it_was(place: Path) -> None:
    with vaulted(place) as vault, served(McpSurface(vault.workspace, VERSION)) as at:

        async def story(client: Client) -> None:
            kept = await ask(client, "memory_write", text="The sluice opens at seven")
            assert (await refused(client, "memory_get", id=kept["id"], ref="HEAD")).endswith("(no-history)")
            await asyncio.to_thread(_commit, vault)
            vault.service.update(kept["id"], Amendment(text="The sluice opens at nine"))
            now = await ask(client, "memory_search", query="when does the sluice open")
            then = await ask(client, "memory_search", query="when does the sluice open", ref="HEAD")
            assert "nine" in now["results"][0]["text"]
            assert "seven" in then["results"][0]["text"]
            assert "seven" in (await ask(client, "memory_get", id=kept["id"], ref="HEAD"))["text"]
            pack = await ask(client, "memory_context", task="open the sluice", ref="HEAD")
            assert "seven" in pack["context"]

        told(at, "2026-07-28", story)
