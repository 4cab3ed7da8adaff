from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helix.errors import HistoryError
from helix.vault.autocommit import AutoCommit
from helix.vault.commit_consent import CommitConsent
from helix.vault.history import History
from tests.vault.git_sandbox import Sandbox, note


@pytest.fixture
def shared(tmp_path: Path) -> Sandbox:
    """Somebody else's repository, whose hook and filter leave a mark."""
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note("mem_a"))
    sandbox.save()
    sandbox.hook("pre-commit", f"touch {tmp_path}/hook-ran")
    sandbox.git("config", "filter.trap.clean", f"touch {tmp_path}/filter-ran; cat")
    (sandbox.top / ".git" / "info" / "attributes").write_text("*.md filter=trap\n")
    sandbox.write("a.md", note("mem_a", "changed\n"))
    return sandbox


def committing(sandbox: Sandbox, config: Path) -> AutoCommit:
    history = History.get(sandbox.vault)
    auto = AutoCommit(history, lambda: 0.0, why_not=lambda: history.why_no_commit(CommitConsent(config)))
    auto.note("a.md", "A")
    return auto


def test_what_a_shared_repository_names_is_not_run_before_its_owner_agreed(
    shared: Sandbox, tmp_path: Path
) -> None:
    auto = committing(shared, tmp_path / "config")
    auto.flush()
    assert sorted(path.name for path in tmp_path.glob("*-ran")) == []
    assert "filter.trap.clean" in (auto.last_error or "")
    assert "helix init --autocommit" in (auto.last_error or "")
    History.get(shared.vault).agree_to_commits(CommitConsent(tmp_path / "config"))
    auto.flush()
    assert auto.last_error is None
    assert sorted(path.name for path in tmp_path.glob("*-ran")) == ["filter-ran", "hook-ran"]


@pytest.mark.parametrize("how", ["another hook", "another text of the hook", "another filter", "an include"])
def test_the_owner_is_asked_again_when_a_program_has_changed(
    shared: Sandbox, tmp_path: Path, how: str
) -> None:
    consent, history = CommitConsent(tmp_path / "config"), History.get(shared.vault)
    history.agree_to_commits(consent)
    assert history.why_no_commit(consent) is None
    shared.git("config", "branch.main.remote", "origin")  # names no program
    assert History.get(shared.vault).why_no_commit(consent) is None
    if how == "another hook":
        shared.hook("post-commit", "true")
    elif how == "another text of the hook":
        shared.hook("pre-commit", "true")
    elif how == "another filter":
        shared.git("config", "filter.trap.clean", "cat")
    else:
        shared.git("config", "include.path", "elsewhere")
    assert History.get(shared.vault).why_no_commit(consent) is not None


def test_a_yes_is_for_one_folder_and_only_its_owner_can_read_it(shared: Sandbox, tmp_path: Path) -> None:
    consent = CommitConsent(tmp_path / "config")
    History.get(shared.vault).agree_to_commits(consent)
    [file] = (tmp_path / "config").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    shared.top.rename(tmp_path / "moved")
    assert History.get(tmp_path / "moved").why_no_commit(consent) is not None


def test_a_repository_that_names_no_program_needs_no_yes(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note("mem_a"))
    auto = committing(sandbox, tmp_path / "config")
    auto.flush()
    assert auto.last_error is None
    assert sandbox.git("log", "--format=%s") == "helix: edit A"


def too_long_settings(sandbox: Sandbox, mark: Path) -> None:
    sandbox.git("config", "filter.trap.clean", f"touch {mark}; cat")
    (sandbox.top / ".git" / "info" / "attributes").write_text("*.md filter=trap\n")
    with (sandbox.top / ".git" / "config").open("a") as file:
        file.write(f"# {'x' * 1024 * 1024}\n")


def hook_behind_a_thousand_files(sandbox: Sandbox, mark: Path) -> None:
    sandbox.hook("pre-commit", f"touch {mark}")
    for number in range(1001):
        (sandbox.top / ".git" / "hooks" / f"a{number}").touch()


