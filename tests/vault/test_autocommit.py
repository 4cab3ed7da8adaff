from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from helix.errors import HistoryError
from helix.vault.autocommit import AutoCommit
from helix.vault.history import History
from tests.vault.git_sandbox import Sandbox, note


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Ledger:
    """Commits without git: what was asked for, and an obstacle to put in the way."""

    def __init__(self) -> None:
        self.made: list[tuple[list[str], str]] = []
        self.busy_with: str | None = None
        self.refusal: str | None = None
        self.meanwhile: list[tuple[str, str]] = []
        self.auto: AutoCommit | None = None
        self.in_git: set[str] = set()

    def uncommitted(self, paths: Sequence[str]) -> set[str]:
        return set(paths) - self.in_git

    def busy(self) -> str | None:
        return self.busy_with

    def commit(self, paths: Sequence[str], message: str) -> str | None:
        if self.refusal:
            raise HistoryError(self.refusal, code="git-failed")
        self.made.append((list(paths), message))
        for path, label in self.meanwhile:
            assert self.auto is not None
            self.auto.note(path, label)
        return "c0ffee"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def auto(ledger: Ledger, clock: Clock) -> AutoCommit:
    ledger.auto = AutoCommit(ledger, clock)
    return ledger.auto


def pass_time(auto: AutoCommit, clock: Clock, seconds: float) -> None:
    clock.now += seconds
    auto.tick(clock.now)


def problem_of(auto: AutoCommit) -> str | None:
    return auto.last_error


