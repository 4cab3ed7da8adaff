from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helix.index.catalog import Catalog
from helix.vault.note import Note
from helix.vault.problem import Problem
from helix.vault.walk import Signature
from tests.follow.rig import record

SEEN = Signature(1, 2, 3, 4)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    catalog = Catalog(tmp_path / "state" / "catalog.db")
    yield catalog
    catalog.close()


def put(catalog: Catalog, path: str, text: str, needs: str = "") -> Note:
    note = Note.parse(path, text.encode())
    with catalog.transaction():
        catalog.see(path, SEEN)
        catalog.put(note, needs)
    return note


def test_a_row_says_what_its_note_says_without_the_body(catalog: Catalog) -> None:
    note = put(catalog, "a.md", record("mem_a", "The body.\n", title="Ä title", tags="[x, y]"))
    row = catalog.find("mem_a")
    assert row is not None
    assert row == catalog.at("a.md")
    assert (row.path, row.hash, row.state, row.has_id, row.status) == (
        "a.md",
        note.hash,
        note.state,
        True,
        "active",
    )
    assert (row.title, row.kind, row.scope, row.tags) == ("Ä title", "fact", "global", ["x", "y"])
    assert (row.project, row.edges, row.extra, row.created_at) == (None, {}, {}, None)


def test_an_id_that_somebody_typed_is_found_without_regard_to_case_but_exactly_first(
    catalog: Catalog,
) -> None:
    put(catalog, "a.md", record("Mem_A"))
    put(catalog, "b.md", record("mem_a"))
    found = [catalog.find_folded(typed) for typed in ("mem_a", "Mem_A", "MEM_A")]
    assert [row and row.path for row in found] == ["b.md", "a.md", "a.md"]
    assert catalog.find("MEM_A") is None
    assert catalog.is_taken("mem_a")


def test_copies_are_one_memory_which_is_the_file_that_a_merge_will_keep(catalog: Catalog) -> None:
    for path in ("a (1).md", "a.md", "a.sync-conflict-20261116-020741-PEVKUMX.md"):
        put(catalog, path, record("mem_a"))
    assert [row.path for row in catalog.memories()] == ["a.md"]
    assert [len(rows) for rows in catalog.duplicates().values()] == [3]
    assert catalog.count_by_status() == {"active": 1}


def test_of_copies_in_different_states_only_the_chosen_one_counts(catalog: Catalog) -> None:
    put(catalog, "a.md", record("mem_a", status="deleted"))
    put(catalog, "a (1).md", record("mem_a", status="active"))
    put(catalog, "b.md", record("mem_b"))
    assert [row.id for row in catalog.memories()] == ["mem_b"]
    assert [row.path for row in catalog.memories(include_hidden=True)] == ["a.md", "b.md"]
    assert catalog.count_by_status() == {"deleted": 1, "active": 1}


@pytest.mark.parametrize("status", ["superseded", "deleted", "erased"])
def test_hidden_memories_are_listed_only_when_asked_for(catalog: Catalog, status: str) -> None:
    put(catalog, "a.md", record("mem_a", status=status))
    assert catalog.memories() == []
    assert len(catalog.memories(include_hidden=True)) == 1


def test_a_stub_is_no_memory(catalog: Catalog) -> None:
    put(catalog, "a (1).md", record("mem_stub", status="deleted", merged_into='"[[mem_a]]"'))
    assert catalog.memories(include_hidden=True) == []
    assert catalog.find("mem_stub") is None
    assert catalog.count_by_status() == {}
    assert catalog.is_taken("mem_stub")


def test_a_file_that_cannot_be_read_any_more_keeps_its_row_and_yields_to_a_readable_copy(
    catalog: Catalog,
) -> None:
    put(catalog, "a.md", record("mem_a", title="Last good"), needs="stamp")
    with catalog.transaction():
        catalog.see("a.md", SEEN)
        catalog.put_problem(Problem("a.md", "yaml-syntax", "broken", "mend it", 3))
    row = catalog.find("mem_a")
    assert row is not None
    assert (row.title, row.is_stale) == ("Last good", True)
    assert catalog.needing() == []
    put(catalog, "b.md", record("mem_a", title="Readable"))
    assert [row.path for row in catalog.memories()] == ["b.md"]
    assert catalog.duplicates() == {}
    put(catalog, "a.md", record("mem_a", title="Mended"))
    assert len(catalog.duplicates()["mem_a"]) == 2
    assert catalog.problems() == []


