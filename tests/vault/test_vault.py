from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helix.errors import BadValue, MemoryErased, StaleHash, VaultUnavailable
from helix.vault import frontmatter
from helix.vault.ancestry import Ancestry
from helix.vault.edit import REMOVE
from helix.vault.files import Write
from helix.vault.folding import merge_copies
from helix.vault.hashes import content_hash
from helix.vault.late_saves import recover
from helix.vault.leftovers import State
from helix.vault.merge import erased_record
from helix.vault.new_memory import NewMemory, title_from
from helix.vault.note import Note
from helix.vault.paths import Root
from helix.vault.vault import Edit, Vault
from helix.vault.vault_id import IDENTITY_FILE, new_identity
from tests.residue import residue

PERSONAL = """\
---
# mine
id:   mem_a      # do not touch
tags: [ a,b ]
status: 'active'
mood: "fine"
---

Text without a final newline"""


@dataclass
class Home:
    folder: Path
    vault: Vault
    pauses: list[float] = field(default_factory=list)

    def write(self, path: str, text: str) -> Note:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, newline="")
        return self.vault.read(path)

    def read(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    folder = tmp_path / "vault"
    (folder / ".helix").mkdir(parents=True)
    (folder / IDENTITY_FILE).write_bytes(new_identity())
    ticks = iter(datetime(2026, 6, 18, 9, tzinfo=UTC) + timedelta(seconds=count) for count in range(1000))
    root, ancestry, pauses = Root(folder), Ancestry(tmp_path / "ancestry.db"), list[float]()
    yield Home(folder, Vault(root, ancestry, clock=lambda: next(ticks), pause=pauses.append), pauses)
    ancestry.close()
    root.close()


def nothing_taken(_: str) -> bool:
    return False


# Creating


def test_a_new_memory_lies_in_the_folder_of_its_scope_under_its_id(home: Home) -> None:
    notes = home.vault.create(
        [
            NewMemory(
                "One.",
                "One",
                scope="project",
                project="Billing API",
                tags=["a"],
                edges={"refines": ["mem_x"]},
            ),
            NewMemory("Two.", "Two"),
            NewMemory("Three.", "Three", scope="session"),
            NewMemory("Four.", "Four", scope="project"),
        ],
        nothing_taken,
    )
    assert [note.path.rpartition("/")[0] for note in notes] == [
        "projects/billing-api",
        "global",
        "sessions",
        "projects",
    ]
    for note in notes:
        assert note.path.endswith(f"/{note.id}.md")
        assert home.vault.read(note.path) == note
        assert note.ancestors == [note.state]
    assert notes[0].memory.edges == {"refines": ("mem_x",)}


@pytest.mark.parametrize(
    "new",
    [
        NewMemory("x", "x", scope="world"),
        NewMemory("x", "x", edges={"y": []}),
    ],
)
def test_a_memory_that_makes_no_sense_is_refused_and_nothing_is_written(home: Home, new: NewMemory) -> None:
    with pytest.raises(BadValue):
        home.vault.create([NewMemory("good", "good"), new], nothing_taken)
    assert os.listdir(home.folder) == [".helix"]


# Changing


def test_a_flip_touches_the_lines_it_must_and_no_other_byte(home: Home) -> None:
    before = home.write("a.md", PERSONAL)
    home.vault.forget("a.md", "mem_a")
    after = home.read("a.md")
    kept = [line for line in PERSONAL.split("\n") if not line.startswith("status")]
    assert [line for line in after.split("\n") if line in kept] == kept
    assert "status: 'deleted'\n" in after
    assert after.endswith("Text without a final newline")
    assert before.state in home.vault.read("a.md").ancestors


def test_forget_and_restore_are_each_stamped_after_the_other(home: Home) -> None:
    home.write("a.md", "---\nid: mem_a\nstatus: active\nrestored_at: 2030-01-01T00:00:00Z\n---\n")
    assert home.vault.forget("a.md", "mem_a").meta["deleted_at"] == "2030-01-01T00:00:01Z"
    assert home.vault.restore("a.md", "mem_a").meta["restored_at"] == "2030-01-01T00:00:02Z"
    note = home.vault.forget("a.md", "mem_a")
    assert (note.meta["deleted_at"], note.memory.status) == ("2030-01-01T00:00:03Z", "deleted")


def test_what_is_already_so_is_not_written_again(home: Home) -> None:
    home.write("a.md", "---\nid: mem_a\nstatus: active\n---\n")
    home.vault.forget("a.md", "mem_a")
    before = (home.folder / "a.md").stat()
    home.vault.forget("a.md", "mem_a")
    assert (home.folder / "a.md").stat().st_ino == before.st_ino


def test_an_update_of_what_was_read_is_made(home: Home) -> None:
    note = home.write("a.md", PERSONAL)
    home.vault.update(
        "a.md", "mem_a", Edit({"mood": REMOVE, "title": "New"}, "New text.\n"), based_on=note.hash
    )
    after = home.vault.read("a.md")
    assert (after.memory.title, after.memory.body, "mood" in after.meta) == ("New", "New text.\n", False)


def test_an_update_with_a_stale_hash_of_unknown_text_leaves_the_file_untouched(home: Home) -> None:
    stale = home.write("a.md", PERSONAL).hash
    home.write("a.md", PERSONAL + ", edited")
    with pytest.raises(StaleHash):
        home.vault.update("a.md", "mem_a", Edit({}, "Overwrite."), based_on=stale)
    assert home.read("a.md") == PERSONAL + ", edited"


def test_an_update_of_a_known_state_is_merged_with_what_a_person_wrote_since(home: Home) -> None:
    [note] = home.vault.create([NewMemory("First.\n\nSecond.\n\nThird.\n", "Title")], nothing_taken)
    home.write(note.path, home.read(note.path).replace("First.", "First, by a person."))
    home.vault.update(
        note.path, note.id, Edit({}, "First.\n\nSecond.\n\nThird, by an agent.\n"), based_on=note.hash
    )
    body = home.vault.read(note.path).memory.body
    assert body == "First, by a person.\n\nSecond.\n\nThird, by an agent.\n"


@pytest.mark.parametrize(
    ("came", "wanted"),
    [
        ("The tide turns at eight.\n", Edit({}, "The tide turns between seven and eight.\n")),
        ("The tide turns at seven, they say.\n\nOr so.\n", Edit({}, "The tide turns at nine.\n")),
        ("", Edit({"title": "By the caller"})),
    ],
)
def test_an_update_of_what_another_changed_too_is_refused_and_never_united_with_it(
    home: Home, came: str, wanted: Edit
) -> None:
    [note] = home.vault.create([NewMemory("The tide turns at seven.\n", "Tide")], nothing_taken)
    there = home.read(note.path)
    other = (
        there.replace(note.memory.body, came) if came else there.replace("title: Tide", "title: By another")
    )
    assert other != there
    home.write(note.path, other)
    with pytest.raises(StaleHash):
        home.vault.update(note.path, note.id, wanted, based_on=note.hash)
    assert home.read(note.path) == other


def test_an_update_that_is_not_to_be_merged_is_refused_when_anything_has_changed(home: Home) -> None:
    [note] = home.vault.create([NewMemory("First.\n\nSecond.\n\nThird.\n", "Title")], nothing_taken)
    home.write(note.path, other := home.read(note.path).replace("First.", "First, by a person."))
    wanted = Edit({}, "First.\n\nSecond.\n\nThird, by an agent.\n")
    with pytest.raises(StaleHash):
        home.vault.update(note.path, note.id, wanted, based_on=note.hash, may_merge=False)
    assert home.read(note.path) == other


def test_a_file_that_is_away_for_the_moment_of_a_save_is_waited_for(home: Home) -> None:
    home.write("a.md", PERSONAL)
    os.rename(home.folder / "a.md", home.folder / "a.md~")

    def come_back(_: float) -> None:
        os.rename(home.folder / "a.md~", home.folder / "a.md")

    home.vault._pause = come_back
    assert home.vault.forget("a.md", "mem_a").memory.status == "deleted"


def test_a_file_that_holds_another_memory_by_now_is_left_alone(home: Home) -> None:
    home.write("a.md", PERSONAL)
    with pytest.raises(StaleHash):
        home.vault.forget("a.md", "mem_b")
    assert home.read("a.md") == PERSONAL


def test_a_file_without_an_id_gets_a_real_one_when_it_is_adopted_and_keeps_its_text(home: Home) -> None:
    note = home.write("todo.md", "# To do\n\n- milk\n")
    after = home.vault.adopt("todo.md", note.id)
    assert after.has_id
    assert after.id.startswith("mem_2026-06-18_to-do_")
    assert home.read("todo.md").endswith("---\n# To do\n\n- milk\n")


# Erasing


def test_an_erased_memory_keeps_its_id_and_its_date_and_no_word(home: Home) -> None:
    [note] = home.vault.create([NewMemory("The secret.", "Secret", tags=["x"])], nothing_taken)
    home.vault.erase(note.path, note.id)
    assert (
        home.read(note.path) == f"---\nid: {note.id}\nstatus: erased\ndeleted_at: 2026-06-18T09:00:01Z\n---\n"
    )
    assert home.vault.ancestry.find(note.id, note.state) is None
    with pytest.raises(MemoryErased):
        home.vault.restore(note.path, note.id)


def test_a_record_that_only_says_that_it_is_erased_is_erased_in_truth(home: Home) -> None:
    home.write("a.md", "---\nid: mem_a\nstatus: erased\n---\nStill here.\n")
    home.vault.erase("a.md", "mem_a")
    assert "Still here" not in home.read("a.md")


def test_erasing_a_file_without_an_id_does_not_condemn_what_a_person_puts_there_next(home: Home) -> None:
    derived = home.write("todo.md", "secret\n").id
    erased = home.vault.erase("todo.md", derived)
    assert "secret" not in home.read("todo.md")
    assert erased.id != derived
    assert home.vault.ancestry.erased_at(derived) is None
    assert home.vault.ancestry.erased_at(erased.id) is not None


# Copies and late saves


def test_copies_become_one_file_and_stubs_and_no_file_is_unlinked(home: Home) -> None:
    home.write("a.md", "---\nid: mem_a\n---\nShared.\nOurs.\n")
    home.write("a (1).md", "---\nid: mem_a\n---\nShared.\nTheirs.\n")
    merged = merge_copies(home.vault, "mem_a", ["a (1).md", "a.md"])
    assert (merged.survivor.path, merged.absorbed) == ("a.md", ["a (1).md"])
    assert {"Shared.", "Ours.", "Theirs."} <= set(home.read("a.md").split("\n"))
    assert home.vault.read("a (1).md").is_stub


def test_copies_whose_own_name_is_taken_by_another_memory_are_merged_beside_it(home: Home) -> None:
    home.write("a.md", "---\nid: mem_other\n---\nSomething else.\n")
    for number in (1, 2):
        home.write(f"a.md.conflict{number}", f"---\nid: mem_a\n---\nText {number}.\n")
    merged = merge_copies(home.vault, "mem_a", ["a.md.conflict1", "a.md.conflict2"])
    assert merged.survivor.path == "a.md.conflict1"
    assert home.read("a.md").endswith("Something else.\n")
    assert "Text 1." in home.read("a.md.conflict1")
    assert "Text 2." in home.read("a.md.conflict1")


@pytest.mark.parametrize("broken", [True, False])
def test_a_save_that_raced_a_write_is_merged_back_or_kept_beside_a_broken_note(
    home: Home, broken: bool
) -> None:
    [note] = home.vault.create([NewMemory("First.\n\nSecond.\n", "Title")], nothing_taken)
    with (home.folder / note.path).open("r+b") as editor:
        home.vault.forget(note.path, note.id)
        editor.seek(0, os.SEEK_END)
        editor.write(b"\nTyped meanwhile.\n")
    if broken:
        (home.folder / note.path).write_text("---\ntitle: [open\n---\n")
    [leftover] = home.vault.files.leftovers("global")
    late = home.vault.files.examine(leftover, (home.folder / leftover.path).stat().st_ctime + 60)
    assert late.state is State.LATE_SAVE
    path = recover(home.vault, late, lambda _: note.path)
    assert "Typed meanwhile." in home.read(path)
    assert (path == note.path) is not broken
    assert leftover not in home.vault.files.leftovers("global")


# The folder itself


def test_nothing_is_written_to_a_folder_that_took_the_place_of_the_vault(home: Home, tmp_path: Path) -> None:
    home.write("a.md", PERSONAL)
    os.rename(home.folder, tmp_path / "away")
    home.folder.mkdir()
    assert not home.vault.is_there()
    with pytest.raises(VaultUnavailable):
        home.vault.create([NewMemory("x", "x")], nothing_taken)
    assert os.listdir(home.folder) == []


def test_the_same_vault_on_another_disk_is_opened_again(home: Home, tmp_path: Path) -> None:
    home.write("a.md", PERSONAL)
    os.rename(home.folder, tmp_path / "away")
    shutil.copytree(tmp_path / "away", home.folder)
    assert home.vault.is_there()
    assert home.vault.forget("a.md", "mem_a").memory.status == "deleted"
    assert "deleted" in home.read("a.md")


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# A heading\ntext", "A heading"),
        ("\n\n  first\nsecond", "first"),
        ("", ""),
        ("word " * 40, "word " * 15 + "word"),
    ],
)
def test_a_text_without_a_title_is_called_by_its_first_words(body: str, title: str) -> None:
    assert title_from(body) == title


