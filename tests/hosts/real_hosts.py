"""The hosts' own command lines, connected by `helix connect` to a real daemon. Run by `make test-hosts`.

Not part of `make test`: the programs are fetched from a package registry, half a gigabyte of them. Nothing here talks
to a model: the hosts are asked which servers they reach, in a home folder of their own that has no credentials.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.commands import BIN
from tests.flows.daemon import free_port, running_daemon
from tests.hosts.model_stand_in import model_that_says
from tests.waiting import wait_for

HERE = Path(__file__).parent
_PATIENCE = 120
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Home:
    """A user with a home, a project and a daemon."""

    place: Path
    programs: Path
    settings: Mapping[str, str]
    """what `helix` is told in the environment; the hosts are not"""

    @property
    def home(self) -> Path:
        return self.place / "home"

    @property
    def project(self) -> Path:
        return self.place / "project"

    def helix(self, *arguments: str) -> str:
        return self._run([str(BIN / "helix"), *arguments], self.settings)

    def host(self, *arguments: str, **env: str) -> str:
        program, *rest = arguments
        return _COLOUR.sub("", self._run([str(self.programs / program), *rest], env))

    def write(self, path: str, value: object) -> None:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))

    def surroundings(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb"}

    def _run(self, command: list[str], env: Mapping[str, str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.project,
            env={**self.surroundings(), **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("NOT PROVED HERE: the hosts' own command lines (npm is not installed)")
    folder = tmp_path_factory.mktemp("programs")
    shutil.copy(HERE / "package.json", folder)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"NOT PROVED HERE: the hosts' own command lines (npm says {done.stderr[-300:]})")
    return folder / "node_modules" / ".bin"


def start(place: Path, programs: Path, *, require_token: bool) -> Iterator[Home]:
    settings = {
        "HELIX_VAULT": str(place / "vault"),
        "HELIX_STATE_DIR": str(place / "state"),
        "HELIX_CONFIG_DIR": str(place / "config"),
        "HELIX_PORT": str(free_port()),
    }
    home = Home(place, programs, settings)
    for folder in (home.home, home.project / ".git", place / "config"):
        folder.mkdir(parents=True)
    (place / "config" / "config.toml").write_text(f"require_token = {str(require_token).lower()}\n")
    home.helix("init")
    with running_daemon(settings):
        yield home


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Iterator[Home]:
    yield from start(tmp_path_factory.mktemp("home"), programs, require_token=False)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Iterator[Home]:
    yield from start(tmp_path_factory.mktemp("guarded"), programs, require_token=True)


def claude_lists(home: Home, **env: str) -> bool:
    return "✔ Connected" in home.host("claude", "mcp", "list", **env)


def gemini_lists(home: Home, **env: str) -> bool:
    said = home.host("gemini", "mcp", "list", **env)
    return "✓ helix" in said and "Connected" in said


def opencode_lists(home: Home, **env: str) -> bool:
    said = home.host("opencode", "mcp", "list", **env)
    return "✓ helix connected" in said


def codex_lists(home: Home, **env: str) -> bool:
    """`codex mcp list` tells what is configured; its app server says what it reached.

    The app server reads the file of a project when a thread is started in it, which would be for a model.
    """
    said = home.host("codex", "mcp", "list", **env)
    if (home.project / ".codex" / "config.toml").exists():
        return "helix" in said and "enabled" in said
    requests = (
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "helix", "version": "1"}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "mcpServerStatus/list", "params": {}},
    )
    process = subprocess.Popen(
        [str(home.programs / "codex"), "app-server"],
        cwd=home.project,
        env={**home.surroundings(), **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for request in requests:
            process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answers = (json.loads(line) for line in process.stdout)
        [server] = next(one["result"]["data"] for one in answers if one.get("id") == 2)
    finally:
        process.kill()
        process.communicate()
    return server["name"] == "helix" and "memory_search" in server["tools"]


def trust_claude(home: Home) -> None:
    """As if the person had said yes to the folder and to the server."""
    said = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["helix"]}
    home.write(".claude.json", {"numStartups": 3, "projects": {str(home.project): said}})


def trust_codex(home: Home) -> None:
    home.write(".codex/config.toml", f'# mine\n[projects."{home.project}"]\ntrust_level = "trusted"\n')


def trust_gemini(home: Home) -> None:
    home.write(".gemini/trustedFolders.json", {str(home.project): "TRUST_FOLDER"})


def trust_nobody(home: Home) -> None:
    """opencode reads the file of a project without asking."""


HOSTS = [
    pytest.param("claude-code", claude_lists, trust_claude, id="claude-code"),
    pytest.param("codex", codex_lists, trust_codex, id="codex"),
    pytest.param("gemini", gemini_lists, trust_gemini, id="gemini"),
    pytest.param("opencode", opencode_lists, trust_nobody, id="opencode"),
]
every_host = pytest.mark.parametrize(("name", "lists", "trust"), HOSTS)


@every_host
@pytest.mark.parametrize("how", [[], ["--http"]], ids=["stdio", "http"])
@pytest.mark.parametrize("where", [[], ["--user"]], ids=["project", "user"])
def test_the_host_lists_our_server_as_connected_until_it_is_disconnected(
    home: Home,
    name: str,
    lists: Callable[..., bool],
    trust: Callable[[Home], None],
    where: list[str],
    how: list[str],
) -> None:
    trust(home)
    home.helix("connect", name, "--install", *where, *how)
    try:
        assert lists(home)
    finally:
        home.helix("disconnect", name, *where)
    shown = json.loads(home.helix("connect", "--list", "--json"))
    assert not [one for one in shown if one["host"] == name and one["connections"]]


@every_host
def test_the_host_takes_the_token_from_its_environment(
    guarded: Home, name: str, lists: Callable[..., bool], trust: Callable[[Home], None]
) -> None:
    trust(guarded)
    token = guarded.helix("token").strip()
    guarded.helix("connect", name, "--install", "--user", "--http")
    assert lists(guarded, HELIX_TOKEN=token)
    for file in guarded.home.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes()
    guarded.helix("disconnect", name, "--user")


def test_claude_code_runs_the_hooks_and_takes_what_they_say(home: Home) -> None:
    """`--init-only` runs the hooks of a session's start and end, and nothing that would ask a model."""
    trust_claude(home)
    home.helix("remember", "Invoices are rounded half to even", "--kind", "decision", "--project", "project")
    home.helix("hooks", "install", "--user")
    log = home.place / "claude.log"
    nowhere = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def took_it() -> bool:  # the hook gives up when the machine is busy, so it may take several starts
        home.host("claude", "--init-only", "--debug-file", str(log), **nowhere)
        return "provided additionalContext" in log.read_text()

    wait_for(took_it, seconds=_PATIENCE)
    assert "rounded half to even" in log.read_text()
    home.helix("hooks", "uninstall", "--user")


