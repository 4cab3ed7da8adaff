from __future__ import annotations

import os
from pathlib import Path

import pytest

from helix.follow.stable_read import Looked, Looker
from helix.vault.ignore import Ignore
from helix.vault.note import Note
from helix.vault.ownership import FolderRule
from tests.follow.rig import Rig, record


def look(rig: Rig, path: str, *, settled: bool = False, age: float = 0.0) -> Looked | None:
    looker = Looker(rig.vault, 0.03, lambda: rig.wall() + age, rig._pause)
    return looker.look(rig.vault.walk().files, [path], settled=settled)[path]


def test_a_quiet_file_is_read_once_and_a_young_one_twice(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    seen = look(rig, "a.md", age=10)
    assert seen is not None
    assert seen.note is not None
    assert (seen.note.id, seen.problem, rig.pauses) == ("mem_a", None, 0)
    assert look(rig, "a.md") == seen
    assert rig.pauses == 1


def test_what_helix_wrote_itself_needs_no_second_look(rig: Rig) -> None:
    rig.write("a.md", record("mem_a"))
    assert look(rig, "a.md", settled=True) is not None
    assert rig.pauses == 0


def test_a_file_that_changes_between_two_looks_is_not_ready(rig: Rig) -> None:
    rig.write("a.md", record("mem_a")[:20])
    rig.during_pause = lambda: rig.write("a.md", record("mem_a"))
    assert look(rig, "a.md") is None
    rig.during_pause = lambda: os.unlink(rig.folder / "a.md")
    assert look(rig, "a.md") is None


@pytest.mark.parametrize("ahead", [0, 86_400])
def test_an_empty_file_is_believed_only_when_nobody_fills_it(rig: Rig, ahead: float) -> None:
    rig.write("a.md", "")
    stamp = rig.wall() + ahead
    os.utime(rig.folder / "a.md", (stamp, stamp))
    assert look(rig, "a.md") is None
    seen = look(rig, "a.md", age=3)
    assert seen is not None
    assert seen.note is not None


def test_a_file_that_is_no_file_is_a_problem_and_is_not_waited_for(rig: Rig) -> None:
    os.mkfifo(rig.folder / "pipe.md")
    seen = look(rig, "pipe.md")
    assert seen is not None
    assert seen.note is None
    assert seen.problem is not None
    assert "not a regular file" in seen.problem.reason


def test_a_copy_that_cannot_be_read_says_whose_copy_it_is(rig: Rig) -> None:
    name = "a.sync-conflict-20261116-020741-PEVKUMX.md"
    rig.write(name, "---\nid: [\n---\n")
    seen = look(rig, name)
    assert seen is not None
    assert seen.problem is not None
    assert "conflict copy of a.md" in seen.problem.detail


def test_an_id_that_cannot_be_used_is_reported_and_the_note_is_read_all_the_same(rig: Rig) -> None:
    rig.write("a.md", "---\nid: two words\n---\nText.\n")
    seen = look(rig, "a.md")
    assert seen is not None
    assert seen.note is not None
    assert seen.problem is not None
    assert seen.problem.code == "bad-id"
    assert seen.note.id in seen.problem.reason


def test_a_file_that_helix_fails_on_stops_no_other(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Note.parse

    def failing(path: str, data: bytes, folder: FolderRule | None = None) -> Note:
        if path == "bad.md":
            raise RecursionError("too deep")
        return real(path, data, folder)

    monkeypatch.setattr(Note, "parse", failing)
    rig.write("bad.md", "x")
    rig.write("good.md", record("mem_a"))
    rig.follow()
    assert rig.paths() == ["good.md"]
    assert rig.problems()["bad.md"].code == "unexpected"


def test_the_rules_of_the_vault_are_read_from_its_top(rig: Rig) -> None:
    assert isinstance(rig.vault.ignore(), Ignore)
    rig.write(".helixignore", "*.md\n")
    assert rig.vault.ignore().skips("a.md")
    Path(rig.folder / ".helixignore").unlink()
    assert not rig.vault.ignore().skips("a.md")
