"""Properties as plugins and publishing tools write them: their words hide, merge and rewrite nothing."""

from __future__ import annotations

import pytest

from tests.memory.world import World
from tests.vault.foreign import CORPUS


def test_a_vault_of_other_tools_is_followed_whole_and_to_the_byte(world: World) -> None:
    for file in CORPUS:
        (world.folder / file.name).write_bytes(file.read_bytes())
    world.helix.reconciler.reconcile()
    world.helix.mender.mend()
    assert world.files() == {file.name: file.read_bytes() for file in CORPUS}
    seen = {row.path for row in world.helix.catalog.memories()}
    said_hidden = {file.name for file in CORPUS if b"\nstatus: deleted" in file.read_bytes()}
    assert seen == {file.name for file in CORPUS} - said_hidden


def test_two_notes_with_a_number_for_an_id_are_two_memories(world: World) -> None:
    for name in ("a.md", "b.md"):
        world.put(name, f"---\nid: 42\n---\nThe text of {name}.\n")
    assert len(world.helix.catalog.memories()) == 2
    assert world.helix.catalog.duplicates() == {}


@pytest.mark.parametrize(
    "status", ["done", "Published", '"[[Published]]"', "draft", "archived", "[deleted]", "42", "true"]
)
def test_a_status_of_another_tool_leaves_a_note_in_the_answers(world: World, status: str) -> None:
    world.put("a.md", f"---\nstatus: {status}\n---\nPelicans roost on the pier.\n")
    assert [row.status for row in world.helix.catalog.memories()] == ["active"]