def test_what_claude_code_and_codex_write_down_is_captured_and_proposed_from(home: Home) -> None:
    """Their own transcripts, of a turn with a model that is none."""
    with model_that_says("Decision: retries use exponential backoff with jitter.") as url:
        quiet = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        home.host("claude", "-p", "Never push to main.", **quiet)
        provider = (
            f'{{name = "stand-in", base_url = "{url}/v1", wire_api = "responses", env_key = "STAND_IN_KEY"}}'
        )
        options = ["-c", 'model_provider="stand-in"', "-c", f"model_providers.stand-in={provider}"]
        question = "We decided to keep the old endpoint until March."
        home.host("codex", "exec", "--skip-git-repo-check", *options, question, STAND_IN_KEY="none")
    home.helix("capture", "on")
    sessions = {
        one["session_id"].split("-")[0]
        for one in json.loads(home.helix("session", "list", "--json"))["sessions"]
    }
    assert sessions == {"claude", "codex"}
    proposed = json.loads(home.helix("inbox", "--what", "proposed", "--json"))["items"]
    assert {(one["proposal"]["said_by"], one["proposal"]["text"]) for one in proposed} == {
        ("user", "Never push to main."),
        ("user", "We decided to keep the old endpoint until March."),
        ("assistant", "Decision: retries use exponential backoff with jitter."),
    }
    assert {one["proposal"]["project"] for one in proposed} == {"project"}
    home.helix("capture", "purge")
