from __future__ import annotations

import os
import threading
from collections.abc import Sequence

import pytest

from helix.errors import EditRefused, StorageError
from helix.vault.files import Write
from helix.vault.folding import MergePlan, plan_merge
from helix.vault.vault import Edit, Vault
from tests.follow.rig import Rig, record

COPY = "a (Ann's conflicted copy 2026-09-25).md"


def test_copies_are_merged_once_they_are_quiet(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "Shared.\nOurs.\n"))
    rig.write(COPY, record("mem_a", "Shared.\nTheirs.\n"))
    rig.follow()
    due = rig.mender.mend()
    assert due is not None
    assert rig.mender.merged == 0
    rig.write(COPY, record("mem_a", "Shared.\nTheirs.\nStill typing.\n"))
    rig.follow(COPY)
    rig.advance(due - rig.monotonic())
    later = rig.mender.mend()
    assert rig.mender.merged == 0, "a copy that changed is a new one, and waits anew"
    assert later is not None
    rig.advance(later - rig.monotonic())
    rig.mender.mend()
    assert rig.mender.merged == 1
    assert {"Shared.", "Ours.", "Theirs.", "Still typing."} <= set(rig.read("a.md").split("\n"))
    assert rig.row(COPY).is_stub
    assert rig.paths() == ["a.md"]


def test_a_rename_that_a_sync_client_makes_in_two_steps_is_no_conflict(rig: Rig) -> None:
    text = record("mem_a")
    rig.write("old.md", text)
    rig.write("new.md", text)
    rig.follow()
    rig.mend(after=10)
    os.unlink(rig.folder / "old.md")
    rig.follow()
    rig.mend(after=60)
    assert (rig.paths(), rig.read("new.md")) == (["new.md"], text)


def test_a_copy_that_cannot_be_read_does_not_hold_up_the_others(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "One.\n"))
    rig.write("a (1).md", record("mem_a", "Two.\n"))
    rig.write("a (2).md", record("mem_a", "Three.\n"))
    rig.follow()
    broken = "---\nid: mem_a\ntags: [\n---\nThree.\n"
    rig.write("a (2).md", broken)
    rig.follow()
    rig.mend()
    assert rig.row("a (1).md").is_stub
    assert rig.read("a (2).md") == broken
    assert list(rig.problems()) == ["a (2).md"]
    rig.write("a (2).md", record("mem_a", "Three.\n"))
    rig.settle_down()
    assert {"One.", "Two.", "Three."} <= set(rig.read("a.md").split("\n"))
    assert rig.problems() == {}


@pytest.mark.parametrize(("status", "register"), [("deleted", "deleted_at"), ("active", "restored_at")])
def test_a_flipped_status_gets_its_register(rig: Rig, status: str, register: str) -> None:
    rig.write(
        "a.md", record("mem_a", status=status, **({"deleted_at": "2026-01-01"} if status == "active" else {}))
    )
    rig.follow()
    rig.mender.mend()
    assert register not in rig.read("a.md")
    rig.advance(3)
    rig.mender.mend()
    assert f"{register}: 2026-06-18T09:00:03Z" in rig.read("a.md")
    assert rig.row("a.md").needs == ""


@pytest.mark.parametrize(("status", "register"), [("deleted", "restored_at"), ("active", "deleted_at")])
def test_a_register_that_no_time_can_follow_is_not_stamped_again_and_again(
    rig: Rig, status: str, register: str
) -> None:
    rig.write("a.md", record("mem_a", status=status, **{register: "9998-12-31T23:59:59Z"}))
    rig.settle_down()
    assert rig.row("a.md").status == status


def test_a_flip_of_a_tombstone_that_no_time_can_follow_comes_to_rest(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", status="deleted", deleted_at="9998-12-31T23:59:59Z"))
    rig.settle_down()
    rig.memories.change("mem_a", lambda note: Edit({"tags": ["kept"]}))
    lines = rig.read("a.md").replace("status: deleted", "status: active").splitlines(keepends=True)
    rig.write("a.md", "".join(line for line in lines if not line.startswith("deleted_at")))
    rig.settle_down()
    assert rig.row("a.md").status == "active"


def test_a_late_arrival_of_an_erased_memory_is_erased(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "secret\n"))
    rig.follow()
    rig.memories.erase("mem_a")
    rig.write("late.md", record("mem_a", "secret\n"))
    rig.follow()
    rig.settle_down()
    assert not any(b"secret" in data for data in rig.snapshot().values())
    assert sorted(rig.snapshot()) == ["a.md", "late.md"], "no file is unlinked, no temp file stays"


