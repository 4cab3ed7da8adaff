"""A note whose properties cannot be read still has its text: found, marked, and never written to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from helix.errors import MemoryNotFound, NoteError
from helix.memory.writing.amend import Amendment
from helix.vault.ids import derived_id
from tests.memory.world import ME, World, record

BROKEN = "---\ncreated: {{date}}\ntags: [open\n---\n# Pelicans\n\nPelicans roost on the pier.\n"
PATH = "birds/water.md"
ID = derived_id(PATH)


def test_it_is_found_by_its_text_and_marked(world: World) -> None:
    file = world.put(PATH, BROKEN)
    [hit] = world.service.search("pelicans roost", caller=ME)["results"]
    assert (hit["id"], hit["properties_unread"]) == (ID, True)
    got = world.service.get(ID)
    assert (got["title"], got["properties_unread"]) == ("Pelicans", True)
    assert "{{date}}" not in got["text"]
    [recent] = world.service.recent(caller=ME)["results"]
    assert recent["properties_unread"]
    assert file.read_text("utf-8") == BROKEN
    [problem] = world.service.conflicts()["conflicts"]
    assert (problem["path"], problem["line"]) == (PATH, 2)


def test_a_note_that_can_be_read_has_no_mark(world: World) -> None:
    world.put("a.md", record("mem_a", "Pelicans roost on the pier."))
    assert "properties_unread" not in world.service.get("mem_a")


@pytest.mark.parametrize(
    "change",
    [
        lambda world: world.helix.store.adopt(ID),
        lambda world: world.helix.store.forget(ID),
        lambda world: world.helix.store.restore(ID),
        lambda world: world.helix.store.erase(ID),
        lambda world: world.helix.store.supersede(ID),
        lambda world: world.service.update(ID, Amendment(text="Other")),
        lambda world: world.service.forget(ID),
        lambda world: world.service.relate(ID, "mem_b", "relates_to"),
    ],
    ids=["adopt", "forget", "restore", "erase", "supersede", "update", "service forget", "relate"],
)
def test_every_change_is_refused_and_names_the_line(world: World, change: Callable[[World], object]) -> None:
    file = world.put(PATH, BROKEN)
    world.put("b.md", record("mem_b", "Another"))
    with pytest.raises(NoteError) as refused:
        change(world)
    assert refused.value.message.startswith("birds/water.md:2: ")
    assert file.read_text("utf-8") == BROKEN


@pytest.mark.parametrize(
    "line",
    [
        "status: deleted",
        "status: 'erased'",
        'status: "superseded"',
        "Status: Deleted",
        '"status" : deleted',
        "status:\n  deleted",
        "status: !!str deleted",
        "deleted_at: 2026-06-01T10:00:00Z",
        'merged_into: "[[mem_a]]"',
    ],
)
def test_one_that_says_that_it_is_hidden_is_in_no_answer(world: World, line: str) -> None:
    world.put(PATH, BROKEN.replace("tags: [open", f"{line}\ntags: [open"))
    assert world.service.search("pelicans roost", caller=ME)["results"] == []
    with pytest.raises(MemoryNotFound):
        world.service.get(ID)


@pytest.mark.parametrize(
    "line", ["status: done", 'status: "[[Published]]"', "task-status: deleted", "status:"]
)
def test_words_of_other_tools_hide_nothing(world: World, line: str) -> None:
    world.put(PATH, BROKEN.replace("tags: [open", f"{line}\ntags: [open"))
    assert world.service.get(ID)["properties_unread"]


def test_what_a_note_said_last_stays_when_its_properties_break(world: World) -> None:
    world.put(PATH, record("mem_a", "Pelicans roost on the pier.", title="Birds"))
    world.put(PATH, BROKEN.replace("tags:", "id: mem_a\ntags:"))
    assert [row.id for row in world.helix.catalog.memories()] == ["mem_a"]
    assert world.helix.catalog.memories()[0].title == "Birds"
    with pytest.raises(NoteError) as refused:
        world.service.get("mem_a")
    assert refused.value.message.startswith("birds/water.md:2: ")


def test_an_id_among_properties_that_cannot_be_read_is_nobodys(world: World) -> None:
    world.put("a.md", record("mem_a", "The first text."))
    world.put(PATH, BROKEN.replace("tags:", "id: mem_a\ntags:"))
    assert {row.id for row in world.helix.catalog.memories()} == {"mem_a", ID}
    assert world.helix.catalog.duplicates() == {}
    assert "first" in world.service.get("mem_a")["text"]


def test_a_broken_file_of_a_memory_that_was_forgotten_stays_hidden(world: World) -> None:
    world.put("a.md", record("mem_a", "Pelicans roost on the pier."))
    world.helix.store.forget("mem_a")
    world.put(PATH, BROKEN.replace("tags:", "id: mem_a\ntags:"))
    assert world.service.search("pelicans roost", caller=ME)["results"] == []


def test_a_memory_that_is_erased_takes_its_broken_copies_out_of_the_answers(world: World) -> None:
    world.put("a.md", record("mem_a", "Pelicans roost on the pier."))
    world.put(PATH, BROKEN.replace("tags:", "id: mem_a\ntags:"))
    world.helix.store.erase("mem_a")
    assert world.service.search("pelicans roost", caller=ME)["results"] == []


def test_a_conflict_copy_that_cannot_be_read_is_no_memory_of_its_own(world: World) -> None:
    world.put("water (Ann's conflicted copy 2026-09-25).md", BROKEN)
    assert world.helix.catalog.memories() == []


def test_a_note_that_is_mended_is_read_as_any_other(world: World) -> None:
    world.put(PATH, BROKEN)
    world.put(PATH, record("mem_a", "Pelicans roost on the pier.", title="Birds"))
    assert [row.id for row in world.helix.catalog.memories()] == ["mem_a"]
    assert "properties_unread" not in world.service.get("mem_a")


def test_one_without_a_text_is_no_memory(world: World) -> None:
    world.put(PATH, "---\nid: [\n---\n")
    assert world.helix.catalog.memories() == []
