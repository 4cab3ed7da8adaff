from __future__ import annotations

import os

import pytest

from helix.vault.new_memory import NewMemory
from helix.vault.vault import Edit
from tests.follow.rig import Crash, Rig, in_catalog, memory_folder, record


def erased(memory_id: str) -> str:
    return f"---\nid: {memory_id}\nstatus: erased\ndeleted_at: 2026-06-18T09:00:00Z\n---\n"


# What is there


def test_only_what_changed_is_read_again(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.write("b.md", record("mem_b"))
    assert len(rig.follow().changes) == 2
    assert rig.follow().changes == []
    rig.write("b.md", record("mem_b", title="New"))
    assert [(change.path, change.was) for change in rig.follow().changes] == [("b.md", "b.md")]


def test_a_file_that_was_only_touched_changes_nothing(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.follow()
    os.utime(rig.folder / "a.md", (1, 1))
    assert rig.follow().changes == []
    assert rig.catalog.signatures() == rig.vault.walk().files


def test_a_folder_that_cannot_be_listed_is_reported_until_it_can(rig: Rig) -> None:
    rig.write("a/a.md", record("mem_a"))
    rig.follow()
    (rig.folder / "a").chmod(0)
    try:
        if os.access(rig.folder / "a", os.R_OK):
            pytest.skip("this user may list every folder")
        rig.follow()
        assert [(one.path, one.code) for one in rig.catalog.problems()] == [("a", "unreadable-folder")]
        assert rig.paths() == ["a/a.md"]
    finally:
        (rig.folder / "a").chmod(0o755)
    rig.follow()
    assert rig.catalog.problems() == []


def test_a_path_that_is_told_brings_in_no_other(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.write("b/c.md", record("mem_c"))
    rig.write("b/d/e.md", record("mem_e"))
    rig.follow("a.md")
    assert rig.paths() == ["a.md"]
    rig.follow("b")
    assert rig.paths() == ["a.md", "b/c.md", "b/d/e.md"]


@pytest.mark.parametrize(
    "path", [".obsidian/x.md", "b/.trash/x.md", "x.png", ".~helix-0123456789abcdef.tmp", "gone.md"]
)
def test_a_told_path_that_is_no_record_is_passed_over(rig: Rig, path: str) -> None:
    if path != "gone.md":
        rig.write(path, "text")
    rig.follow(path)
    assert rig.catalog.count_seen() == 0


def test_large_drops_are_taken_in_by_parts_and_tell_how_far_they_are(rig: Rig) -> None:
    for number in range(1100):
        rig.write(f"{number}.md", record(f"mem_{number}"))
    told: list[tuple[int, int]] = []
    rig.reconciler.reconcile(progress=lambda done, all_: told.append((done, all_)))
    assert told == [(500, 1100), (1000, 1100), (1100, 1100)]
    assert len(rig.index.memories) == 1100


def test_a_bad_line_in_the_ignore_file_is_a_problem_until_it_is_mended(rig: Rig) -> None:
    rig.write("a.md", "text")
    rig.write(".helixignore", "b.md\n!\n")
    rig.follow()
    assert (rig.problems()[".helixignore"].line, rig.paths()) == (2, ["a.md"])
    rig.write(".helixignore", "b.md\n")
    rig.follow()
    assert rig.problems() == {}


# What moved and what is gone


def test_a_moved_file_is_the_same_memory_at_once(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.follow()
    os.rename(rig.folder / "a.md", rig.folder / "b.md")
    [change] = rig.follow("a.md", "b.md").changes
    assert (change.memory_id, change.was, change.path) == ("mem_a", "a.md", "b.md")
    assert rig.paths() == ["b.md"]


def test_a_folder_of_files_without_ids_may_be_renamed_without_alarm(rig: Rig) -> None:
    for number in range(20):
        rig.write(f"old/{number}.md", f"Plain text {number}.\n")
    rig.follow()
    os.rename(rig.folder / "old", rig.folder / "new")
    rig.follow("old", "new")
    assert rig.reconciler.brake.reason is None
    assert sorted(rig.paths()) == sorted(f"new/{number}.md" for number in range(20))


def test_a_missing_file_is_believed_only_after_its_grace(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.follow()
    os.unlink(rig.folder / "a.md")
    rig.follow("a.md")
    assert rig.reconciler.next_vanish() == rig.monotonic() + rig.config.vanish_grace
    rig.advance(1.9)
    rig.reconciler.reconcile([])
    assert rig.paths() == ["a.md"]
    rig.advance(0.2)
    [change] = rig.reconciler.reconcile([]).changes
    assert (change.memory_id, change.note, rig.paths()) == ("mem_a", None, [])
    assert rig.reconciler.next_vanish() is None


def test_a_file_that_icloud_took_off_this_machine_is_not_gone(rig: Rig) -> None:
    rig.write("b/a.md", record("mem_a"))
    rig.follow()
    os.rename(rig.folder / "b/a.md", rig.folder / "b/.a.md.icloud")
    rig.follow()
    rig.advance(60)
    rig.follow()
    assert rig.paths() == ["b/a.md"]


def test_a_folder_that_becomes_a_link_is_gone_from_the_vault(rig: Rig) -> None:
    rig.write("b/a.md", record("mem_a"))
    rig.write("c.md", record("mem_c"))
    rig.follow()
    away = rig.folder.with_name("away")
    os.rename(rig.folder / "b", away)
    (rig.folder / "b").symlink_to(away)
    for told in (("b",), ("b/a.md",), ()):
        rig.follow(*told)
    rig.advance(3)
    rig.follow()
    assert rig.paths() == ["c.md"]


def test_a_file_that_becomes_a_folder_takes_its_memory_along(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.follow()
    os.unlink(rig.folder / "a.md")
    rig.write("a.md/inside.md", record("mem_b"))
    rig.follow()
    rig.advance(3)
    rig.follow()
    assert rig.paths() == ["a.md/inside.md"]


def test_hidden_files_leave_at_once_and_without_alarm(rig: Rig) -> None:
    for number in range(20):
        rig.write(f"private/{number}.md", record(f"mem_{number}"))
    rig.follow()
    rig.write(".helixignore", "private/\n")
    rig.follow()
    assert (rig.paths(), rig.index.memories, rig.reconciler.brake.reason) == ([], {}, None)


def many(rig: Rig, count: int = 20) -> None:
    for number in range(count):
        rig.write(f"{number:02}.md", record(f"mem_{number}"))
    rig.follow()


def test_a_mass_disappearance_drops_nothing_until_a_person_accepts_it(rig: Rig) -> None:
    many(rig)
    for number in range(8, 20):
        os.unlink(rig.folder / f"{number:02}.md")
    for _ in range(3):
        rig.follow()
        rig.advance(60)
    assert len(rig.paths()) == 20
    assert rig.reconciler.brake.reason is not None
    rig.write("08.md", record("mem_8"))
    rig.reconciler.rebuild(accept_missing=True)
    assert len(rig.paths()) == 9
    assert rig.reconciler.brake.reason is None
    assert rig.index.memories == in_catalog(rig.catalog)


def test_a_sync_client_that_deletes_file_by_file_is_stopped_before_all_is_gone(rig: Rig) -> None:
    many(rig)
    for number in range(20):
        os.unlink(rig.folder / f"{number:02}.md")
        for _ in range(2):
            rig.follow()
            rig.advance(5)
    assert len(rig.paths()) == 11
    assert "--accept-missing" in (rig.reconciler.brake.reason or "")
    rig.reconciler.rebuild(accept_missing=True)
    assert rig.paths() == []


def test_a_restart_does_not_forget_that_the_files_are_missing(rig: Rig) -> None:
    many(rig)
    for number in range(20):
        os.unlink(rig.folder / f"{number:02}.md")
    rig.follow()
    rig.restart()
    rig.follow()
    rig.advance(60)
    rig.follow()
    assert len(rig.paths()) == 20
    assert rig.reconciler.brake.reason is not None


def test_a_vault_that_goes_away_while_it_is_looked_at_is_away_and_not_an_error(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    rig.write("deep/b.md", record("mem_b"))
    rig.follow()
    away = rig.folder.with_name("away")

    def unmount() -> None:
        os.rename(rig.folder, away)
        rig.reconciler._renew = lambda: None

    rig.reconciler._renew = (
        unmount  # what comes between the look whether it is there and the look at what is in it
    )
    assert rig.follow().changes == []
    assert "is not there" in (rig.reconciler.brake.reason or "")
    assert rig.reconciler.missing == []
    os.rename(away, rig.folder)
    rig.follow()
    assert rig.reconciler.brake.reason is None
    assert rig.paths() == ["a.md", "deep/b.md"]


def test_what_happened_while_the_vault_was_away_is_seen_when_it_is_back(rig: Rig) -> None:
    many(rig)
    os.rename(rig.folder, rig.folder.with_name("away"))
    assert rig.follow("00.md").changes == []
    assert "is not there" in (rig.reconciler.brake.reason or "")
    (rig.folder.with_name("away") / "07.md").write_text(record("mem_7", title="Edited"))
    os.rename(rig.folder.with_name("away"), rig.folder)
    rig.follow("00.md")
    assert rig.row("07.md").title == "Edited"
    assert rig.reconciler.brake.reason is None


# What the index is told


def test_when_the_kept_file_goes_the_index_hears_of_the_copy(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "Original.\n"))
    copy = rig.write("a (1).md", record("mem_a", "Copy.\n"))
    rig.follow()
    os.unlink(rig.folder / "a.md")
    rig.follow()
    assert rig.index.memories == {"mem_a": ("a (1).md", rig.row("a (1).md").hash)}
    assert copy.exists()


def test_when_the_kept_file_breaks_a_readable_copy_speaks_for_the_memory(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "Original.\n"))
    rig.write("a (1).md", record("mem_a", "Copy.\n"))
    rig.follow()
    rig.write("a.md", "---\nid: [\n---\n")
    rig.follow()
    assert rig.paths() == ["a (1).md"]
    assert rig.index.memories == in_catalog(rig.catalog)


def test_the_catalog_says_nothing_that_the_index_could_not_be_told(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "Original.\n"))
    copy = record("mem_a", "Copy.\n")
    rig.write("a (1).md", copy)
    rig.follow()
    rig.write("a (1).md", "---\nid: [\n---\n")
    os.unlink(rig.folder / "a.md")
    rig.follow("a.md")
    rig.advance(3)
    rig.follow("a.md")
    assert rig.index.memories == in_catalog(rig.catalog) == {}
    rig.write("a (1).md", copy)
    rig.follow()
    assert rig.index.memories == in_catalog(rig.catalog)
    assert list(rig.index.memories) == ["mem_a"]


@pytest.mark.parametrize("told", [True, False])
def test_a_crash_between_index_and_catalog_is_made_good_even_when_the_file_is_gone_by_then(
    rig: Rig, told: bool
) -> None:
    rig.index.crash_after, rig.index.crash_before = told, not told
    rig.write("a.md", record("mem_a"))
    with pytest.raises(Crash):
        rig.follow()
    os.unlink(rig.folder / "a.md")
    rig.restart()
    rig.follow()
    assert rig.index.memories == in_catalog(rig.catalog) == {}
    assert rig.catalog.doubted() == set()


def test_after_a_crash_an_edit_that_was_taken_back_is_told_again(rig: Rig) -> None:
    text = record("mem_a")
    rig.write("a.md", text)
    rig.follow()
    rig.write("a.md", record("mem_a", "Edited.\n"))
    rig.index.crash_after = True
    with pytest.raises(Crash):
        rig.follow()
    rig.write("a.md", text)
    rig.restart()
    rig.follow()
    assert rig.index.memories == in_catalog(rig.catalog)


# Erased memories


def test_an_erased_record_from_another_machine_is_remembered_and_its_texts_are_dropped(rig: Rig) -> None:
    [note] = rig.vault.create([NewMemory("The secret.", "Secret")], lambda _: False)
    rig.follow()
    assert rig.ancestry.find(note.id, note.state) is not None
    rig.write(note.path, erased(note.id))
    rig.follow()
    assert rig.ancestry.find(note.id, note.state) is None
    rig.write("late.md", record(note.id, "The old text comes back.\n"))
    rig.follow()
    assert rig.row("late.md").needs == "erase"


def test_a_status_that_a_person_types_condemns_no_text(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "Text.\n", status="erased"))
    rig.follow()
    rig.write("a.md", record("mem_a", "Text.\n", status="active"))
    rig.follow()
    assert rig.row("a.md").needs == ""


def test_a_time_at_the_end_of_the_calendar_stops_nothing(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", status="active", deleted_at="9999-12-31T23:59:59Z"))
    rig.write("b.md", record("mem_b"))
    rig.follow()
    rig.mend()
    assert rig.paths() == ["a.md", "b.md"]


# An old file over a newer one

OLD = "The old text.\n"


def forgotten(rig: Rig, memory_id: str = "mem_a") -> tuple[bytes, bytes]:
    """The bytes before and after a memory at a.md is forgotten."""
    rig.write("a.md", record(memory_id, OLD))
    rig.follow()
    rig.memories.change(memory_id, lambda note: Edit({"tags": ["kept"]}))
    before = (rig.folder / "a.md").read_bytes()
    rig.memories.forget(memory_id)
    return before, (rig.folder / "a.md").read_bytes()


def status(rig: Rig, memory_id: str = "mem_a") -> str:
    row = rig.catalog.find(memory_id)
    assert row is not None
    assert rig.memories.get(memory_id).memory.status == row.status
    return row.status


@pytest.mark.parametrize("path", ["a.md", "late.md"])
def test_an_old_file_over_a_tombstone_changes_no_answer_and_is_replaced_by_the_tombstone(
    rig: Rig, path: str
) -> None:
    old, tombstone = forgotten(rig)
    rig.write(path, old)
    assert rig.memories.get("mem_a").memory.status == "deleted", "not even before the follower sees it"
    assert [change.note.memory.status for change in rig.follow().changes if change.note] in ([], ["deleted"])
    assert status(rig) == "deleted"
    rig.mend()
    assert (rig.folder / path).read_bytes() == tombstone
    assert status(rig) == "deleted"


def test_text_in_an_old_file_that_nobody_has_seen_is_kept_in_the_tombstone(rig: Rig) -> None:
    old, _ = forgotten(rig)
    rig.write("a.md", old + b"Typed on the phone.\n")
    rig.follow()
    assert status(rig) == "deleted"
    assert "Typed on the phone." in rig.memories.get("mem_a").document.body
    rig.mend()
    assert "status: deleted" in rig.read("a.md")
    assert "Typed on the phone." in rig.read("a.md")
    after = rig.read("a.md")
    rig.write("a.md", old + b"Typed on the phone.\n")
    rig.settle_down()
    assert rig.read("a.md") == after


def test_two_machines_that_see_the_same_old_file_write_the_same_bytes(rig: Rig) -> None:
    old, tombstone = forgotten(rig)
    with memory_folder() as place:
        other = Rig(place)
        other.advance(5000)
        for bytes_ in (old, tombstone):
            other.write("a.md", bytes_)
            other.follow()
        for machine in (rig, other):
            machine.write("a.md", old + b"Typed on the phone.\n")
            machine.follow()
            machine.mend()
        assert other.read("a.md") == rig.read("a.md")
        assert "Typed on the phone." in rig.read("a.md")
        other.close()


def test_an_old_file_that_is_there_when_the_process_starts_stays_forgotten(rig: Rig) -> None:
    old, tombstone = forgotten(rig)
    rig.write("a.md", old)
    rig.restart()
    assert rig.memories.get("mem_a").memory.status == "deleted"
    rig.follow()
    rig.reconciler.rebuild()
    assert status(rig) == "deleted"
    rig.mend()
    assert (rig.folder / "a.md").read_bytes() == tombstone


def test_an_old_file_that_comes_after_the_tombstone_was_deleted_stays_forgotten(rig: Rig) -> None:
    old, tombstone = forgotten(rig)
    (rig.folder / "a.md").unlink()
    rig.follow()
    rig.advance(3)
    rig.follow()
    assert rig.paths() == []
    rig.write("b.md", old)
    rig.follow()
    assert status(rig) == "deleted"
    rig.mend()
    assert (rig.folder / "b.md").read_bytes() == tombstone


def test_an_old_file_without_an_id_over_its_tombstone_stays_forgotten(rig: Rig) -> None:
    old = rig.write("todo.md", "- milk\n").read_bytes()
    rig.follow()
    [row] = rig.catalog.memories()
    memory_id = rig.memories.forget(row.id).note.id
    tombstone = rig.read("todo.md")
    rig.write("todo.md", old)
    rig.follow()
    assert status(rig, memory_id) == "deleted"
    rig.mend()
    assert rig.read("todo.md") == tombstone
    rig.write("todo.md", "- bread\n")
    rig.settle_down()
    assert rig.read("todo.md") == "- bread\n", "another text at the path is another note"


def test_an_old_file_without_an_id_that_was_erased_is_told_to_nobody(rig: Rig) -> None:
    old = rig.write("todo.md", "- secret\n").read_bytes()
    rig.follow()
    [row] = rig.catalog.memories()
    rig.memories.erase(row.id)
    rig.restart()
    rig.write("todo.md", old)
    told = rig.follow().changes
    assert not any(change.note and "secret" in change.note.document.body for change in told)
    assert rig.row("todo.md").status == "erased"
    rig.mend()
    assert "secret" not in rig.read("todo.md")


@pytest.mark.parametrize("taken_out", ["", "deleted_at"])
def test_a_person_who_flips_the_tombstone_itself_restores_it_for_good(rig: Rig, taken_out: str) -> None:
    old, _ = forgotten(rig)
    lines = rig.read("a.md").replace("status: deleted", "status: active").splitlines(keepends=True)
    rig.write("a.md", "".join(line for line in lines if not taken_out or not line.startswith(taken_out)))
    rig.follow()
    assert status(rig) == "active"
    rig.mend()
    assert "restored_at" in rig.read("a.md")
    for number in range(40):  # more than its list of ancestors holds
        wanted = Edit({"importance": number / 100})
        rig.memories.edit("mem_a", wanted, based_on=rig.row("a.md").hash)
    rig.restart()
    rig.settle_down()
    assert status(rig) == "active"
    rig.write("a.md", old)
    rig.settle_down()
    assert status(rig) == "active", "it was restored: an old text is an old text, not a deletion"


def test_a_new_text_in_the_tombstone_with_an_active_status_restores_it(rig: Rig) -> None:
    forgotten(rig)
    text = rig.read("a.md").replace("status: deleted", "status: active").replace(OLD, "A new text.\n")
    rig.write("a.md", text)
    rig.settle_down()
    assert status(rig) == "active"
    assert "A new text." in rig.read("a.md")


def test_a_command_restores_a_memory_whose_old_file_is_back(rig: Rig) -> None:
    old, _ = forgotten(rig)
    rig.write("a.md", old)
    rig.follow()
    rig.memories.restore("mem_a")
    assert status(rig) == "active"
    assert "restored_at" in rig.read("a.md")
    rig.settle_down()
    assert status(rig) == "active"


def test_a_restoration_on_another_machine_is_one_here(rig: Rig) -> None:
    _, tombstone = forgotten(rig)
    rig.memories.restore("mem_a")
    restored = rig.read("a.md")
    rig.write("a.md", tombstone)
    rig.follow()
    assert status(rig) == "deleted"
    rig.write("a.md", restored)
    rig.settle_down()
    assert (status(rig), rig.read("a.md")) == ("active", restored)


def test_forgetting_a_memory_over_which_an_old_tombstone_lies_holds_against_the_restored_file(
    rig: Rig,
) -> None:
    _, tombstone = forgotten(rig)
    rig.advance(60)
    rig.memories.restore("mem_a")
    restored = rig.read("a.md")
    rig.write("a.md", tombstone)
    rig.follow()
    rig.memories.forget("mem_a")
    rig.write("a.md", restored)
    rig.settle_down()
    assert status(rig) == "deleted"


def test_an_old_file_of_an_erased_memory_is_never_told_to_the_index(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "secret\n"))
    rig.follow()
    old = (rig.folder / "a.md").read_bytes()
    rig.memories.erase("mem_a")
    for path in ("a.md", "late.md"):
        rig.write(path, old)
        assert "secret" not in rig.memories.get("mem_a").document.body
        told = rig.follow().changes
        assert not any(change.note and "secret" in change.note.document.body for change in told)
        assert rig.row(path).status == "erased"
        assert "secret" not in str(rig.catalog.dump())
    assert rig.ancestry.find_by_hash("mem_a", "") is None


def test_what_is_wrong_with_an_old_file_of_an_erased_memory_is_told_without_its_text(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "secret\n"))
    rig.follow()
    rig.memories.erase("mem_a")
    sides = "<<<<<<< ours\nsecret one\n=======\nsecret two\n>>>>>>> theirs\n"
    rig.write("a.md", record("mem_a", sides))
    rig.follow()
    assert "secret" not in str(rig.catalog.dump())
    rig.write("a.md", f"---\nid: mem_a\n{sides}---\ntext\n")
    rig.follow()
    assert "a.md" in rig.problems()
    assert "secret" not in str(rig.catalog.dump())


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_git_conflict_around_the_frontmatter_tells_nothing_of_an_erased_memory(rig: Rig, bom: str) -> None:
    # Line ends that differ from those of the erased record make git put the whole file into the conflict.
    text = bom + record("mem_a", "secret\n").replace("\n", "\r\n")
    rig.write("a.md", text)
    rig.follow()
    rig.memories.erase("mem_a")
    rig.write("a.md", f"<<<<<<< HEAD\n{rig.read('a.md')}=======\n{text}>>>>>>> other\n")
    told = rig.follow().changes
    assert not any(change.note and "secret" in change.note.document.body for change in told)
    assert (rig.row("a.md").status, rig.problems()["a.md"].code) == ("erased", "conflict-markers")
    assert "secret" not in str(rig.catalog.dump())


def test_a_git_conflict_around_the_frontmatter_leaves_the_memory_as_it_was_and_shows_both_sides(
    rig: Rig,
) -> None:
    text = record("mem_a", "Said before.\n")
    rig.write("a.md", text)
    rig.follow()
    rig.write("a.md", f"<<<<<<< HEAD\n{text}Ours.\n=======\n{text}Theirs.\n>>>>>>> other\n")
    rig.settle_down()
    assert [row.id for row in rig.catalog.memories()] == ["mem_a"]
    problem = rig.problems()["a.md"]
    assert (problem.code, problem.line) == ("conflict-markers", 1)
    assert "Ours." in problem.detail
    assert "Theirs." in problem.detail


def test_an_erased_record_takes_the_text_in_every_other_file_along(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "secret\n"))
    rig.follow()
    rig.write("a (1).md", erased("mem_a"))
    rig.follow("a (1).md")
    assert rig.row("a.md").status == "erased"
    assert "secret" not in rig.memories.get("mem_a").document.body
    rig.settle_down()
    assert not any(b"secret" in data for data in rig.snapshot().values())


def test_a_first_scan_of_many_files_knows_what_was_erased_before_it_tells_of_any(rig: Rig) -> None:
    for number in range(600):
        rig.write(f"{number}.md", record(f"mem_{number}"))
    rig.write("0a.md", record("mem_a", "secret\n"))
    rig.write("z.md", erased("mem_a"))
    told = rig.follow().changes
    assert not any(change.note and "secret" in change.note.document.body for change in told)
    assert "secret" not in str(rig.catalog.dump())


def test_an_old_file_over_a_superseded_memory_is_no_edit(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", OLD))
    rig.follow()
    rig.memories.change("mem_a", lambda note: Edit({"tags": ["kept"]}))
    old = (rig.folder / "a.md").read_bytes()
    rig.memories.supersede("mem_a")
    known = (rig.folder / "a.md").read_bytes()
    rig.write("a.md", old)
    rig.follow()
    assert status(rig) == "superseded"
    rig.mend()
    assert (rig.folder / "a.md").read_bytes() == known
    rig.write("a.md", rig.read("a.md").replace("status: superseded", "status: active"))
    rig.settle_down()
    assert status(rig) == "active"


def test_an_old_text_over_a_newer_one_of_an_active_memory_is_taken_for_a_persons_undo(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", OLD))
    rig.follow()
    old = (rig.folder / "a.md").read_bytes()
    rig.memories.change("mem_a", lambda note: Edit({}, "A newer text.\n"))
    rig.write("a.md", old)
    rig.settle_down()
    assert (rig.folder / "a.md").read_bytes() == old


@pytest.mark.parametrize("lost", ["ancestry.db", "everything, while it runs"])
def test_what_was_forgotten_and_erased_is_known_as_long_as_one_of_the_databases_is(
    rig: Rig, lost: str
) -> None:
    old, _ = forgotten(rig)
    rig.write("b.md", record("mem_b", "secret\n"))
    rig.follow()
    rig.memories.erase("mem_b")
    if lost == "ancestry.db":
        rig.close()
        for file in rig.state.glob("ancestry.db*"):
            file.unlink()
        rig.open()
    else:
        for file in rig.state.iterdir():
            file.unlink()
        rig.ancestry.reopen_if_deleted()
        rig.catalog.reopen_if_deleted()
    rig.write("a.md", old)
    rig.write("b.md", record("mem_b", "secret\n"))
    rig.follow()
    assert (status(rig), status(rig, "mem_b")) == ("deleted", "erased")
    rig.settle_down()
    assert "status: deleted" in rig.read("a.md")
    assert "secret" not in rig.read("b.md")


def test_in_a_vault_that_nobody_knew_a_tombstone_beside_an_old_file_wins(rig: Rig) -> None:
    old, tombstone = forgotten(rig)
    rig.close()
    for file in rig.state.iterdir():
        file.unlink()
    rig.index.memories.clear()
    rig.write("a.md", old)
    rig.write("a.sync-conflict-20260101-101010-ABCDEFG.md", tombstone)
    rig.open()
    assert all(
        change.note is None or change.note.memory.status == "deleted" for change in rig.follow().changes
    )
    rig.settle_down()
    assert status(rig) == "deleted"
    assert "status: deleted" in rig.read("a.md")


def test_templates_leave_the_answers_and_come_back_as_the_settings_of_obsidian_say(rig: Rig) -> None:
    form = rig.folder / "Templates" / "meeting.md"
    form.parent.mkdir()
    form.write_text("---\ndate: {{date}}\n---\nWho was there?\n")
    settings = rig.folder / ".obsidian" / "templates.json"
    settings.parent.mkdir()
    settings.write_text('{"folder": "Templates"}')
    rig.follow()
    assert not rig.catalog.problems()
    settings.write_text("{}")
    rig.follow()
    assert "Templates/meeting.md" in rig.catalog.signatures()
    settings.write_text('{"folder": "Templates"}')
    rig.follow()
    assert "Templates/meeting.md" not in rig.catalog.signatures()
    assert not rig.catalog.problems()
