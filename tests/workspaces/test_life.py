"""A workspace is opened when it is asked for and closed when it is not; one that is ill harms no other."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from helix.follow.lock import FollowLock
from helix.vault.vault_id import state_folder
from tests.cli.commands import helix
from tests.flows.daemon import free_port, running_daemon
from tests.waiting import wait_for
from tests.workspaces.orgs import Orgs, make, serving_orgs


def state_of(orgs: Orgs, name: str) -> Path:
    return state_folder(orgs.team.place / "state", orgs.listed.get(name).vault)


def configured(place: Path, **figures: float) -> None:
    (place / "config").mkdir()
    lines = [f"{name} = {value}" for name, value in figures.items()]
    (place / "config" / "config.toml").write_text("\n".join(["[workspaces]", *lines, ""]))


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orgs]:
    """Of the three that there are, two may be open, and not for long."""
    place = tmp_path_factory.mktemp("lively")
    configured(place, most_open=2, idle_minutes=0.02)
    with serving_orgs(place) as one:
        yield one


def test_it_is_opened_when_it_is_asked_for_and_closed_when_nobody_does(lively: Orgs) -> None:
    lively.wait_until("acme.web", "closed")
    lock = FollowLock(state_of(lively, "acme.web"))
    assert lock.find_daemon() is None
    made = lively.write("Open sesame.", "amy")
    assert lively.state("acme.web") == "open"
    assert lock.find_daemon() is not None
    lively.wait_until("acme.web", "closed")
    assert lock.find_daemon() is None
    assert not (state_of(lively, "acme.web") / "daemon.json").exists()
    [note] = lively.listed.get("acme.web").vault.rglob("*.md")
    note.write_text(note.read_text().replace("Open sesame.", "Open barley."))  # while nobody follows it
    assert lively.found("barley", "amy") == [made["id"]]


def test_who_listens_keeps_it_open_and_there_is_no_room_beside_those_in_use(lively: Orgs) -> None:
    def listening(user: str, workspace: str) -> httpx.Request:
        headers = {"Authorization": f"Bearer {lively.keys[user]}", "Helix-Workspace": workspace}
        return httpx.Request("GET", f"{lively.team.url}/events", headers=headers)

    with httpx.Client(timeout=20) as http:
        first = http.send(listening("amy", "web"), stream=True)
        second = http.send(listening("amy", "api"), stream=True)
        refused = lively.ask("GET", "/recent", "rob")
        assert (refused.status_code, refused.json()["code"]) == (503, "workspace-unavailable")
        assert "acme" not in refused.text
        assert refused.headers["Retry-After"]
        assert lively.ask("GET", "/recent", "amy").status_code == 200
        assert lively.owner("GET", "/recent").status_code == 200
        second.close()
        wait_for(lambda: lively.ask("GET", "/recent", "rob").status_code == 200)
        assert lively.state("acme.web") == "open"
        first.close()


def test_the_one_that_was_idle_for_longest_makes_room_for_the_next(tmp_path: Path) -> None:
    configured(tmp_path, most_open=1)
    with serving_orgs(tmp_path) as orgs:
        orgs.write("The first.", "amy", "web")
        orgs.write("The second.", "amy", "api")
        assert (orgs.state("acme.web"), orgs.state("acme.api")) == ("closed", "open")
        assert len(orgs.found("first", "amy", "web")) == 1
        assert (orgs.state("acme.web"), orgs.state("acme.api")) == ("open", "closed")


def test_above_its_bound_of_memory_the_daemon_opens_none(tmp_path: Path) -> None:
    configured(tmp_path, max_memory_mb=1)
    with serving_orgs(tmp_path) as orgs:
        assert orgs.ask("GET", "/recent", "amy").status_code == 503
        assert orgs.owner("GET", "/recent").status_code == 200


@pytest.fixture(scope="module")
def ill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orgs]:
    with serving_orgs(tmp_path_factory.mktemp("ill")) as one:
        yield one


def test_one_whose_folder_is_gone_says_so_and_harms_no_other(ill: Orgs) -> None:
    gone = make(ill.team.place, "acme.gone")
    shutil.rmtree(gone.vault)
    answer = ill.ask("GET", "/recent", "amy", "gone")
    assert (answer.status_code, answer.json()["code"]) == (503, "workspace-unavailable")
    assert str(gone.vault) not in answer.text
    told = ill.owner("GET", "/w/acme.gone/recent")
    assert (told.status_code, str(gone.vault) in told.text) == (503, True)
    asked = ill.ask("GET", "/healthz", "amy", "gone")  # as commands do, before anything else
    assert (asked.status_code, asked.json()["code"]) == (503, "workspace-unavailable")
    listed = {one["name"]: one for one in ill.owner("GET", "/workspaces").json()["workspaces"]}
    assert listed["acme.gone"]["state"] == "unavailable"
    assert "there is no vault" in listed["acme.gone"]["reason"]
    assert ill.write("The web goes on.", "amy")["status"] == "created"
    assert ill.owner("GET", "/healthz").json()["state"] == "ready"
    (gone.vault / ".helix").mkdir(parents=True)
    (gone.vault / ".helix" / "vault.toml").write_text('id = "gone"\nformat = 1\n')
    wait_for(lambda: ill.ask("GET", "/recent", "amy", "gone").status_code == 200)


def test_one_whose_folder_goes_while_it_is_open_harms_no_other(ill: Orgs) -> None:
    going = make(ill.team.place, "acme.going")
    ill.write("Here for now.", "amy", "going")
    shutil.rmtree(going.vault)
    wait_for(lambda: ill.ask("GET", "/healthz", "amy", "going").status_code == 503, seconds=30)
    assert ill.ask("POST", "/remember", "amy", "going", json={"text": "x", "force": True}).status_code >= 400
    assert ill.write("The others go on.", "amy")["status"] == "created"


def test_a_damaged_index_is_made_again_beside_a_healthy_one(ill: Orgs) -> None:
    made = ill.write("The lighthouse is green.", "rob")
    state = state_of(ill, "rival.web")
    ill.listed.archive("rival.web")
    wait_for(lambda: FollowLock(state).find_daemon() is None)
    for file in ("catalog.db", "journal.db", "pages.db", "requests.db"):
        (state / file).write_bytes(b"this is no database" * 200)
    for path in (state / "keywords").rglob("*"):
        if path.is_file():
            path.write_bytes(b"broken")
    ill.listed.restore("rival.web")
    wait_for(lambda: ill.found("lighthouse", "rob") == [made["id"]], seconds=30)
    assert ill.ask("GET", "/healthz", "rob").json()["state"] in ("ready", "starting")


def test_archiving_ends_streams_and_lets_nobody_in_until_it_is_restored(ill: Orgs) -> None:
    ill.write("Put away soon.", "amy", "api")
    headers = {"Authorization": f"Bearer {ill.keys['amy']}", "Helix-Workspace": "api"}
    with httpx.stream("GET", f"{ill.team.url}/events", headers=headers, timeout=30) as stream:
        lines = stream.iter_lines()
        next(lines)
        done = helix("workspace", "archive", "acme.api", "--json", env=dict(ill.team.env))
        list(lines)  # it ends by itself
    assert FollowLock(state_of(ill, "acme.api")).find_daemon() is None
    refused = ill.ask("GET", "/recent", "amy", "api")
    assert (refused.status_code, "archived" in refused.text) == (403, True)
    assert Path(json.loads(done.stdout)["vault"]).is_dir()
    assert ill.ask("GET", "/recent", "ada-api").status_code == 403
    helix("workspace", "restore", "acme.api", env=dict(ill.team.env))
    assert len(ill.found("away", "amy", "api")) == 1


def test_two_daemons_never_follow_the_same_workspace(ill: Orgs, tmp_path: Path) -> None:
    ill.write("Mine first.", "amy", "web")
    other = {**ill.team.env, "HELIX_VAULT": str(tmp_path / "vault"), "HELIX_PORT": str(free_port())}
    helix("init", env=other)
    with running_daemon(other) as second:
        owner = {"Authorization": f"Bearer {ill.team.owner_token}"}
        refused = second.get("/w/acme.web/recent", owner)
        assert refused[0] == 503
        assert "already follows this vault" in refused[1]
        assert second.get("/recent", owner)[0] == 200
        make(ill.team.place, "acme.shared")
        assert second.get("/w/acme.shared/recent", owner)[0] == 200
        assert ill.ask("GET", "/recent", "amy", "shared").status_code == 503
    wait_for(lambda: ill.ask("GET", "/recent", "amy", "shared").status_code == 200)


def test_a_command_at_work_in_its_vault_and_the_daemon_take_turns(ill: Orgs) -> None:
    make(ill.team.place, "turns")
    env = {**ill.team.env, "HELIX_WORKSPACE": "turns"}
    vault = ill.listed.get("turns").vault
    helix("--vault", str(vault), "remember", "Written by hand.", "--global", env=dict(ill.team.env))
    found = json.loads(helix("recall", "written", "--json", env=env).stdout)
    assert len(found["results"]) == 1
    assert ill.state("turns") == "open"
    # Who names the folder finds the daemon that has it, and is answered for that vault.
    again = json.loads(helix("--vault", str(vault), "status", "--json", env=dict(ill.team.env)).stdout)
    assert again["daemon"].startswith(f"{ill.team.url}/w/turns")
    assert os.path.realpath(again["vault"]) == os.path.realpath(vault)


def test_a_kill_loses_nothing_that_was_acknowledged_in_any_of_them(tmp_path: Path) -> None:
    with serving_orgs(tmp_path) as orgs:
        made = {
            (user, workspace): orgs.write(f"Kept by {user} in {workspace}.", user, workspace)["id"]
            for user, workspace in (("amy", "web"), ("amy", "api"), ("rob", "web"))
        }
        os.kill(orgs.team.daemon.process.pid, signal.SIGKILL)
        orgs.team.daemon.process.wait(20)
        with running_daemon(dict(orgs.team.env)):
            for (user, workspace), memory_id in made.items():
                assert orgs.found("kept", user, workspace) == [memory_id]
                retried = orgs.ask("GET", f"/memory/{memory_id}", user, workspace)
                assert retried.status_code == 200
