"""A daemon that takes too long: the session is told what the one before was told, as far as it still holds."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.commands import helix
from tests.flows.daemon import running_daemon
from tests.hosts.test_hook import event, hook, told
from tests.surfaces.conftest import Served, surroundings
from tests.waiting import wait_for

OWLS, CATS, DOGS = "Owls nest in the barn", "Cats sleep on the roof", "Dogs guard the yard"


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Served]:
    """A daemon that knows three things of a project, and a session that was told them."""
    env = surroundings(tmp_path)
    (tmp_path / "vault").mkdir()
    (tmp_path / "billing-api" / ".git").mkdir(parents=True)
    helix("init", env=env)
    with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=30) as http:
        running = Served(daemon, tmp_path, {**env, "HELIX_URL": daemon.url}, http)
        for text, kind in ((OWLS, "decision"), (CATS, "fact"), (DOGS, "preference")):
            running.remember(text, kind=kind, scope="project", project="billing-api")
        # A note of the last second is not kept yet: whether it was read before or after its last change is not known.
        wait_for(lambda: start(running) and all(text in kept(running) for text in (OWLS, CATS, DOGS)))
        yield running


def start(served: Served, *options: str, explain: bool = True, source: str = "startup") -> str:
    done = hook(
        event("SessionStart", served.place, "s", source=source), served.env, *options, explain=explain
    )
    return told(done) if done.stdout else ""


def kept(served: Served) -> str:
    return "".join(file.read_text() for file in (served.place / "state").glob("vaults/*/digests/*"))


@contextmanager
def hanging(served: Served) -> Iterator[None]:
    """It takes connections, as the system does for it, and answers nothing."""
    os.kill(served.daemon.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(served.daemon.process.pid, signal.SIGCONT)


def told_in_time(served: Served) -> str:
    """With the deadline that an agent has; a busy machine may need several tries."""
    return wait_for(lambda: start(served, explain=False), seconds=60)


def test_what_was_told_last_is_told_with_its_age_when_the_daemon_hangs(farm: Served) -> None:
    usual = start(farm)
    with hanging(farm):
        said = told_in_time(farm)
        assert said.startswith("(As of ")
        assert said.split("\n", 1)[1] == usual
        assert start(farm, "--budget", "800", explain=False) == ""  # that was packed for more
        assert start(farm, explain=False, source="resume") == ""


def test_what_was_edited_forgotten_or_erased_since_is_told_no_more(farm: Served) -> None:
    found = farm.http.get("/recent", params={"scope": "all", "format": "detailed", "max_tokens": 8000}).json()
    notes = {text: one for one in found["results"] for text in (OWLS, CATS, DOGS) if text in one["text"]}
    farm.http.post("/forget", json={"id": notes[CATS]["id"]}).raise_for_status()
    with hanging(farm):
        said = told_in_time(farm)
        assert (OWLS in said, CATS in said, DOGS in said) == (True, False, True)
        note = farm.vault / notes[OWLS]["path"]  # in an editor, while the daemon hangs
        note.write_text(note.read_text().replace("barn", "shed"))
        said = told_in_time(farm)
        assert (OWLS in said, CATS in said, DOGS in said) == (False, False, True)
        assert "## Decisions" not in said  # it was the only one
        (farm.vault / notes[DOGS]["path"]).unlink()
        assert DOGS not in told_in_time(farm)


def test_an_erased_memory_leaves_the_kept_digest(farm: Served) -> None:
    found = farm.http.get("/recent", params={"scope": "all", "max_tokens": 8000}).json()["results"]
    [owls] = [one["id"] for one in found if OWLS in one["text"]]
    assert OWLS in kept(farm)
    farm.http.post("/forget", json={"id": owls, "mode": "hard"}).raise_for_status()
    wait_for(lambda: OWLS not in kept(farm))
    wait_for(lambda: OWLS not in start(farm) and CATS in kept(farm))
    assert OWLS not in kept(farm)


def test_another_project_is_told_nothing_of_it(farm: Served) -> None:
    (farm.place / "shop" / ".git").mkdir(parents=True)
    elsewhere = {**event("SessionStart", farm.place, "s", source="startup"), "cwd": str(farm.place / "shop")}
    with hanging(farm):
        assert hook(elsewhere, farm.env, explain=False).stdout == ""


@pytest.mark.parametrize("broken", ["", "[]", '{"parts": 5}', '{"project": "billing-api", "parts": [7]}'])
def test_a_damaged_digest_is_none(farm: Served, broken: str) -> None:
    for file in (farm.place / "state").glob("vaults/*/digests/*"):
        file.write_text(broken)
    with hanging(farm):
        done = hook(event("SessionStart", farm.place, "s", source="startup"), farm.env, explain=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert OWLS in start(farm)