def test_a_new_file_where_an_erased_one_without_an_id_was_is_left_alone(rig: Rig) -> None:
    file = rig.write("todo.md", "secret\n")
    rig.follow()
    [row] = rig.catalog.memories()
    rig.memories.erase(row.id)
    file.unlink()
    rig.write("todo.md", "- milk\n")
    rig.settle_down()
    assert rig.read("todo.md") == "- milk\n"


def test_a_change_that_helix_cannot_make_is_listed_until_it_is_not_needed(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, memory_id: str) -> None:
        raise EditRefused("the frontmatter is written in an unusual way")

    rig.write("a.md", record("mem_a", status="deleted"))
    rig.follow()
    with monkeypatch.context() as patched:
        patched.setattr(rig.vault, "settle_status", refuse)
        rig.mend()
        assert rig.problems()["a.md"].code == "edit-refused"
        rig.follow()
        assert rig.problems()["a.md"].code == "edit-refused"
    rig.advance(60)
    rig.mender.mend()
    rig.mender.mend()
    assert rig.problems() == {}
    assert "deleted_at" in rig.read("a.md")


def test_a_save_that_raced_a_write_comes_back(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "Text.\n"))
    rig.follow()
    with (rig.folder / "a.md").open("r+b") as editor:
        rig.memories.forget("mem_a")
        editor.seek(0, os.SEEK_END)
        editor.write(b"Typed meanwhile.\n")
    rig.settle_down()
    assert rig.mender.recovered == 1
    assert "Typed meanwhile." in rig.read("a.md")
    assert rig.row("a.md").status == "deleted"
    assert list(rig.snapshot()) == ["a.md"]


def test_nothing_is_written_while_the_vault_cannot_be_trusted(rig: Rig) -> None:
    for number in range(20):
        rig.write(f"{number}.md", record(f"mem_{number}"))
    rig.write("a.md", record("mem_a", status="deleted"))
    rig.follow()
    for number in range(20):
        os.unlink(rig.folder / f"{number}.md")
    rig.follow()
    rig.mend(after=100)
    assert "deleted_at" not in rig.read("a.md")


def test_while_the_vault_cannot_be_trusted_an_old_file_is_in_no_answer_and_is_listed(rig: Rig) -> None:
    for number in range(20):
        rig.write(f"{number}.md", record(f"mem_{number}"))
    for name, forget in (("a", rig.memories.forget), ("b", rig.memories.erase)):
        rig.write(f"{name}.md", record(f"mem_{name}", "secret\n"))
        rig.follow()
        forget(f"mem_{name}")
    for number in range(20):
        os.unlink(rig.folder / f"{number}.md")
    rig.follow()
    for name in "ab":
        rig.write(f"{name}.md", record(f"mem_{name}", "secret\n"))
    rig.follow()
    rig.mend(after=100)
    assert [rig.row(path).status for path in ("a.md", "b.md")] == ["deleted", "erased"]
    assert all("secret" in rig.read(path) for path in ("a.md", "b.md"))
    assert {path: one.code for path, one in rig.problems().items()} == {"a.md": "old-file", "b.md": "erased"}
    assert "disappeared" in rig.problems()["b.md"].reason
    rig.reconciler.rebuild(accept_missing=True)
    rig.settle_down()
    assert "status: deleted" in rig.read("a.md")
    assert "secret" not in rig.read("b.md")
    assert rig.problems() == {}