def partial_clone_from_a_command(sandbox: Sandbox, mark: Path) -> None:
    sandbox.git("config", "core.repositoryFormatVersion", "1")
    sandbox.git("config", "protocol.ext.allow", "always")
    sandbox.git("config", "remote.origin.url", f"ext::sh -c touch% {mark}")
    tree = sandbox.git("rev-parse", "HEAD^{tree}")
    (sandbox.top / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    sandbox.git("config", "remote.origin.promisor", "true")
    sandbox.git("config", "extensions.partialClone", "origin")


def _second_repository(sandbox: Sandbox, name: str, mark: Path) -> None:
    place = sandbox.top / name
    shutil.copytree(sandbox.top / ".git", place)
    hook = place / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)


def pointer_of_two_lines(sandbox: Sandbox, mark: Path) -> None:
    _second_repository(sandbox, ".first\nsecond", mark)
    (sandbox.top / ".git").rename(sandbox.top / ".first")
    (sandbox.top / ".git").write_text("gitdir: .first\nsecond\n")


def pointer_that_ends_in_a_space(sandbox: Sandbox, mark: Path) -> None:
    _second_repository(sandbox, ".first ", mark)
    (sandbox.top / ".git").rename(sandbox.top / ".first")
    (sandbox.top / ".git").write_text("gitdir: .first \n")


def long_way_to_the_shared_folder(sandbox: Sandbox, mark: Path) -> None:
    _second_repository(sandbox, ".second", mark)
    (sandbox.top / ".git" / "commondir").write_text("./" * 2500 + "../.second\n")


@pytest.mark.skipif(os.name == "nt", reason="names and hooks of other systems")
@pytest.mark.parametrize(
    "hide",
    [
        too_long_settings,
        hook_behind_a_thousand_files,
        partial_clone_from_a_command,
        pointer_of_two_lines,
        pointer_that_ends_in_a_space,
        long_way_to_the_shared_folder,
    ],
)
def test_a_program_that_git_would_find_and_helix_does_not_see_is_not_run(
    tmp_path: Path, hide: Callable[[Sandbox, Path], None]
) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note("mem_a"))
    sandbox.save()
    sandbox.write("a.md", note("mem_a", "changed\n"))
    hide(sandbox, tmp_path / "ran")
    with contextlib.suppress(HistoryError):
        auto = committing(sandbox, tmp_path / "config")
        auto.flush()
        assert auto.last_error
    assert not (tmp_path / "ran").exists()
    # and plain git runs it
    sandbox.git("commit", "-qam", "mine", fails=True)
    assert (tmp_path / "ran").exists()


def test_a_repository_that_is_exchanged_while_helix_runs_gets_no_commit(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note("mem_a"))
    sandbox.save()
    auto = committing(sandbox, tmp_path / "config")
    sandbox.write("a.md", note("mem_a", "changed\n"))
    _second_repository(sandbox, ".second", tmp_path / "ran")
    (sandbox.top / ".git" / "commondir").write_text("../.second\n")
    auto.flush()
    assert not (tmp_path / "ran").exists()
    assert "restart" in (auto.last_error or "")


def test_notes_of_another_folder_are_not_committed_into_a_shared_repository(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note("mem_a"))
    sandbox.save()
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "a.md").write_text("private\n")
    sandbox.git("config", "core.worktree", str(tmp_path / "private"))
    auto = committing(sandbox, tmp_path / "config")
    auto.flush()
    assert "core.worktree" in (auto.last_error or "")
    assert "private" not in sandbox.git("log", "-p", "--format=")


def test_a_hook_that_is_too_large_to_know_again_gets_no_yes(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", note("mem_a"))
    sandbox.save()
    sandbox.hook("pre-commit", f"true # {'x' * 5 * 1024 * 1024}")
    with pytest.raises(HistoryError, match="pre-commit"):
        History.get(sandbox.vault).agree_to_commits(CommitConsent(tmp_path / "config"))
