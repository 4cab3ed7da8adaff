from __future__ import annotations

import pytest

from helix.vault.ignore import Ignore

NOT_RECORDS = [
    ".~lock.n.md#",
    "~$n.md",
    ".n.md.swp",
    ".n.md.swo",
    ".n.md.swx",
    "4913",
    ".#n.md",
    "#n.md#",
    "n.md~",
    ".syncthing.n.md.tmp",
    "~syncthing~n.md.tmp",
    "n.md.!sync",
    "n.md.part",
    ".goutputstream-A1B2C3",
    "._n.md",
    "sedA1b2C3",
    ".n.md.icloud",
    ".~helix-0123456789abcdef.tmp",
    ".hidden.md",
    "n.txt",
    "n.mdx",
    "image.png",
    "n.md.tmp",
    "n.md.bak",
    "n",
    "Thumbs.db",
    ".DS_Store",
    "desktop.ini",
    "n.md.crdownload",
]
HIDDEN_FOLDERS = [
    ".git",
    ".obsidian",
    ".trash",
    ".stversions",
    ".stfolder",
    ".tmp.drivedownload",
    ".tmp.driveupload",
    ".dropbox.cache",
    ".helix",
    ".Trash-1000",
    "node_modules",
    "@eaDir",
    "$RECYCLE.BIN",
    "lost+found",
    "__MACOSX",
]


@pytest.mark.parametrize("name", NOT_RECORDS)
def test_a_temp_or_foreign_file_is_not_a_record(name: str) -> None:
    assert Ignore().skips(name)
    assert Ignore().skips(f"projects/billing/{name}")


@pytest.mark.parametrize("name", HIDDEN_FOLDERS)
def test_nothing_in_a_folder_of_other_programs_is_a_record(name: str) -> None:
    assert Ignore().skips_folder(name)
    assert Ignore().skips(f"{name}/n.md")
    assert Ignore().skips(f"a/{name}/deep/n.md")


@pytest.mark.parametrize(
    "path",
    ["n.md", "N.MD", "a/b.c/n.md", "~n.md", "#n.md", "n.md.conflict1", "n.md..path2", "n~.md", "git/n.md"],
)
def test_a_note_is_a_record_whatever_its_name(path: str) -> None:
    assert not Ignore().skips(path)


def test_rules_hide_files_and_folders_as_in_gitignore() -> None:
    ignore = Ignore("# private\n/diary/\n*.draft.md\n!keep.draft.md\ntemplates\n")
    hidden = ["diary/a.md", "diary/deep/a.md", "x.draft.md", "a/x.draft.md", "a/templates/t.md"]
    shown = ["a/diary/x.md", "keep.draft.md", "diary.md", "templates.md"]
    assert [path for path in hidden if not ignore.skips(path)] == []
    assert [path for path in shown if ignore.skips(path)] == []


def test_a_whole_folder_that_rules_hide_is_not_entered() -> None:
    assert Ignore("diary/").skips_below("diary/deep/er")
    assert not Ignore("diary/").skips_below("")


@pytest.mark.parametrize("bad", ["!", "\\", "[z-a]"])
def test_a_line_that_is_no_pattern_hides_nothing_and_spoils_no_other(bad: str) -> None:
    ignore = Ignore(f"first.md\n{bad}\nlast.md\n")
    assert ignore.bad_lines == [2]
    assert ignore.skips("first.md")
    assert ignore.skips("last.md")
    assert not ignore.skips("z.md")


def test_a_mark_that_windows_puts_before_the_text_is_not_part_of_the_first_rule() -> None:
    assert Ignore("\ufeffdiary/\r\nother.md\r\n").skips("diary/a.md")
