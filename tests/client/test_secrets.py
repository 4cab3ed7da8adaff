"""The verbs about secrets, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from helix import AsyncHelix, Conflict, Forbidden, Helix, NotFound
from tests.client.conftest import Running, daemon_at
from tests.waiting import wait_for

VALUE = "walrus-token-4711-tusk"


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with daemon_at(
        tmp_path_factory.mktemp("allowing"), settings='[secrets]\nprograms = ["env", "sleep"]\n'
    ) as one:
        yield one


def test_every_verb_about_secrets_can_be_said(allowing: Running) -> None:
    with Helix(allowing.url) as mem:
        assert mem.secrets.set("github", VALUE).version == 1
        with pytest.raises(Conflict, match="already"):
            mem.secrets.set("github", VALUE)
        assert mem.secrets.rotate("github", f"{VALUE}-2").version == 2
        assert [known.name for known in mem.secrets.list_all()] == ["github"]
        begun = mem.secrets.run(["env"], {"GH": "github"})
        wait_for(lambda: mem.secrets.get_run(begun.run_id).state == "succeeded")
        assert "GH=[REDACTED]" in mem.secrets.get_run(begun.run_id).stdout
        sleeping = mem.secrets.run(["sleep", "60"], {}, timeout=90)
        mem.secrets.cancel_run(sleeping.run_id)
        wait_for(lambda: mem.secrets.get_run(sleeping.run_id).state == "cancelled")
        assert [known.run_id for known in mem.secrets.runs_all()] == [sleeping.run_id, begun.run_id]
        with pytest.raises(Forbidden, match=r"secrets\.programs"):
            mem.secrets.run(["cat"], {})
        assert mem.secrets.delete("github").status == "deleted"
        with pytest.raises(NotFound, match="no secret"):
            mem.secrets.delete("github")


async def _ask(running: Running) -> None:
    async with AsyncHelix(running.url) as mem:
        assert (await mem.secrets.set("quay", VALUE)).name == "quay"
        assert "quay" in [known.name async for known in mem.secrets.list_all()]
        await mem.secrets.delete("quay")


def test_the_asynchronous_client_says_them_of_secrets_too(allowing: Running) -> None:
    asyncio.run(_ask(allowing))
