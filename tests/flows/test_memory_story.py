"""One memory's life, told through the service while the real follower watches the folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.compose import open_workspace
from helix.memory.place import Place
from helix.memory.search_engine import open_recall
from helix.memory.writing.write import NewText
from tests.flows.followed import Followed, followed
from tests.memory.asking import Verbs
from tests.waiting import wait_for

ME = Place("billing", "s-1", "claude-code")


@pytest.fixture
def told(tmp_path: Path) -> Iterator[tuple[Followed, Verbs]]:
    with (
        followed(tmp_path) as world,
        open_recall(world.helix) as recall,
        open_workspace(world.helix, lambda: recall) as workspace,
    ):
        yield world, Verbs(workspace)


def found(service: Verbs, question: str) -> list[str]:
    answer = service.search(question, caller=ME, max_tokens=8_000)
    return [f"{one['id']}: {one['text']}" for one in answer["results"]]


def test_written_by_an_agent_edited_by_a_person_moved_copied_by_a_sync_tool_and_forgotten(
    told: tuple[Followed, Verbs],
) -> None:
    world, service = told
    made = service.write(NewText("Auth client retries 3x with jitter", kind="decision"), ME)
    memory_id = made["id"]
    assert any("3x with jitter" in one for one in found(service, "auth retry policy")), "read your own writes"

    path = world.row(memory_id).path
    edited = world.folder / "edited.tmp"
    edited.write_text(world.read(path).replace("3x with jitter", "5x with backoff"))
    os.replace(edited, world.folder / path)
    wait_for(lambda: any("5x with backoff" in one for one in found(service, "auth retry policy")))

    moved = world.folder / "decisions" / "retries.md"
    moved.parent.mkdir()
    os.replace(world.folder / path, moved)
    wait_for(lambda: world.path(memory_id) == "decisions/retries.md")
    assert service.get(memory_id)["path"] == "decisions/retries.md"

    copy = moved.with_name("retries (Ann's conflicted copy 2026-09-25).md")
    copy.write_text(moved.read_text() + "Ann: not for POST.\n")
    wait_for(lambda: "merged_into" in copy.read_text())
    assert len([one for one in found(service, "auth retry policy") if one.startswith(memory_id)]) == 1
    wait_for(lambda: "not for POST" in service.get(memory_id)["text"])

    service.forget(memory_id)
    assert found(service, "auth retry policy") == []
    moved.write_text(moved.read_text().replace("status: deleted", "status: active"))
    wait_for(lambda: found(service, "auth retry policy"))

    service.forget(memory_id, mode="hard")
    assert found(service, "auth retry policy") == []
    assert "backoff" not in "".join(file.read_text() for file in world.folder.rglob("*.md"))


def test_a_file_dropped_by_a_person_is_what_a_write_is_merged_into(told: tuple[Followed, Verbs]) -> None:
    world, service = told
    head = "---\nid: mem_hand\ntitle: Ports\nscope: project\nproject: billing\n---\n"
    world.write("notes/ports.md", f"{head}The gateway of the shop listens on 8443\n")
    wait_for(lambda: found(service, "gateway port"))
    answer = service.write(NewText("The gateway of the shop listens on 8443.", title="Ports"), ME)
    assert (answer["status"], answer["id"]) == ("merged", "mem_hand")
