"""Helix's own clients with a key: commands, the shim, the Python SDK, and hosts that are connected from afar."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from helix import AsyncHelix, Helix
from helix.client.errors import HelixError
from tests.access.team import TeamServed, id_of
from tests.cli.commands import helix
from tests.shim.driver import shim


def elsewhere(team: TeamServed, place: Path, key: str) -> dict[str, str]:
    """The environment of somebody at another machine, who has an address and a key and nothing else."""
    kept = {name: value for name, value in team.env.items() if not name.startswith("HELIX_")}
    return {
        **kept, "HOME": str(place), "HELIX_URL": team.url, "HELIX_TOKEN": key,
        "HELIX_CONFIG_DIR": str(place / "config"), "HELIX_STATE_DIR": str(place / "state"),
        "HELIX_VAULT": str(place / "no-vault"),
    }  # fmt: skip


def test_commands_ask_a_remote_daemon_with_a_key(team: TeamServed, tmp_path: Path) -> None:
    env = elsewhere(team, tmp_path, team.keys["olga"])
    assert "results" in json.loads(helix("recent", "--json", env=env).stdout)
    done = helix("freeze", "--json", env=env, ok=False)
    assert done.returncode == 4
    assert json.loads(done.stdout)["code"] == "forbidden"
    status = json.loads(helix("status", "--json", env=elsewhere(team, tmp_path, team.keys["rea"])).stdout)
    assert status["state"] == "ready"
    audit = json.loads(helix("audit", "--json", env=elsewhere(team, tmp_path, team.keys["root"])).stdout)
    assert any(entry["user"] == "olga" for entry in audit["entries"])


def test_the_python_sdk_shows_its_key_and_tells_why_it_is_refused(team: TeamServed) -> None:
    with Helix(team.url, token=team.keys["rea"]) as mem:
        assert not mem.search("ferry").results
        with pytest.raises(HelixError, match="'remember'"):
            mem.write("The ferry leaves at seven.")
    with (
        Helix(team.url, token="hx_sk_" + "0" * 16 + "." + "a" * 43) as mem,
        pytest.raises(HelixError) as refused,
    ):
        mem.search("ferry")
    assert refused.value.code == "unauthorized"

    async def search() -> int:
        async with AsyncHelix(team.url, token=team.keys["rea"]) as other:
            return len((await other.search("ferry")).results)

    assert asyncio.run(search()) == 0


def test_the_shim_carries_a_key_and_ends_with_it(team: TeamServed, tmp_path: Path) -> None:
    key = team.key("ann")
    with shim("", env=elsewhere(team, tmp_path, key)) as driver:
        driver.open()
        assert driver.call(1, "memory_search", {"query": "ferry"})["result"]["isError"] is False
        team.helix("key", "revoke", id_of(key))
        answer = driver.call(2, "memory_search", {"query": "ferry"})
        assert "401" in answer["error"]["message"]
        assert key not in str(answer)


def test_a_host_is_connected_to_a_remote_daemon_and_its_file_holds_no_key(
    team: TeamServed, tmp_path: Path
) -> None:
    key = team.keys["ann"]
    env = elsewhere(team, tmp_path, key)
    for more in ((), ("--http",)):
        done = helix("connect", "claude-code", "--install", "--user", "--force", *more, env=env)
        assert "HELIX_TOKEN" in done.stderr
        written = (tmp_path / ".claude.json").read_text()
        assert team.url in written
        assert key not in written
    assert "HELIX_TOKEN" in written
