"""The verbs about projects, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio

import pytest

from helix import AsyncHelix, Helix, NotFound
from tests.client.conftest import Running


def test_every_verb_about_projects_can_be_said(running: Running) -> None:
    with Helix(running.url, project="") as mem:
        made = mem.create_project("rookery", members=["ines"])
        assert (made.status, made.owner, made.members) == ("created", None, ("ines",))
        assert mem.share_project("rookery", "ben").members == ("ben", "ines")
        assert mem.unshare_project("rookery", "ben").members == ("ines",)
        assert mem.transfer_project("rookery", "ines").owner == "ines"
        assert mem.activate_project("rookery").project == "rookery"
        written = mem.write("The penguins moult in May", visibility="team")
        assert mem.get(written.id).project == "rookery"
        [listed] = [one for one in mem.projects_all() if one.project == "rookery"]
        assert (listed.owner, listed.members, listed.is_active) == ("ines", ("ines",), True)
        assert mem.deactivate_project().project is None
        assert mem.update(written.id, visibility="private").status == "updated"
        assert mem.delete_project("rookery").forgotten == 1
        with pytest.raises(NotFound, match="no project"):
            mem.share_project("rookery", "ben")


async def _ask(running: Running) -> None:
    async with AsyncHelix(running.url) as mem:
        assert (await mem.create_project("burrow")).status == "created"
        assert (await mem.delete_project("burrow")).status == "deleted"


def test_both_clients_have_them(running: Running) -> None:
    asyncio.run(_ask(running))
