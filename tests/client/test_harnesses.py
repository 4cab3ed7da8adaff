"""The verbs about harnesses, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from helix import AsyncHelix, BadRequest, Helix
from tests.client.conftest import Running, daemon_at


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> object:
    with daemon_at(tmp_path_factory.mktemp("ruled")) as running:
        yield running


def test_every_verb_about_harnesses_can_be_said(ruled: Running, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_bytes(b"# Mine\r\n")
    with Helix(ruled.url, project="zoo") as mem:
        with pytest.raises(BadRequest, match="there is no folder"):
            mem.harnesses.sync(str(tmp_path / "nowhere"))
        kept = mem.write("Feed the seals at noon.", title="Seals", kind="rule", project="zoo")
        mem.write("Speak quietly everywhere.", title="Quiet", tags=["rule"], scope="global")
        mem.write("Nobody feeds the crane.", title="Crane", kind="rule", project="docks")
        assert {rule.title for rule in mem.harnesses.rules_all()} == {"Seals", "Quiet"}
        dry = mem.harnesses.sync(str(tmp_path), dry_run=True)
        assert "+Feed the seals at noon." in dry.files[0].diff
        assert (tmp_path / "CLAUDE.md").read_bytes() == b"# Mine\r\n"

        assert [one.file for one in mem.harnesses.sync(str(tmp_path)).files] == ["CLAUDE.md"]
        text = (tmp_path / "CLAUDE.md").read_bytes()
        assert text.startswith(b"# Mine\r\n")
        assert b"Crane" not in text
        assert not any(one.changed for one in mem.harnesses.sync(str(tmp_path)).files)
        mem.update(kept.id, text="Feed the seals at one.")
        states = {one.file: one.state for one in mem.harnesses.list_all(str(tmp_path))}
        assert states["CLAUDE.md"] == "outdated"
        mem.harnesses.sync(str(tmp_path), harnesses=["claude-code", "cursor"])
        assert "alwaysApply: true" in (tmp_path / ".cursor/rules/helix.mdc").read_text()
        mem.forget(kept.id)
        assert [rule.title for rule in mem.harnesses.rules_all(project="zoo")] == ["Quiet"]
        assert len(mem.harnesses.remove(str(tmp_path)).files) == 2
    assert (tmp_path / "CLAUDE.md").read_bytes() == b"# Mine\r\n"
    assert not (tmp_path / ".cursor").exists()


async def _ask(running: Running, folder: Path) -> None:
    async with AsyncHelix(running.url, project="zoo") as mem:
        assert "Quiet" in [rule.title async for rule in mem.harnesses.rules_all()]
        await mem.harnesses.sync(str(folder), harnesses=["codex"])
        assert "current" in [one.state async for one in mem.harnesses.list_all(str(folder))]
        await mem.harnesses.remove(str(folder))


def test_the_asynchronous_client_says_them_of_harnesses_too(ruled: Running, tmp_path: Path) -> None:
    with Helix(ruled.url) as mem:
        mem.write("Speak quietly everywhere.", title="Quiet", tags=["rule"], scope="global")
    asyncio.run(_ask(ruled, tmp_path))
    assert list(tmp_path.iterdir()) == []
