"""The command line, and how light the start is."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from helix_mcp.command import BadUsage, parse

from tests.cli.commands import BIN
from tests.shim.driver import OPENING, shim
from tests.shim.peer import polite, running_peer

# What a shim that starts at once cannot afford before its first answer.
HEAVY = {
    "argparse",
    "asyncio",
    "contextlib",
    "dataclasses",
    "email",
    "encodings.idna",
    "http",
    "importlib.metadata",
}
HEAVY |= {"inspect", "logging", "pathlib", "shutil", "ssl", "subprocess", "tomllib", "typing", "urllib"}


def _run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "helix-mcp", *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20
    )


def test_options_may_be_written_either_way() -> None:
    given = ["--dialect", "zaxy", "--names=dotted", "--tools", "sessions", "--project=a b", "--session", "s"]
    given += ["--workspace=work"]
    options = parse([*given, "--no-start"])
    assert options is not None
    assert vars(options) == {
        "dialect": "zaxy",
        "names": "dotted",
        "tools": "sessions",
        "project": "a b",
        "session": "s",
        "workspace": "work",
        "no_start": True,
    }


@pytest.mark.parametrize(
    "options", [["--dialect"], ["--names", "odd"], ["--nonsense"], ["x"], ["--no-start=1"]]
)
def test_an_option_that_makes_no_sense_is_said(options: list[str]) -> None:
    with pytest.raises(BadUsage):
        parse(options)
    done = _run(*options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--help" in done.stderr


def test_help_and_version_are_printed() -> None:
    assert "--dialect" in _run("--help").stdout
    assert _run("--version").stdout.startswith("helix-mcp 0.")


def test_a_url_that_makes_no_sense_ends_with_one_sentence() -> None:
    done = subprocess.run(
        [BIN / "helix-mcp"],
        capture_output=True,
        text=True,
        env={**os.environ, "HELIX_URL": "nowhere"},
        timeout=20,
    )
    assert done.returncode == 1
    assert "HELIX" not in done.stdout
    assert done.stderr.count("\n") == 1
    assert "nowhere" in done.stderr


def test_dialect_and_names_are_in_the_path() -> None:
    with running_peer(polite) as peer, shim(peer.url, "--dialect", "vault", "--names", "dotted") as client:
        client.open()
        client.ask(1, "tools/list")
        assert {one.path for one in peer.asked} == {"/mcp/vault?names=dotted"}


def test_nothing_heavy_is_imported_before_the_answer_to_initialize() -> None:
    with running_peer(polite) as peer, shim(peer.url, env={"PYTHONPROFILEIMPORTTIME": "1"}) as client:
        client.ask(1, "initialize", OPENING)
        assert client.end() == 0
        loaded = {
            line.rpartition("|")[2].strip() for line in client.said.splitlines() if "import time" in line
        }
    bare = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, text=True, check=True
    )
    loaded -= {line.rpartition("|")[2].strip() for line in bare.stderr.splitlines()}
    assert "helix_mcp.relay" in loaded
    assert not {name for name in loaded if name in HEAVY or name.split(".")[0] in HEAVY}
    assert not {name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names | {"helix_mcp"}}
    assert "helix" not in {name.split(".")[0] for name in loaded}
