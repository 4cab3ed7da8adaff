from __future__ import annotations

import itertools

import pytest

from helix.vault.conflict_names import choose_best, choose_survivor, is_note_name, original_name

COPIES = [
    # Dropbox
    "n (Ann's conflicted copy 2026-09-25).md",
    "n (Ann’s conflicted copy 2026-09-25).md",
    "n (Ann's conflicted copy 2026-09-25) (1).md",
    "n (Case Conflict).md",
    "n (Case Conflict (1)).md",
    "n (Unicode Encoding Conflict).md",
    "n (Copie en conflit de Ann 2026-09-25).md",
    "n (Copia en conflicto de Ann 2026-09-25).md",
    "n (In Konflikt stehende Kopie von Ann 2026-09-25).md",
    # Nextcloud, ownCloud
    "n (conflicted copy 2026-10-05 103045).md",
    "n (conflicted copy ann 2026-10-05 103045).md",
    "n_conflict-20170101-120000.md",
    # Syncthing, Obsidian Sync
    "n.sync-conflict-20261116-020741-PEVKUMX.md",
    "n.sync-conflict-20241128-143022.md",
    # rclone bisync
    "n.md..path1",
    "n.md..path2",
    "n.md.conflict1",
    "n.md.conflict2",
    # Unison, git-annex, Resilio
    "n (conflict_on_2026-11-16).md",
    "n.variant-c696.md",
    "n.Conflict.md",
    "n.Conflict2.md",
    # OneDrive, Google Drive, Seafile, pCloud
    "n-DESKTOP-AB12C3-safeBackup-0001.md",
    "n [Conflict].md",
    "n_conf(1).md",
    "n (SFConflict ann 2026-10-05-10-30-45).md",
    "n [conflicted].md",
]
PERHAPS = ["n 2.md", "n (1).md", "n-MACHINE.md"]
MEMORY = "mem_2026-06-18_auth-retry_a1b2c3"


@pytest.mark.parametrize("copy", COPIES)
def test_a_conflict_copy_is_known_by_its_name_and_leads_to_its_original(copy: str) -> None:
    assert original_name(copy) == "n.md"
    assert original_name(f"projects/a.b/{copy}") == "projects/a.b/n.md"
    assert is_note_name(copy)


@pytest.mark.parametrize("copy", COPIES)
def test_a_conflict_copy_of_a_record_leads_to_the_file_that_helix_made(copy: str) -> None:
    assert original_name(copy.replace("n", MEMORY, 1)) == f"{MEMORY}.md"


def test_a_copy_of_a_copy_leads_to_the_first_original() -> None:
    twice = "n (Ann's conflicted copy 2026-09-25).sync-conflict-20261116-020741-PEVKUMX.md"
    assert original_name(twice) == "n.md"


@pytest.mark.parametrize(
    "name", [*PERHAPS, "Chapter 2.md", "a (draft).md", "conflict.md", "n.conflict.md", "a-b.md"]
)
def test_an_ordinary_title_is_not_taken_for_a_copy(name: str) -> None:
    assert original_name(name) is None


@pytest.mark.parametrize("name", ["n.md.conflict", "n.txt.conflict1", "n..path1", "n.md.path1", ".md"[:-1]])
def test_what_only_looks_like_a_copy_of_a_note_is_no_note(name: str) -> None:
    assert not is_note_name(name)


@pytest.mark.parametrize("copy", COPIES + PERHAPS)
def test_the_original_survives_and_not_the_copy(copy: str) -> None:
    assert choose_survivor("mem_x", ["n.md", copy]) == "n.md"


def test_the_choice_does_not_depend_on_the_order_of_the_files() -> None:
    paths = ["b/n.md", "a/n.md", COPIES[0], "n 2.md", f"deep/{MEMORY}.md"]
    chosen = {choose_survivor(MEMORY, list(order)) for order in itertools.permutations(paths)}
    assert chosen == {f"deep/{MEMORY}.md"}


def test_copies_that_are_no_markdown_files_give_the_memory_its_own_name_back() -> None:
    paths = ["a/n.md.conflict1", "a/n.md.conflict2"]
    assert choose_survivor("mem_x", paths) == "a/n.md"
    assert choose_best("mem_x", paths) == "a/n.md.conflict1"
