from __future__ import annotations

import os

import pytest

from helix.vault.birth import NewMemory
from tests.follow.rig import Crash, Rig, in_catalog, record


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
    assert rig.catalog.signatures() == rig.vault.walk().notes


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
    assert rig.row("07.md").meta["title"] == "Edited"
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
