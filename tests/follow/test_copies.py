"""Which memories stand in several files, without looking through all of them after every commit."""

from __future__ import annotations

import os

from helix.follow.copies import Copies
from tests.follow.rig import Rig, record


def watched(rig: Rig) -> Copies:
    copies = Copies(rig.catalog)
    rig.reconciler.on_commit.append(copies.committed)
    return copies


def found(copies: Copies) -> dict[str, list[str]]:
    return {rows[0].id: [row.path for row in rows] for rows in copies.find()}


def test_a_copy_that_comes_later_is_found_and_stays_found(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "One.\n"))
    rig.write("b.md", record("mem_b", "Other.\n"))
    rig.follow()
    copies = watched(rig)
    assert found(copies) == {}
    rig.write("z.md", record("mem_a", "Two.\n"))
    rig.follow("z.md")
    assert found(copies) == {"mem_a": ["a.md", "z.md"]} == rig_duplicates(rig)
    rig.write("b.md", record("mem_b", "Another.\n"))
    rig.follow("b.md")
    assert found(copies) == {"mem_a": ["a.md", "z.md"]}


def test_a_file_that_takes_the_id_of_another_is_a_copy_of_it(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "One.\n"))
    rig.write("b.md", record("mem_b", "Other.\n"))
    rig.follow()
    copies = watched(rig)
    assert found(copies) == {}
    rig.write("b.md", record("mem_a", "Other.\n"))
    rig.follow("b.md")
    assert found(copies) == {"mem_a": ["a.md", "b.md"]} == rig_duplicates(rig)


def test_a_copy_that_is_gone_or_cannot_be_read_is_none(rig: Rig) -> None:
    for name in ("a.md", "b.md"):
        rig.write(name, record("mem_a", f"{name}\n"))
    for name in ("c.md", "d.md"):
        rig.write(name, record("mem_c", f"{name}\n"))
    rig.follow()
    copies = watched(rig)
    assert found(copies).keys() == {"mem_a", "mem_c"}
    os.unlink(rig.folder / "b.md")
    rig.write("d.md", "---\nid: mem_c\ntags: [\n---\nText.\n")
    rig.follow()
    assert found(copies) == {} == rig_duplicates(rig)
    rig.write("d.md", record("mem_c", "Mended.\n"))
    rig.follow("d.md")
    assert found(copies).keys() == {"mem_c"}


def rig_duplicates(rig: Rig) -> dict[str, list[str]]:
    return {memory_id: [row.path for row in rows] for memory_id, rows in rig.catalog.duplicates().items()}
