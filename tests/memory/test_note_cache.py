from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from helix.memory.reading.note_cache import NoteCache
from tests.memory.world import World, record


def put(world: World, name: str, text: str) -> Path:
    return world.put(f"{name}.md", record(f"mem_{name}", text))


def later() -> float:
    """Files that were written a moment ago have not been touched for a while by then."""
    return time.time() + 60


def test_a_note_that_nobody_touched_is_parsed_once(world: World) -> None:
    put(world, "tide", "The tide table is printed on Mondays")
    notes = NoteCache(world.helix.vault, wall=later)
    assert notes.read("tide.md") is notes.read("tide.md")


def test_a_note_that_was_touched_a_moment_ago_is_read_again(world: World) -> None:
    put(world, "tide", "The tide table is printed on Mondays")
    notes = NoteCache(world.helix.vault)
    assert notes.read("tide.md") is not notes.read("tide.md")


def test_an_edit_is_seen_at_once_also_one_that_keeps_size_and_time(world: World) -> None:
    file = put(world, "tide", "The tide table is printed on Mondays")
    notes = NoteCache(world.helix.vault, wall=later)
    notes.read("tide.md")
    before = file.stat()
    time_of_edit = before.st_mtime_ns
    while os.stat(file).st_ctime_ns == before.st_ctime_ns:  # until the clock of the file system has moved on
        file.write_text(file.read_text("utf-8").replace("Mondays", "Tuesday"), "utf-8")
        os.utime(file, ns=(time_of_edit, time_of_edit))
    assert "Tuesday" in notes.read("tide.md").memory.body


def test_a_file_that_is_gone_is_gone(world: World) -> None:
    file = put(world, "tide", "The tide table is printed on Mondays")
    notes = NoteCache(world.helix.vault, wall=later)
    notes.read("tide.md")
    file.unlink()
    with pytest.raises(FileNotFoundError):
        notes.read("tide.md")


def test_what_is_known_of_a_memory_overrules_a_note_that_was_read_before(world: World) -> None:
    put(world, "tide", "The tide table is printed on Mondays")
    notes = world.helix.notes
    notes.wall = later
    assert notes.read("tide.md").memory.visible
    text = (world.folder / "tide.md").read_text("utf-8")
    world.service.forget("mem_tide")
    # The old file comes back over the tombstone, as a sync tool would bring it.
    (world.folder / "tide.md").write_text(text, "utf-8")
    assert not notes.read("tide.md").memory.visible


def test_an_erased_text_leaves_the_cache(world: World) -> None:
    put(world, "tide", "The word was zanzibar")
    put(world, "moon", "The other word was timbuktu")
    notes = world.helix.notes
    notes.wall = later
    kept = notes.read("tide.md")
    assert notes.read("tide.md") is kept
    world.service.forget("mem_tide", mode="hard")
    assert not [one for one in notes._kept.values() if "zanzibar" in one.note.memory.body]
    assert "zanzibar" not in notes.read("tide.md").memory.body


def test_only_so_much_is_kept_and_what_was_read_last_stays(world: World) -> None:
    for name in ("one", "two", "three"):
        put(world, name, f"Note {name} " + "x" * 400)
    size = (world.folder / "one.md").stat().st_size
    notes = NoteCache(world.helix.vault, room=size * 2 + 20, wall=later)
    first, second = notes.read("one.md"), notes.read("two.md")
    assert notes.read("one.md") is first
    notes.read("three.md")
    assert notes.read("one.md") is first
    assert notes.read("two.md") is not second
