from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helix.errors import NoteError
from helix.index.catalog import Catalog
from helix.index.search import Searcher
from helix.memory.reading.vault_view import VaultView
from helix.vault.note import Note
from helix.vault.walk import Signature
from tests.follow.rig import record

SEEN = Signature(1, 2, 3, 4)
PATHS = [f"{folder}{name}.md" for folder in ("", "sub/", "ä/") for name in "abcdef"]
IDS = [f"mem_{number}" for number in range(9)]  # fewer than paths: some stand in several files


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    catalog = Catalog(tmp_path / "state" / "catalog.db")
    catalog.is_ours = True
    yield catalog
    catalog.close()


def view_of(catalog: Catalog) -> VaultView:
    def read(path: str) -> Note:
        raise NoteError("nothing is read here")

    def searcher() -> Searcher:
        raise NotImplementedError

    return VaultView(catalog, read, searcher, lambda: datetime(2026, 11, 18, tzinfo=UTC))


def change(catalog: Catalog, chance: random.Random) -> None:
    path, memory_id, day = chance.choice(PATHS), chance.choice(IDS), chance.randrange(10, 28)
    match chance.randrange(5):
        case 0:
            catalog.drop(path)
        case 1:
            catalog.drop_note(path)
        case 2:
            catalog.see(path, SEEN)  # and it could not be read
        case _:
            status = chance.choice(["active", "active", "deleted"])
            text = record(memory_id, status=status, updated_at=f"2026-06-{day}T09:00:00Z")
            catalog.see(path, SEEN)
            catalog.put(Note.parse(path, text.encode()))


def test_what_is_kept_of_rows_is_what_the_catalog_says_after_every_commit(catalog: Catalog) -> None:
    chance, kept = random.Random(16), view_of(catalog)
    for _ in range(300):
        with catalog.transaction():
            for _ in range(chance.randrange(1, 4)):
                change(catalog, chance)
        if chance.random() < 0.2:
            catalog.erase([chance.choice(IDS)])
        if chance.random() < 0.6:  # else several commits are missed
            fresh = view_of(catalog)
            assert kept.everything() == catalog.memories(include_hidden=True)
            assert list(kept.latest()) == list(fresh.latest())
            assert kept.find_rows(IDS) == catalog.find_all(IDS)
            assert kept.links().edges == fresh.links().edges


def test_a_list_of_rows_that_somebody_reads_stays_as_it_was(catalog: Catalog) -> None:
    view = view_of(catalog)
    with catalog.transaction():
        catalog.put(Note.parse("a.md", record("mem_a").encode()))
    before = view.everything()
    with catalog.transaction():
        catalog.put(Note.parse("b.md", record("mem_b").encode()))
    assert [row.id for row in view.everything()] == ["mem_a", "mem_b"]
    assert [row.id for row in before] == ["mem_a"]


def drop_in_vain(catalog: Catalog, path: str) -> None:
    with catalog.transaction():
        catalog.drop(path)
        raise sqlite3.IntegrityError


def test_a_change_that_was_rolled_back_is_in_no_row(catalog: Catalog) -> None:
    view = view_of(catalog)
    with catalog.transaction():
        catalog.put(Note.parse("a.md", record("mem_a").encode()))
    assert [row.id for row in view.everything()] == ["mem_a"]
    with pytest.raises(sqlite3.IntegrityError):
        drop_in_vain(catalog, "a.md")
    with catalog.transaction():
        catalog.put(Note.parse("b.md", record("mem_b").encode()))
    assert [row.id for row in view.everything()] == ["mem_a", "mem_b"]


def test_after_more_commits_than_are_remembered_everything_is_read_again(catalog: Catalog) -> None:
    view = view_of(catalog)
    version = catalog.version()
    assert view.everything() == []
    for number in range(100):
        with catalog.transaction():
            catalog.put(Note.parse(f"{number:03}.md", record(f"mem_{number}").encode()))
    assert catalog.changed_since(version) is None
    assert [row.id for row in view.everything()] == [f"mem_{number}" for number in range(100)]