def test_an_update_that_loses_to_an_erasure_leaves_nothing_of_either_text(home: Home, tmp_path: Path) -> None:
    home.write("a.md", "---\nid: mem_a\n---\nthe zqrace text\n")

    def lose(note: Note) -> Edit:
        home.vault.erase("a.md", "mem_a")
        return Edit({}, "zqrace rewritten\n")

    with pytest.raises(MemoryErased):
        home.vault.edit("a.md", "mem_a", lose)
    assert residue("zqrace", tmp_path) == []


def test_a_text_of_another_memory_is_not_put_in_the_place_of_one(home: Home) -> None:
    first = home.write("1.md", "---\nid: note:1\n---\nfirst\n")
    second = home.write("2.md", "---\nid: note_1\n---\nsecond\n")
    with pytest.raises(BadValue):
        home.vault.revise("2.md", "note_1", first.document, based_on=second.document)
    with pytest.raises(BadValue):
        home.vault.revise("2.md", "note_1", second.document, based_on=first.document)
    assert home.read("2.md") == "---\nid: note_1\n---\nsecond\n"


def test_a_late_save_that_cannot_be_read_does_not_outlive_the_erasure_of_its_memory(
    home: Home, tmp_path: Path
) -> None:
    home.write("a.md", "---\nid: mem_a\n---\nthe zqlate text\n")
    before = home.vault.read("a.md")
    erased = frontmatter.emit(erased_record("mem_a", "2026-01-01T00:00:00Z"))
    home.vault.files.write(Write("a.md", erased, before.hash))
    [leftover] = home.vault.files.leftovers("")
    (home.folder / leftover.path).write_text("---\nid: [mem_a\nthe zqlate text, saved late\n")
    home.vault.ancestry.forget_texts("mem_a", "2026-01-01T00:00:00Z")
    late = home.vault.files.examine(leftover, time.time() + 60, 0)
    assert late.state is State.LATE_SAVE
    recover(home.vault, late, lambda _: "a.md", content_hash(erased).startswith)
    assert residue("zqlate", tmp_path) == []
