from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from helix.errors import BadValue, HistoryError
from helix.vault.history import History
from tests.vault.git_sandbox import Sandbox, note


def history_of(sandbox: Sandbox) -> History:
    found = History.find(sandbox.vault)
    assert found is not None
    return found


def committed(sandbox: Sandbox, revision: str = "HEAD") -> list[str]:
    return sorted(sandbox.git("show", "--format=", "--name-status", "--no-renames", revision).splitlines())


# What is committed, and what is left alone


def test_new_changed_and_deleted_files_are_committed_as_they_are_on_disk(sandbox: Sandbox) -> None:
    sandbox.write("changed.md", "one\n")
    sandbox.write("deleted.md", "one\n")
    sandbox.write("bystander.md", "one\n")
    sandbox.save()
    sandbox.write("changed.md", "two\n")
    sandbox.write("folder/new.md", "new\n")
    sandbox.write("bystander.md", "two\n")
    (sandbox.vault / "deleted.md").unlink()
    made = history_of(sandbox).commit(["changed.md", "deleted.md", "folder/new.md"], "subject\n\n# body\n")
    assert made == sandbox.git("rev-parse", "HEAD")
    assert committed(sandbox) == ["A\tfolder/new.md", "D\tdeleted.md", "M\tchanged.md"]
    assert sandbox.git("log", "-1", "--format=%B").strip() == "subject\n\n# body"
    assert sandbox.git("status", "--porcelain") == " M bystander.md"


def test_what_the_person_has_staged_stays_staged_and_uncommitted(sandbox: Sandbox) -> None:
    for name in ("staged.md", "partly.md", "ours.md"):
        sandbox.write(name, "one\n")
    sandbox.save()
    sandbox.write("staged.md", "two\n")
    sandbox.write("added.md", "new\n")
    sandbox.write("partly.md", "staged half\n")
    sandbox.git("add", "staged.md", "added.md", "partly.md")
    sandbox.write("partly.md", "staged half\nunstaged half\n")
    before = sandbox.git("diff", "--cached")
    sandbox.write("ours.md", "two\n")
    sandbox.write("new.md", "new\n")
    assert history_of(sandbox).commit(["ours.md", "new.md"], "ours")
    assert committed(sandbox) == ["A\tnew.md", "M\tours.md"]
    assert sandbox.git("diff", "--cached") == before
    assert sandbox.git("status", "--porcelain").splitlines() == [
        "A  added.md",
        "MM partly.md",
        "M  staged.md",
    ]