def test_in_a_vault_that_cannot_be_written_to_an_old_file_is_in_no_answer_and_is_listed(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, forget in (("a", rig.memories.forget), ("b", rig.memories.erase)):
        rig.write(f"{name}.md", record(f"mem_{name}", "secret\n"))
        rig.follow()
        forget(f"mem_{name}")
        rig.write(f"{name}.md", record(f"mem_{name}", "secret\n"))
    rig.settle_down()
    for name in "ab":
        rig.write(f"{name}.md", record(f"mem_{name}", "secret\n"))

    def refuse(write: Write) -> None:
        raise StorageError(f"write {write.path}: Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr(rig.vault.files, "write", refuse)
        rig.follow()
        rig.mend(after=10)
        assert [rig.row(path).status for path in ("a.md", "b.md")] == ["deleted", "erased"]
        assert {path: one.code for path, one in rig.problems().items()} == {
            "a.md": "old-file",
            "b.md": "erased",
        }
        assert "Read-only" in rig.problems()["b.md"].reason
    rig.settle_down()
    assert "status: deleted" in rig.read("a.md")
    assert "secret" not in rig.read("b.md")
    assert rig.problems() == {}


def test_an_old_file_in_another_spelling_and_with_a_later_date_becomes_a_tombstone_with_its_text(
    rig: Rig,
) -> None:
    rig.write("a.md", record("mem_a", "Text.\n"))
    rig.follow()
    rig.memories.forget("mem_a")
    rig.write("a.md", "---\n{id: mem_a, updated_at: 2099-01-01, tags: [a]}\n---\nNobody has seen this.\n")
    rig.follow()
    assert rig.row("a.md").status == "deleted"
    rig.mend()
    assert "status: deleted" in rig.read("a.md")
    assert "Nobody has seen this." in rig.read("a.md")


@pytest.mark.parametrize("typed", ["---\nid: mem_a\ntags: [\n---\nsecret\n", "---\ntags: [\n---\nsecret\n"])
def test_a_save_that_raced_an_erasure_and_cannot_be_read_is_not_kept(rig: Rig, typed: str) -> None:
    rig.write("a.md", record("mem_a", "secret\n"))
    rig.follow()
    with (rig.folder / "a.md").open("r+b") as editor:
        rig.memories.erase("mem_a")
        editor.truncate()
        editor.write(typed.encode())
    rig.settle_down()
    assert list(rig.snapshot()) == ["a.md"]
    assert "secret" not in rig.read("a.md")


def test_writes_go_on_while_a_merge_is_worked_out(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.write("a.md", record("mem_a", "Shared.\nOurs.\n"))
    rig.write(COPY, record("mem_a", "Shared.\nTheirs.\n"))
    rig.follow()
    rig.mender.mend()
    was_free = []

    def try_to_write() -> None:
        was_free.append(rig.reconciler.lock.acquire(timeout=5))
        if was_free[-1]:
            rig.reconciler.lock.release()

    def plan_beside_a_writer(vault: Vault, memory_id: str, paths: Sequence[str]) -> MergePlan:
        writer = threading.Thread(target=try_to_write)
        writer.start()
        writer.join()
        return plan_merge(vault, memory_id, paths)

    monkeypatch.setattr("helix.follow.mend.plan_merge", plan_beside_a_writer)
    rig.mend(after=200)
    assert (was_free, rig.mender.merged) == ([True], 1)


def test_a_file_that_changes_while_its_merge_is_worked_out_is_merged_anew(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.write("a.md", record("mem_a", "Shared.\nOurs.\n"))
    rig.write(COPY, record("mem_a", "Shared.\nTheirs.\n"))
    rig.follow()
    rig.mender.mend()

    def plan_beside_an_editor(vault: Vault, memory_id: str, paths: Sequence[str]) -> MergePlan:
        planned = plan_merge(vault, memory_id, paths)
        rig.write(COPY, record("mem_a", "Shared.\nTheirs.\nSaved meanwhile.\n"))
        return planned

    monkeypatch.setattr("helix.follow.mend.plan_merge", plan_beside_an_editor)
    rig.mend(after=200)
    assert rig.mender.merged == 0
    assert "Theirs." not in rig.read("a.md")
    monkeypatch.undo()
    rig.settle_down()
    assert {"Ours.", "Theirs.", "Saved meanwhile."} <= set(rig.read("a.md").split("\n"))


def test_a_typed_status_and_a_conflict_copy_destroy_nothing(rig: Rig) -> None:
    rig.write("a.md", record("mem_a", "The pump leaks.\n").replace("---\n", "---\nstatus: erased\n", 1))
    rig.write(COPY, record("mem_a", "The pump leaks.\nOne more line.\n"))
    rig.follow()
    rig.settle_down()
    assert "The pump leaks.\nOne more line.\n" in rig.read("a.md")
    assert "status: erased" in rig.read("a.md")
    assert rig.ancestry.erased_at("mem_a") is None


def test_notes_that_share_an_id_of_another_tool_are_not_merged(rig: Rig) -> None:
    rig.write("v1/intro.md", "---\nid: intro\nsidebar_position: 1\n---\nThe first manual.\n")
    rig.write("v2/intro.md", "---\nid: intro\nsidebar_position: 1\n---\nThe second manual.\n")
    before = rig.snapshot()
    rig.follow()
    rig.settle_down()
    assert rig.snapshot() == before
    [problem] = rig.catalog.problems()
    assert problem.code == "edit-refused"
    assert "intro" in problem.reason


def test_a_conflict_copy_of_a_note_with_an_id_of_its_owner_is_merged(rig: Rig) -> None:
    rig.write("intro.md", "---\nid: intro\n---\nThe manual.\n")
    rig.write(
        "intro (Ann's conflicted copy 2026-09-25).md",
        "---\nid: intro\n---\nThe manual.\n\nA line of Ann's.\n",
    )
    rig.follow()
    rig.settle_down()
    assert "A line of Ann's." in rig.read("intro.md")
    assert rig.catalog.duplicates() == {}
