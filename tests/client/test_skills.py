"""The verbs about published skills, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix import AsyncHelix, BadRequest, Conflict, Helix, NotFound
from tests.cli.commands import helix
from tests.client.conftest import Running, daemon_at

STEPS = ["Fetch the fish", "Feed the seals"]


@pytest.fixture(scope="module")
def skilled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with daemon_at(tmp_path_factory.mktemp("skilled")) as running:
        yield running


def teach(mem: Helix, skill_id: str, action: str = "validated", **more: object) -> None:
    for done in ("proposed", action):
        mem.sessions.skill("s", done, skill_id, summary=f"How {skill_id} is done", procedure=STEPS, **more)  # type: ignore[arg-type]


def test_a_skill_goes_from_the_log_to_the_folder_of_a_harness_and_back(
    skilled: Running, tmp_path: Path
) -> None:
    folder = str(tmp_path)
    with Helix(skilled.url) as mem:
        mem.sessions.skill("s", "proposed", "feeding", summary="How seals are fed", procedure=STEPS)
        with pytest.raises(BadRequest, match="is proposed"):
            mem.skills.publish("feeding")
        teach(mem, "feeding")
        first = mem.skills.publish("feeding")
        assert (first.name, first.status) == ("feeding", "published")
        assert mem.skills.publish("feeding").status == "noop"
        [listed] = [one for one in mem.skills.list_all() if one.name == "feeding"]
        assert listed.hash == first.hash
        assert "1. Fetch the fish" in listed.text
        teach(mem, "other")
        with pytest.raises(Conflict, match="another skill"):
            mem.skills.publish("other", name="feeding")

        [pulled] = mem.skills.pull(folder=folder, harnesses=["claude-code"]).skills
        file = tmp_path / ".claude/skills/feeding/SKILL.md"
        assert (pulled.state, file.read_text()) == ("written", listed.text)
        assert [one.state for one in mem.skills.pull(folder=folder).skills] == ["current"]

        file.write_text(listed.text + "3. Wash your hands\n")
        for _ in range(2):
            done = mem.skills.pull(folder=folder)
            assert [one.state for one in done.skills] == ["edited"]
            assert len(done.proposed) == 1
        [item] = [item for item in mem.inbox_all() if item.what == "skill-edit"]
        assert "+3. Wash your hands" in item.detail
        assert mem.accept(item.key).id == first.id
        assert not [item for item in mem.inbox_all() if item.what == "skill-edit"]
        assert [one.state for one in mem.skills.pull(folder=folder).skills] == ["current"]
        [listed] = [one for one in mem.skills.list_all() if one.name == "feeding"]
        assert listed.text == file.read_text()

        mem.skills.withdraw("feeding")
        with pytest.raises(NotFound, match="is published"):
            mem.skills.withdraw("feeding")
        assert [one.state for one in mem.skills.pull(folder=folder).skills] == ["removed"]
    assert list(tmp_path.iterdir()) == []


def test_an_edit_that_is_turned_down_is_not_asked_again(skilled: Running, tmp_path: Path) -> None:
    with Helix(skilled.url) as mem:
        teach(mem, "walking")
        published = mem.skills.publish("walking")
        [listed] = [one for one in mem.skills.list_all() if one.name == "walking"]
        text = listed.text.replace("Fetch", "Bring")
        proposed = mem.skills.propose("walking", text, published.hash)
        assert mem.skills.propose("walking", text, published.hash).status == "noop"
        [item] = [item for item in mem.inbox_all() if item.what == "skill-edit"]
        assert [action["name"] for action in item.actions] == ["accept", "forget", "dismiss"]
        mem.forget(proposed.id)
        assert mem.skills.propose("walking", text, published.hash).status == "noop"
        assert not [item for item in mem.inbox_all() if item.what == "skill-edit"]
        with pytest.raises(BadRequest, match="name: walking"):
            mem.skills.propose("walking", text.replace("name: walking", "name: running"), published.hash)
        mem.skills.withdraw("walking")


def test_a_long_skill_is_written_whole_and_listed_in_few_words(skilled: Running, tmp_path: Path) -> None:
    steps = [f"Feed seal {number} with {' and '.join(['a herring'] * 40)}" for number in range(100)]
    with Helix(skilled.url) as mem:
        for done in ("proposed", "validated"):
            mem.sessions.skill("s", done, "counting", summary="How seals are counted", procedure=steps)
        mem.skills.publish("counting")
        [listed] = mem.skills.list(max_tokens=64, limit=1).skills
        assert (listed.truncated, listed.text) == (True, "")
        command = ("skill", "pull", "counting", "--harness", "claude-code", "--folder", str(tmp_path))
        helix(*command, env={**skilled.env, "HELIX_URL": skilled.url})
        assert steps[-1] in (tmp_path / ".claude/skills/counting/SKILL.md").read_text()
        mem.skills.withdraw("counting")


async def _ask(running: Running, folder: Path) -> None:
    async with AsyncHelix(running.url) as mem:
        await mem.skills.publish("diving", description="When seals dive", visibility="team")
        assert "diving" in [one.name async for one in mem.skills.list_all()]
        await mem.skills.pull(folder=str(folder), names=["diving"], harnesses=["gemini"], dry_run=True)
        await mem.skills.pull(folder=str(folder), names=["diving"], harnesses=["gemini"])
        assert (folder / ".gemini/skills/diving/SKILL.md").is_file()
        await mem.skills.unpull(folder=str(folder))
        await mem.skills.withdraw("diving")


def test_the_asynchronous_client_says_them_of_skills_too(skilled: Running, tmp_path: Path) -> None:
    with Helix(skilled.url) as mem:
        teach(mem, "diving")
    asyncio.run(_ask(skilled, tmp_path))
    assert list(tmp_path.iterdir()) == []