def test_a_partly_staged_file_is_committed_whole_when_asked_for(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    sandbox.save()
    sandbox.write("a.md", "half\n")
    sandbox.git("add", "a.md")
    sandbox.write("a.md", "whole\n")
    assert history_of(sandbox).commit(["a.md"], "whole")
    assert sandbox.git("show", "HEAD:a.md") == "whole"
    assert sandbox.git("status", "--porcelain") == ""


def test_the_first_commit_of_a_repository_takes_only_what_was_asked_for(sandbox: Sandbox) -> None:
    sandbox.write("staged.md", "the person's\n")
    sandbox.git("add", "staged.md")
    sandbox.write("ours.md", note("mem_1"))
    assert history_of(sandbox).commit(["ours.md"], "first")
    assert committed(sandbox) == ["A\tours.md"]
    assert sandbox.git("status", "--porcelain") == "A  staged.md"


def test_on_a_detached_head_the_commit_goes_there_and_no_branch_moves(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    main = sandbox.save()
    sandbox.git("checkout", "-q", "--detach")
    sandbox.write("a.md", "two\n")
    made = history_of(sandbox).commit(["a.md"], "detached")
    assert made == sandbox.git("rev-parse", "HEAD")
    assert sandbox.git("rev-parse", "main") == main


def test_nothing_to_commit_is_no_commit(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    head = sandbox.save()
    history = history_of(sandbox)
    assert history.commit(["a.md", "never-existed.md"], "nothing") is None
    assert history.commit([], "nothing") is None
    sandbox.write("a.md", "two\n")
    sandbox.git("add", "a.md")
    sandbox.write("a.md", "one\n")
    assert history.commit(["a.md"], "staged, but on disk as it was") is None
    assert sandbox.git("rev-parse", "HEAD") == head


def test_an_ignored_file_is_not_committed(sandbox: Sandbox) -> None:
    sandbox.write(".gitignore", "private/\n")
    sandbox.save()
    sandbox.write("private/a.md", "secret\n")
    sandbox.write("b.md", "open\n")
    history = history_of(sandbox)
    assert history.commit(["private/a.md"], "nothing") is None
    assert history.commit(["private/a.md", "b.md"], "the open one")
    assert committed(sandbox) == ["A\tb.md"]


def test_a_file_the_person_told_git_to_forget_is_not_brought_back(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    sandbox.save()
    sandbox.git("rm", "-q", "--cached", "a.md")
    sandbox.write("a.md", "two\n")
    assert history_of(sandbox).commit(["a.md"], "no") is None
    assert sandbox.git("status", "--porcelain").splitlines() == ["D  a.md", "?? a.md"]


def test_a_file_that_became_a_folder_does_not_commit_what_is_in_there(sandbox: Sandbox) -> None:
    sandbox.write("a", "one\n")
    sandbox.save()
    (sandbox.vault / "a").unlink()
    sandbox.write("a/private.md", "mine\n")
    sandbox.git("add", "-A")
    assert history_of(sandbox).commit(["a"], "no") is None
    assert sandbox.git("status", "--porcelain", "--no-renames").splitlines() == ["D  a", "A  a/private.md"]


def test_a_commit_needs_a_message_and_takes_none_for_an_option(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    history = history_of(sandbox)
    for message in ("", " \n", "nul\0", "\ud800"):
        with pytest.raises(BadValue):
            history.commit(["a.md"], message)
    assert history.commit(["a.md"], "--amend")
    assert sandbox.git("log", "--format=%s") == "--amend"


# Who commits


def test_without_an_identity_helix_signs_and_with_one_the_person_does(sandbox: Sandbox) -> None:
    history = history_of(sandbox)
    sandbox.write("a.md", "one\n")
    history.commit(["a.md"], "as Ada")
    assert sandbox.git("log", "-1", "--format=%an <%ae>") == "Ada <ada@example.com>"
    sandbox.git("config", "--unset", "user.email")
    sandbox.write("a.md", "two\n")
    history.commit(["a.md"], "half known")
    assert sandbox.git("log", "-1", "--format=%an <%ae>") == "Ada <helix@localhost>"
    sandbox.git("config", "--unset", "user.name")
    sandbox.write("a.md", "three\n")
    history.commit(["a.md"], "as Helix")
    assert sandbox.git("log", "-1", "--format=%an <%ae> %cn") == "Helix <helix@localhost> Helix"


# When it is refused


def test_a_hook_that_refuses_is_quoted_and_leaves_everything_as_it_was(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    head = sandbox.save()
    sandbox.hook("pre-commit", "echo checking >&2\necho 'no secrets, please' >&2\nexit 1")
    sandbox.write("a.md", "two\n")
    sandbox.write("new.md", "new\n")
    sandbox.write("staged.md", "staged\n")
    sandbox.git("add", "staged.md")
    before = sandbox.git("status", "--porcelain")
    with pytest.raises(HistoryError, match="refused: no secrets, please") as raised:
        history_of(sandbox).commit(["a.md", "new.md"], "refused")
    assert raised.value.code == "git-failed"
    assert sandbox.git("rev-parse", "HEAD") == head
    assert sandbox.git("status", "--porcelain") == before


def test_a_hook_that_hangs_is_stopped_and_leaves_no_lock(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helix.vault.commit.COMMIT_SECONDS", 0.5)
    sandbox.hook("pre-commit", "sleep 60")
    sandbox.write("new.md", "new\n")
    history = history_of(sandbox)
    with pytest.raises(HistoryError, match="was stopped"):
        history.commit(["new.md"], "hangs")
    assert history.busy() is None
    assert sandbox.git("status", "--porcelain") == "?? new.md"


def test_a_hook_that_hangs_after_the_commit_undoes_nothing_of_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helix.vault.commit.COMMIT_SECONDS", 0.5)
    sandbox.hook("post-commit", "sleep 60")
    sandbox.write("new.md", "new\n")
    history = history_of(sandbox)
    with pytest.raises(HistoryError, match="was stopped"):
        history.commit(["new.md"], "made")
    assert sandbox.git("status", "--porcelain") == ""
    assert history.commit(["new.md"], "again") is None


def conflict(sandbox: Sandbox) -> None:
    """Two branches that changed one line: `main` is checked out, `other` collides with it."""
    sandbox.write("a.md", "base\n")
    sandbox.save("base")
    sandbox.git("checkout", "-q", "-b", "other")
    sandbox.write("a.md", "other\n")
    sandbox.save("other")
    sandbox.git("checkout", "-q", "main")
    sandbox.write("a.md", "main\n")
    sandbox.save("main")


def mail(sandbox: Sandbox) -> None:
    patch = sandbox.git("format-patch", "-1", "other", "--stdout")
    (sandbox.top.parent / "patch").write_text(patch + "\n")
    sandbox.git("am", str(sandbox.top.parent / "patch"), fails=True)


def pick_two_and_resolve_one(sandbox: Sandbox) -> None:
    sandbox.git("checkout", "-q", "other")
    sandbox.write("a.md", "other again\n")
    sandbox.save("again")
    sandbox.git("checkout", "-q", "main")
    sandbox.git("cherry-pick", "other~1", "other", fails=True)
    sandbox.git("add", "-A")
    sandbox.git("commit", "-q", "-m", "resolved")


@pytest.mark.parametrize(
    ("begin", "name"),
    [
        (lambda sandbox: sandbox.git("merge", "other", fails=True), "merge"),
        (lambda sandbox: sandbox.git("rebase", "--merge", "other", fails=True), "rebase"),
        (lambda sandbox: sandbox.git("rebase", "--apply", "other", fails=True), "rebase"),
        (lambda sandbox: sandbox.git("cherry-pick", "other", fails=True), "cherry-pick"),
        (pick_two_and_resolve_one, "cherry-pick or revert"),
        (lambda sandbox: sandbox.git("revert", "HEAD~1", fails=True), "revert"),
        (lambda sandbox: sandbox.git("bisect", "start"), "bisect"),
        (mail, "am"),
        (lambda sandbox: (sandbox.top / ".git/index.lock").touch(), "index.lock"),
    ],
)
def test_while_git_is_busy_nothing_is_committed_or_staged(
    sandbox: Sandbox, begin: Callable[[Sandbox], object], name: str
) -> None:
    conflict(sandbox)
    history = history_of(sandbox)
    assert history.busy() is None
    begin(sandbox)
    sandbox.write("new.md", "new\n")
    before = sandbox.git("status", "--porcelain"), sandbox.git("rev-parse", "HEAD")
    assert history.busy() == name
    with pytest.raises(HistoryError, match="busy") as raised:
        history.commit(["new.md"], "no")
    assert raised.value.code == "git-busy"
    assert (sandbox.git("status", "--porcelain"), sandbox.git("rev-parse", "HEAD")) == before


def test_a_linked_worktree_is_busy_and_commits_on_its_own(sandbox: Sandbox, tmp_path: Path) -> None:
    conflict(sandbox)
    sandbox.git("worktree", "add", "-q", "-b", "third", str(tmp_path / "linked"))
    linked = Sandbox(tmp_path / "linked")
    main_history, linked_history = history_of(sandbox), history_of(linked)
    linked.write("new.md", note("mem_1"))
    made = linked_history.commit(["new.md"], "linked")
    assert made == sandbox.git("rev-parse", "third")
    assert linked_history.versions("mem_1", "new.md")[0].commit == made
    linked.git("merge", "other", fails=True)
    assert (linked_history.busy(), main_history.busy()) == ("merge", None)


def test_a_conflict_that_a_stash_left_is_the_persons_to_resolve(sandbox: Sandbox) -> None:
    sandbox.write("a.md", "one\n")
    sandbox.save()
    sandbox.write("a.md", "stashed\n")
    sandbox.git("stash", "-q")
    sandbox.write("a.md", "changed\n")
    sandbox.save()
    sandbox.git("stash", "pop", fails=True)
    sandbox.write("new.md", "new\n")
    sandbox.write("late.md", "late\n")
    history = history_of(sandbox)
    with pytest.raises(HistoryError, match="conflict to resolve") as raised:
        history.commit(["a.md", "new.md"], "no")
    assert raised.value.code == "git-busy"
    assert sandbox.git("status", "--porcelain").splitlines() == ["UU a.md", "?? late.md", "?? new.md"]
    assert history.commit(["new.md"], "another file")
    assert sandbox.git("status", "--porcelain").splitlines() == ["UU a.md", "?? late.md"]
