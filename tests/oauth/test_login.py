"""`helix login`: the commands, both SDKs and helix-mcp come in with it, renew it, and say so when it is over."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from helix.client.async_client import AsyncHelix
from helix.client.client import Helix
from helix.client.errors import Unauthorized
from tests.access.team import TeamServed
from tests.cli.commands import BIN, helix
from tests.oauth.program import Browser
from tests.surfaces.conftest import surroundings
from tests.waiting import wait_for


@dataclass(frozen=True)
class Machine:
    """Of somebody who is logged in from elsewhere."""

    team: TeamServed
    env: Mapping[str, str]
    file: Path

    @property
    def entry(self) -> dict[str, Any]:
        return dict(json.loads(self.file.read_text())[self.team.url])

    def grow_old(self) -> None:
        """As if the access token were about to end."""
        logins = json.loads(self.file.read_text())
        logins[self.team.url]["expires_at"] = int(time.time())
        self.file.write_text(json.dumps(logins))

    def end(self) -> None:
        """An admin ends what was granted here."""
        me = self.team.ask("GET", "/me", self.entry["access_token"]).json()
        self.team.helix("client", "end", me["grant"])


def logged_in(team: TeamServed, place: Path) -> Machine:
    env = {**surroundings(place), "HELIX_URL": team.url}
    env.pop("HELIX_TOKEN", None)
    browser, log = Browser(team), place / "said"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [BIN / "helix", "login", team.url, "--no-browser"], env=env, stdout=file, stderr=subprocess.STDOUT
        )
    found = wait_for(lambda: re.search(r"type ([A-Z]{4}-[A-Z]{4})", log.read_text()), seconds=30)
    assert found is not None
    assert browser.approve(found[1]).status_code == 200
    assert process.wait(timeout=60) == 0, log.read_text()
    return Machine(team, env, place / "config" / "logins.json")


@pytest.fixture
def machine(team: TeamServed, tmp_path: Path) -> Machine:
    return logged_in(team, tmp_path)


def ask_shim(machine: Machine) -> dict[str, Any]:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "memory_search", "arguments": {"query": "tide"}}},
    ]  # fmt: skip
    feed = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(
        [BIN / "helix-mcp"],
        env=dict(machine.env),
        input=feed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(next(answer for answer in answers if answer.get("id") == 2))


def test_everything_comes_in_with_the_login_and_renews_it(machine: Machine) -> None:
    assert stat.S_IMODE(machine.file.stat().st_mode) == 0o600
    who = json.loads(helix("whoami", "--json", env=dict(machine.env)).stdout)
    assert (who["id"], who["client"]) == ("ann", "helix, the command")
    assert helix("remember", "The tide turns at six", "--global", env=dict(machine.env)).returncode == 0
    before = machine.entry["refresh_token"]
    machine.grow_old()
    assert "tide" in helix("recall", "tide", "--all", env=dict(machine.env)).stdout
    assert machine.entry["refresh_token"] != before
    machine.grow_old()
    assert not ask_shim(machine)["result"].get("isError")
    machine.grow_old()
    for name in ("HELIX_URL", "HELIX_CONFIG_DIR"):
        os.environ[name] = machine.env[name]
    try:
        with Helix() as client:
            assert client.search("tide", scope="global").results
            machine.grow_old()
            assert client.search("tide again", scope="global") is not None
        machine.grow_old()
        anyio.run(_search_async)
        helix("logout", env=dict(machine.env))
    finally:
        for name in ("HELIX_URL", "HELIX_CONFIG_DIR"):
            del os.environ[name]
    assert machine.team.url not in json.loads(machine.file.read_text())
    assert "nobody is logged in" in helix("logout", env=dict(machine.env), ok=False).stderr


async def _search_async() -> None:
    async with AsyncHelix() as client:
        await client.search("tide", scope="global")


def test_many_programs_that_renew_at_once_do_not_end_the_login(machine: Machine) -> None:
    machine.grow_old()
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda _: helix("whoami", "--json", env=dict(machine.env)), range(6)))
    assert [one.returncode for one in done] == [0] * 6, [one.stderr for one in done]
    machine.grow_old()
    assert helix("whoami", env=dict(machine.env)).returncode == 0


def test_a_login_that_was_ended_is_said_to_be_in_one_sentence(machine: Machine) -> None:
    machine.end()
    refused = helix("recall", "tide", env=dict(machine.env), ok=False)
    assert refused.returncode == 4
    assert "helix login" in refused.stderr
    told = ask_shim(machine)
    assert "helix login" in json.dumps(told)
    machine.grow_old()
    refused = helix("recall", "tide", env=dict(machine.env), ok=False)
    assert refused.returncode == 4
    assert f"helix login {machine.team.url}" in refused.stderr
    for name in ("HELIX_URL", "HELIX_CONFIG_DIR"):
        os.environ[name] = machine.env[name]
    try:
        with Helix() as client, pytest.raises(Unauthorized):
            client.search("tide")
    finally:
        for name in ("HELIX_URL", "HELIX_CONFIG_DIR"):
            del os.environ[name]