def test_what_lies_below_a_folder_is_found_and_no_namesake(catalog: Catalog) -> None:
    for path in ("a/x.md", "a/b/y.md", "a.md", "a-b/z.md", "a0.md", "a"):
        put(catalog, path, "text")
    assert sorted(catalog.signatures("a")) == ["a", "a/b/y.md", "a/x.md"]
    assert len(catalog.signatures()) == 6


def test_an_interrupted_transaction_leaves_nothing(catalog: Catalog) -> None:
    put(catalog, "a.md", record("mem_a"))
    before = catalog.dump()

    def interrupted() -> None:
        with catalog.transaction():
            catalog.drop("a.md")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert catalog.dump() == before


def test_problems_can_be_withdrawn_by_kind_and_by_file(catalog: Catalog) -> None:
    with catalog.transaction():
        for path, code in (("a.md", "x"), ("b.md", "x"), ("a.md", "y")):
            catalog.put_problem(Problem(path, code, "reason"))
        catalog.clear_problems("x", "a.md")
    assert [(problem.path, problem.code) for problem in catalog.problems()] == [("a.md", "y"), ("b.md", "x")]
    with catalog.transaction():
        catalog.clear_problems("x")
    assert [problem.code for problem in catalog.problems()] == ["y"]


def test_doubts_outlive_the_process_until_they_are_ended(tmp_path: Path) -> None:
    first = Catalog(tmp_path / "catalog.db")
    with first.transaction():
        first.doubt(["mem_a", "mem_b", "mem_a"])
    first.close()
    second = Catalog(tmp_path / "catalog.db")
    assert second.doubted() == {"mem_a", "mem_b"}
    with second.transaction():
        second.end_doubts()
    assert second.doubted() == set()
    second.close()


@pytest.mark.parametrize("damage", ["another version", "garbage", "cut off"])
def test_a_catalog_that_cannot_be_used_is_built_anew(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "catalog.db"
    catalog = Catalog(path)
    for number in range(200):
        put(catalog, f"{number}.md", record(f"mem_{number}"))
    catalog.close()
    if damage == "another version":
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 99")
            db.execute("CREATE TABLE other (x)")
    elif damage == "garbage":
        path.write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    else:
        path.write_bytes(path.read_bytes()[:100] + b"\0" * 5000)
    rebuilt = Catalog(path)
    assert rebuilt.count_seen() == 0
    put(rebuilt, "a.md", record("mem_a"))
    assert [row.id for row in rebuilt.memories()] == ["mem_a"]
    rebuilt.close()


def test_readers_see_the_last_commit_while_a_transaction_runs_and_the_writer_sees_its_own_rows(
    catalog: Catalog,
) -> None:
    put(catalog, "a.md", record("mem_a"))
    with ThreadPoolExecutor(1) as others, catalog.transaction():
        catalog.see("b.md", SEEN)
        catalog.put(Note.parse("b.md", record("mem_b").encode()))
        assert catalog.find("mem_b") is not None
        assert others.submit(catalog.find, "mem_b").result(timeout=10) is None
        assert others.submit(catalog.find, "mem_a").result(timeout=10) is not None
    with ThreadPoolExecutor(1) as others:
        assert others.submit(catalog.find, "mem_b").result(timeout=10) is not None


def test_of_a_row_that_is_gone_nothing_stays_in_the_files(catalog: Catalog, tmp_path: Path) -> None:
    put(catalog, "a.md", record("mem_a", title="Quetzalcoatl"))
    put(catalog, "a.md", record("mem_a", title="Other"))
    assert catalog.erase(["mem_a"])
    files = [file for file in (tmp_path / "state").iterdir() if b"Quetzalcoatl" in file.read_bytes()]
    assert files == []


def test_a_catalog_that_was_made_anew_never_has_a_version_of_one_before(
    catalog: Catalog, tmp_path: Path
) -> None:
    seen = set()
    for _ in range(8):
        seen.add(catalog.version())
        (tmp_path / "state" / "catalog.db").unlink()
        catalog.reopen_if_deleted()
    assert len(seen) == 8
