"""The verbs about sources, from both clients, against a real daemon that follows them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from helix import AsyncHelix, BadRequest, Helix, NotFound
from tests.client.conftest import Running
from tests.sources.repositories import commit, repository, write
from tests.waiting import wait_for


def test_every_verb_about_sources_can_be_said_and_the_daemon_follows(
    running: Running, tmp_path: Path
) -> None:
    shop = repository(tmp_path / "shop", {"a.md": "Walruses bask on the quay.\n"})
    with Helix(running.url) as mem:
        made = mem.sources.connect(str(shop), name="quay")
        assert (made.status, made.folder) == ("connected", str(shop))
        wait_for(lambda: mem.sources.health("quay").state == "ready")
        assert [source.name for source in mem.sources.list_all()] == ["quay"]
        [hit] = mem.search("lane:source walruses bask").results
        assert hit.citation is not None
        assert hit.citation.startswith(f"{shop}/a.md@")
        write(shop, {"b.md": "Belugas whistle in the fog.\n"})
        wait_for(lambda: mem.search("lane:source belugas whistle").results)
        assert "@" not in str(mem.search("lane:source belugas whistle").results[0].citation)
        head = commit(shop)
        wait_for(lambda: head[:12] in str(mem.search("lane:source belugas whistle").results[0].citation))
        (shop / "b.md").unlink()
        wait_for(lambda: mem.sources.health(made.id).files == 1)
        assert mem.sources.index(made.id, anew=True).name == "quay"
        wait_for(lambda: mem.sources.health("quay").state == "ready")
        with pytest.raises(BadRequest, match="from the root"):
            mem.sources.connect("shop")
        assert mem.sources.purge("quay").status == "purged"
        with pytest.raises(NotFound, match="no source"):
            mem.sources.health("quay")


def test_every_verb_about_code_can_be_said(running: Running, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "program", {"a.py": "def bask():\n    pass\n", "b.py": "from a import bask\n\n\nbask()\n"}
    )
    with Helix(running.url) as mem:
        source = mem.sources.connect(str(folder))
        wait_for(lambda: mem.sources.health(source.id).state == "ready")
        [found] = mem.code.find("bask", source=source.id).symbols
        assert (found.path, found.line, found.kind) == ("a.py", 1, "function")
        affected = mem.code.impact("bask", source=source.id)
        assert [(node.path, node.relation, node.distance) for node in affected.affected] == [
            ("b.py", "calls", 1)
        ]
        assert mem.code.neighborhood("bask", source=source.id).neighbors[0].direction == "in"
        assert [stop.path for stop in mem.code.tour(source=source.id).stops] == ["a.py", "b.py"]
        with pytest.raises(NotFound, match="no symbol"):
            mem.code.impact("zanzibar")
        mem.sources.purge(source.id)


async def _ask(running: Running, folder: Path) -> None:
    async with AsyncHelix(running.url) as mem:
        made = await mem.sources.connect(str(folder), project="ferry")
        assert made.project == "ferry"
        assert made.id in [source.id async for source in mem.sources.list_all()]
        await mem.sources.purge(made.id)


def test_the_asynchronous_client_says_them_of_sources_too(running: Running, tmp_path: Path) -> None:
    asyncio.run(_ask(running, write(tmp_path / "ferry", {"a.md": "x\n"})))


def test_sources_are_followed_again_after_a_restart(tmp_path: Path) -> None:
    from tests.client.conftest import daemon_at
    from tests.flows.daemon import running_daemon

    place = tmp_path / "place"
    place.mkdir()
    folder = write(tmp_path / "notes", {"a.md": "Dugongs graze.\n"})
    with daemon_at(place) as running, Helix(running.url) as mem:
        source = mem.sources.connect(str(folder))
        wait_for(lambda: mem.sources.health(source.id).state == "ready")
    write(folder, {"b.md": "Manatees yawn.\n"})
    with running_daemon(dict(running.env)) as daemon, Helix(daemon.url) as mem:
        wait_for(lambda: mem.search("lane:source manatees yawn").results)