def test_the_message_names_only_what_git_does_not_have_yet(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    ledger.in_git = {"a.md", "b.md"}
    for path in ("a.md", "b.md", "c.md"):
        auto.note(path, f"title of {path}", "add")
    pass_time(auto, clock, 31)
    assert ledger.made == [(["c.md"], "helix: add title of c.md")]


def test_a_change_is_committed_after_a_quiet_while_and_not_before(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    auto.note("a.md", "Auth client retry policy", "add")
    pass_time(auto, clock, 29)
    assert (ledger.made, auto.pending) == ([], 1)
    pass_time(auto, clock, 1)
    assert ledger.made == [(["a.md"], "helix: add Auth client retry policy")]
    assert auto.pending == 0
    pass_time(auto, clock, 1000)
    assert len(ledger.made) == 1


def test_every_change_prolongs_the_wait_but_not_for_ever(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    for _ in range(15):
        auto.note("a.md", "Busy note")
        pass_time(auto, clock, 20)
    assert len(ledger.made) == 1
    assert clock.now == 1300


def test_the_message_of_a_batch_counts_the_verbs_and_lists_the_memories(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    auto.note("a.md", "One", "add")
    auto.note("b.md", "Two", "add")
    auto.note("c.md", "Three", "forget")
    pass_time(auto, clock, 30)
    paths, message = ledger.made[0]
    assert paths == ["a.md", "b.md", "c.md"]
    assert message == "helix: 3 memories (add 2, forget 1)\n\n- add One\n- add Two\n- forget Three"


def test_a_long_batch_lists_fifty_and_counts_the_rest(auto: AutoCommit, ledger: Ledger, clock: Clock) -> None:
    for number in range(57):
        auto.note(f"{number}.md", f"Note {number}")
    pass_time(auto, clock, 30)
    lines = ledger.made[0][1].splitlines()
    assert lines[0] == "helix: 57 memories (edit 57)"
    assert len(lines) == 2 + 50 + 1
    assert lines[-1] == "and 7 more"


def test_a_title_cannot_write_lines_of_its_own_into_the_message(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    auto.note("a.md", "Title\n\nSigned-off-by: x\x1b[31m\0\ud800 " + "long " * 100)
    pass_time(auto, clock, 30)
    message = ledger.made[0][1]
    assert message.startswith("helix: edit Title Signed-off-by: x [31m long")
    assert message.endswith("…")
    assert len(message) < 120
    assert message.isprintable()


@pytest.mark.parametrize(
    ("verbs", "told"),
    [
        (["add", "edit"], "add"),
        (["edit", "forget"], "forget"),
        (["add", "forget"], "forget"),
        (["edit"], "edit"),
    ],
)
def test_several_changes_of_one_memory_are_told_as_one(
    auto: AutoCommit, ledger: Ledger, clock: Clock, verbs: list[str], told: str
) -> None:
    for verb in verbs:
        auto.note("a.md", "Note", verb)
    pass_time(auto, clock, 30)
    assert ledger.made == [(["a.md"], f"helix: {told} Note")]


def test_a_move_is_one_memory_and_both_of_its_paths(auto: AutoCommit, ledger: Ledger, clock: Clock) -> None:
    auto.note("a.md", "Note", "edit")
    auto.note("b.md", "Note", "move", was="a.md")
    auto.note("c.md", "Note", "move", was="b.md")
    pass_time(auto, clock, 30)
    assert ledger.made == [(["a.md", "b.md", "c.md"], "helix: move Note")]


def test_while_git_is_busy_the_batch_waits_longer_and_longer(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    ledger.busy_with = "rebase"
    auto.note("a.md", "Note")
    pass_time(auto, clock, 30)
    assert (auto.last_error, auto.pending) == ("git is busy (rebase)", 1)
    pass_time(auto, clock, 30)
    ledger.busy_with = None
    pass_time(auto, clock, 59)
    assert ledger.made == []
    pass_time(auto, clock, 1)
    assert [paths for paths, _ in ledger.made] == [["a.md"]]
    assert auto.last_error is None


def test_a_failure_keeps_the_batch_and_what_is_noted_later_joins_it(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    ledger.refusal = "the disk is full"
    auto.note("a.md", "One")
    pass_time(auto, clock, 30)
    assert problem_of(auto) == "the disk is full"
    auto.note("b.md", "Two")
    ledger.refusal = None
    pass_time(auto, clock, 30)
    assert [paths for paths, _ in ledger.made] == [["a.md", "b.md"]]
    assert problem_of(auto) is None
    assert auto.pending == 0


def test_the_wait_between_attempts_has_an_upper_bound(auto: AutoCommit, ledger: Ledger, clock: Clock) -> None:
    ledger.refusal = "no"
    auto.note("a.md", "One")
    for _ in range(40):
        pass_time(auto, clock, 900)
    ledger.refusal = None
    pass_time(auto, clock, 900)
    assert len(ledger.made) == 1


def test_a_change_that_comes_while_its_batch_is_committed_is_committed_next(
    auto: AutoCommit, ledger: Ledger, clock: Clock
) -> None:
    auto.note("a.md", "One")
    auto.note("b.md", "Two")
    ledger.meanwhile = [("a.md", "One")]
    pass_time(auto, clock, 30)
    ledger.meanwhile = []
    assert auto.pending == 1
    pass_time(auto, clock, 29)
    assert len(ledger.made) == 1
    pass_time(auto, clock, 1)
    assert [paths for paths, _ in ledger.made] == [["a.md", "b.md"], ["a.md"]]


def test_a_flush_does_not_wait_for_quiet(auto: AutoCommit, ledger: Ledger) -> None:
    auto.flush()
    assert ledger.made == []
    auto.note("a.md", "One")
    auto.flush()
    assert len(ledger.made) == 1


def test_in_a_real_repository_batches_wait_for_the_persons_merge_to_end(
    sandbox: Sandbox, clock: Clock
) -> None:
    sandbox.write("a.md", "base\n")
    sandbox.save()
    sandbox.git("checkout", "-q", "-b", "other")
    sandbox.write("a.md", "other\n")
    sandbox.save()
    sandbox.git("checkout", "-q", "main")
    sandbox.write("a.md", "main\n")
    sandbox.save()
    sandbox.git("merge", "other", fails=True)
    history = History.find(sandbox.vault)
    assert history is not None
    auto = AutoCommit(history, clock)
    sandbox.write("note.md", note("mem_1"))
    auto.note("note.md", "Retry policy", "add")
    pass_time(auto, clock, 30)
    assert problem_of(auto) == "git is busy (merge)"
    sandbox.git("merge", "--abort")
    pass_time(auto, clock, 30)
    assert problem_of(auto) is None
    assert auto.pending == 0
    assert sandbox.git("log", "-1", "--format=%s") == "helix: add Retry policy"


def test_a_vault_that_vanished_is_an_error_to_report_and_not_to_raise(
    sandbox: Sandbox, tmp_path: Path, clock: Clock
) -> None:
    history = History.find(sandbox.vault)
    assert history is not None
    auto = AutoCommit(history, clock)
    auto.note("a.md", "Note")
    sandbox.vault.rename(tmp_path / "unmounted")
    pass_time(auto, clock, 30)
    assert auto.last_error is not None
    assert "cannot be read" in auto.last_error
    assert auto.pending == 1
