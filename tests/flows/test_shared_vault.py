"""Somebody opens a vault that a colleague, a backup or a clone gave them: real commands and a real daemon."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import BIN
from tests.flows.daemon import Daemon, running_daemon
from tests.surfaces.conftest import surroundings
from tests.vault.hostile_repositories import REPOSITORIES, Lair
from tests.waiting import wait_for

COMMANDS = (
    *(
        ("init",),
        ("doctor", "--fix"),
        ("history", "mem_a"),
        ("diff", "mem_a"),
        ("get", "mem_a", "--ref", "v1"),
    ),
    *(("restore", "mem_a", "--at", "v1"), ("export", "out.strand")),
)


@pytest.mark.parametrize("name", ["settings", "lazy fetch by uploadpack", "look alike"])
def test_serving_a_shared_vault_runs_nothing_of_it(tmp_path: Path, name: str) -> None:
    lair = Lair(tmp_path)
    REPOSITORIES[name](lair)
    lair.disarm()
    with running_daemon(surroundings(tmp_path)) as daemon:
        for path in _reading_routes(daemon):
            status, _ = daemon.get(path)
            assert status != 500, path
            assert lair.sprung() == [], path
        said = wait_for(lambda: json.loads(daemon.get("/status")[1])["git"], seconds=30)
        assert said["autocommit"] is False
    assert lair.sprung() == []


@pytest.mark.parametrize("name", ["settings", "look alike"])
def test_no_command_that_reads_a_shared_vault_runs_anything_of_it(tmp_path: Path, name: str) -> None:
    lair = Lair(tmp_path)
    REPOSITORIES[name](lair)
    lair.disarm()
    env = surroundings(tmp_path)
    for arguments in COMMANDS:
        done = subprocess.run(
            [str(BIN / "helix"), *arguments],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert lair.sprung() == [], f"helix {arguments}"


def test_standing_in_a_shared_vault_runs_no_program_that_is_called_like_a_part_of_python(
    tmp_path: Path,
) -> None:
    """As many notes as are indexed with the help of other processes, which have to find their modules too."""
    env, vault = surroundings(tmp_path), tmp_path / "vault"
    vault.mkdir()
    for number in range(3_000):
        (vault / f"{number}.md").write_text(f"note {number}\n")
    for name in (*sys.stdlib_module_names, "helix", "helix_mcp", "sitecustomize", "usercustomize"):
        (vault / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').write(__name__)\n")
    for arguments in (("init",), ("reindex",), ("doctor",), ("recent",)):
        done = subprocess.run(
            [str(BIN / "helix"), *arguments], env=env, cwd=vault, capture_output=True, text=True, timeout=120
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert not (tmp_path / "sprung").exists(), f"helix {arguments}"


def _reading_routes(daemon: Daemon) -> list[str]:
    """Every route that only reads, with the present and with the past; and the pages of the dashboard."""
    document = json.loads(daemon.get("/openapi.json")[1])
    paths = ["/", "/metrics"]
    for path, verbs in document["paths"].items():
        if "get" not in verbs or path == "/events":  # that one never ends
            continue
        place = path.replace("{id}", "mem_a")
        told = [_resolved(one, document) for one in verbs["get"].get("parameters", [])]
        asked = [one for one in told if one["in"] == "query"]
        needed = _needed(asked)
        paths.append(place + needed)
        if "ref" in {one["name"] for one in asked}:
            joined = "&" if needed else "?"
            paths += [f"{place}{needed}{joined}ref=v1", f"{place}{needed}{joined}as_of=2100-01-01"]
    assert {"/status", "/healthz", "/memory/mem_a/history"} <= set(paths)
    return paths


def _resolved(parameter: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    name = parameter.get("$ref", "").rpartition("/")[2]
    return dict(document["components"]["parameters"][name]) if name else parameter


def _needed(asked: list[dict[str, Any]]) -> str:
    values = {"q": "zeppelin", "from": "v1", "task": "zeppelin"}
    given = [f"{one['name']}={values.get(one['name'], 'mem_a')}" for one in asked if one.get("required")]
    return "?" + "&".join(given) if given else ""
