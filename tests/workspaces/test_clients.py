"""Commands, the shim and both roads of the SDK reach the workspace that is meant."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from helix import AsyncHelix, Helix
from helix.client.errors import HelixError
from tests.access.test_clients import elsewhere
from tests.cli.commands import helix
from tests.shim.driver import shim
from tests.surfaces.conftest import surroundings
from tests.workspaces.orgs import Orgs


def test_commands_at_another_machine_work_in_the_workspace_they_switch_to(orgs: Orgs, tmp_path: Path) -> None:
    env = elsewhere(orgs.team, tmp_path, orgs.keys["ada"])
    helix("remember", "Pears are green.", "--global", "--force", env={**env, "HELIX_WORKSPACE": "api"})
    assert json.loads(helix("recall", "pears", "--json", env=env).stdout)["results"] == []
    listed = json.loads(helix("workspace", "list", "--json", env=env).stdout)
    assert [(one["name"], one["chosen"]) for one in listed] == [("web", True), ("api", False)]
    helix("workspace", "switch", "api", env=env)
    assert len(json.loads(helix("recall", "pears", "--json", env=env).stdout)["results"]) == 1
    assert json.loads(helix("status", "--json", env=env).stdout)["workspace"] == "api"
    refused = helix("workspace", "switch", "rival.web", "--json", env=env, ok=False)
    assert json.loads(refused.stdout)["code"] == "workspace-not-found"
    assert "rival" not in json.loads(refused.stdout)["error"].replace("'rival.web'", "")
    other = helix("recent", "--json", env={**env, "HELIX_WORKSPACE": "rival.web"}, ok=False)
    assert json.loads(other.stdout)["code"] == "forbidden"
    made_here = helix("workspace", "create", "mine", "--json", env=env, ok=False)
    assert json.loads(made_here.stdout)["code"] == "bad-value"


def test_the_python_sdk_asks_the_workspace_it_was_given(orgs: Orgs) -> None:
    url, token = orgs.team.url, orgs.keys["amy"]
    with Helix(url, token=token, workspace="api") as mem:
        made = mem.write("Quinces are yellow.", scope="global", force=True)
        assert mem.get(made.id).text.strip() == "Quinces are yellow."
        with pytest.raises(HelixError):
            mem.with_options(workspace="web").get(made.id)
    with Helix(f"{url}/w/api", token=token) as mem:
        assert mem.get(made.id).id == made.id
    with Helix(url, token=token, workspace="rival.web") as mem, pytest.raises(HelixError) as refused:
        mem.get(made.id)
    assert refused.value.code == "forbidden"

    async def found() -> str:
        async with AsyncHelix(url, token=token, workspace="api") as other:
            return (await other.get(made.id)).id

    assert asyncio.run(found()) == made.id


def test_the_shim_names_the_workspace_of_its_option_and_of_the_environment(
    orgs: Orgs, tmp_path: Path
) -> None:
    made = orgs.write("Figs are purple.", "amy", "api")
    env = elsewhere(orgs.team, tmp_path, orgs.keys["amy"])
    for options, named, is_found in (
        ((), {"HELIX_WORKSPACE": "api"}, True), (("--workspace", "api"), {}, True), ((), {}, False),
    ):  # fmt: skip
        with shim("", *options, env={**env, **named}) as host:
            host.open()
            answer = host.call(1, "memory_get", {"id": made["id"]})
            assert ("Figs are purple." in json.dumps(answer)) is is_found


def test_one_person_works_in_several_vaults_without_a_daemon(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    helix("init", env=env)
    made = json.loads(helix("workspace", "create", "work", "--json", env=env).stdout)
    assert Path(made["vault"]) == tmp_path / "vault-workspaces" / "work"
    helix("workspace", "switch", "work", env=env)
    helix("remember", "The office plant is a fern.", "--global", env=env)
    assert len(json.loads(helix("recall", "fern", "--json", env=env).stdout)["results"]) >= 1
    helix("workspace", "switch", "main", env=env)
    found = json.loads(helix("recall", "fern", "--json", env=env).stdout)["results"]
    assert not [one for one in found if "office" in one["id"]]
    assert "workspace" not in (tmp_path / "config" / "config.toml").read_text()
    helix("workspace", "archive", "work", env=env)
    away = helix("recent", "--json", env={**env, "HELIX_WORKSPACE": "work"}, ok=False)
    assert json.loads(away.stdout)["code"] == "bad-value"
    twice = helix("workspace", "create", "work2", "--folder", made["vault"], "--json", env=env, ok=False)
    assert json.loads(twice.stdout)["code"] == "already-exists"
    assert helix("workspace", "archive", "main", "--json", env=env, ok=False).returncode == 2


def test_users_and_keys_are_bound_by_commands(orgs: Orgs) -> None:
    env = dict(orgs.team.env)
    added = orgs.team.helix("user", "add", "zoe", "--org", "acme", "--workspace", "web")
    assert (added["org"], added["workspaces"]) == ("acme", ["web"])
    assert next(one for one in orgs.team.helix("user", "list") if one["user"] == "zoe")["org"] == "acme"
    wider = helix("key", "create", "zoe", "--workspace", "api", "--json", env=env, ok=False)
    assert json.loads(wider.stdout)["code"] == "bad-value"
    for wrong in (
        ("user", "add", "yan", "--org", "nobody"),
        ("user", "add", "yan", "--org", "acme", "--workspace", "x"),
    ):
        refused = helix(*wrong, "--json", env=env, ok=False)
        assert json.loads(refused.stdout)["code"] == "workspace-not-found"
    key = orgs.team.helix("key", "create", "zoe")["key"]
    names = orgs.team.ask("GET", "/workspaces", key).json()["workspaces"]
    assert [one["name"] for one in names] == ["web"]
    assert orgs.team.ask("GET", "/recent", key, {"Helix-Workspace": "api"}).status_code == 403
    orgs.team.helix("user", "remove", "zoe")
