from __future__ import annotations

from pathlib import Path

import pytest

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
