"""Reading a vault runs nothing that the vault brought along, whatever its repository says."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helix.doctor.examine import examine
from helix.doctor.examined import Examined, Surroundings
from helix.doctor.fix import mend
from helix.errors import HelixError
from helix.memory.reading.view import When
from helix.surfaces.monitoring.measurements import git_state
from helix.vault.checkouts import Checkouts
from helix.vault.history import History
from tests.memory.world import ME, World, opened
from tests.vault.hostile_repositories import REPOSITORIES, SPRINGS, Lair, files_without_end

_started: list[tuple[str, dict[str, str]]] = []
_is_listening = False


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if _is_listening and event in ("os.exec", "os.posix_spawn", "os.system", "subprocess.Popen"):
        environment = arguments[3] if event == "subprocess.Popen" else arguments[-1]
        _started.append((str(arguments[0]), dict(environment or {})))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, dict[str, str]]]]:
    """Every program that this process starts from here on, and its environment."""
    global _is_listening
    if not getattr(sys, "_helix_listens", False):
        sys.addaudithook(_listen)  # there is no way to take one back
        monkeypatch.setattr(sys, "_helix_listens", True, raising=False)
    _started.clear()
    _is_listening = True
    yield _started
    _is_listening = False


@pytest.fixture
def lair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lair:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Lair(tmp_path)


def ask_everything(world: World) -> dict[str, object]:
    """What each verb that looks at git said; a sentence where it cannot say more."""
    service, said = world.service, dict[str, object]()

    def ask(name: str, verb: Any, *arguments: Any, **how: Any) -> None:
        try:
            said[name] = verb(*arguments, **how)
        except HelixError as error:
            said[name] = error

    ask("history", service.history, "mem_a")
    ask("diff", service.diff, "mem_a", old="v1")
    for when in (When(ref="HEAD"), When(ref="v1"), When(ref="main@{1}"), When(as_of="2100-01-01")):
        ask(f"get {when}", service.get, "mem_a", when=when)
        ask(f"search {when}", service.search, "zeppelin", caller=ME, when=when)
        ask(f"context {when}", service.context, "zeppelin", caller=ME, when=when)
        ask(f"recent {when}", service.recent, caller=ME, when=when)
        ask(f"stats {when}", service.stats, caller=ME, when=when)
        ask(f"graph {when}", service.graph, caller=ME, when=when)
    ask("timeline", service.timeline)
    ask("status", git_state, world.folder, False)
    ask("why not", History.why_not, world.folder)
    ask("checkouts", Checkouts(world.folder).just_happened, time.time())
    return said


def see_the_doctor(place: Path) -> None:
    env = {
        "HELIX_VAULT": str(place / "vault"),
        "HELIX_STATE_DIR": str(place / "state"),
        "HELIX_CONFIG_DIR": str(place / "config"),
        "PATH": os.environ["PATH"],
    }
    examined = Examined(Surroundings(env, place / "home", place / "project"))
    mend(examined, examine(examined).findings)


@pytest.mark.parametrize("name", SPRINGS)
def test_the_traps_are_real(lair: Lair, name: str) -> None:
    REPOSITORIES[name](lair)
    for arguments in SPRINGS[name]:
        lair.disarm()
        lair.git(*arguments, fails=True)
        assert lair.sprung(), f"git {arguments} sprang nothing"


@pytest.mark.parametrize("name", REPOSITORIES)
def test_no_verb_runs_anything_that_the_repository_names(
    lair: Lair, name: str, started: list[tuple[str, dict[str, str]]]
) -> None:
    REPOSITORIES[name](lair)
    lair.disarm()
    started.clear()
    began = time.monotonic()
    with opened(lair.place) as world:
        ask_everything(world)
    see_the_doctor(lair.place)
    assert lair.sprung() == []
    assert {Path(program).name for program, _ in started} <= {"git"}
    for _, environment in started:
        assert not Path(environment["GIT_DIR"]).is_relative_to(lair.place)
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    "name", ["settings", "clean filter", "linked git folder", "git file", "linked worktree", "look alike"]
)
def test_the_history_of_such_a_vault_is_read_all_the_same(lair: Lair, name: str) -> None:
    REPOSITORIES[name](lair)
    with opened(lair.place) as world:
        said = ask_everything(world)
    history, status = said["history"], said["status"]
    assert isinstance(history, dict)
    assert isinstance(status, dict)
    assert len(history["versions"]) >= 1
    assert status["error"] is None
    assert status["dirty"] >= 1
    assert lair.sprung() == []


def test_what_a_partial_clone_lacks_is_said_and_not_fetched(lair: Lair) -> None:
    REPOSITORIES["lazy fetch by uploadpack"](lair)
    with opened(lair.place) as world:
        said = ask_everything(world)
    assert isinstance(said["history"], dict)
    assert isinstance(said["diff"], HelixError)
    assert "missing" in said["diff"].message
    assert lair.sprung() == []


def test_a_commit_of_endless_files_is_refused_within_a_bound(
    lair: Lair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helix.vault.git_program.MOST_MEMORY", 256 * 1024 * 1024)
    monkeypatch.setattr("helix.vault.git_program.MOST_OUTPUT", 32 * 1024 * 1024)
    files_without_end(lair)
    with opened(lair.place) as world:
        began = time.monotonic()
        with pytest.raises(HelixError):
            world.service.recent(caller=ME, when=When(ref="main"))
        with pytest.raises(HelixError):
            world.service.history("mem_a")
        assert time.monotonic() - began < 60
        assert world.found("zeppelin", scope="all")


def test_no_folder_of_ours_is_left_behind(lair: Lair, monkeypatch: pytest.MonkeyPatch) -> None:
    (lair.place / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(lair.place / "tmp"))
    REPOSITORIES["settings"](lair)
    with opened(lair.place) as world:
        ask_everything(world)
        assert os.listdir(lair.place / "tmp") == []
