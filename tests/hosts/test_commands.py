"""The commands as a person types them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.commands import BIN, helix, helix_json

PROGRAM = str(BIN / "helix-mcp")


@pytest.fixture(autouse=True)
def project(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository below a home that is nobody's."""
    monkeypatch.setenv("HOME", str(place / "home"))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "HERMES_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    folder = place / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "src").mkdir()
    (place / "home").mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_connect_prints_the_fragment_and_writes_nothing(project: Path) -> None:
    done = helix("connect", "claude-code")
    server = json.loads(done.stdout)["mcpServers"]["helix"]
    assert server["command"] == PROGRAM
    assert ".mcp.json" in done.stderr
    assert not (project / ".mcp.json").exists()


def test_the_fragment_carries_what_the_host_would_not_know_and_no_secret(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_TOKEN", "very-secret")
    monkeypatch.setenv("HELIX_PORT", "7999")
    shown = helix_json("connect", "codex")
    assert tomllib.loads(shown["fragment"])["mcp_servers"]["helix"]["env"] == {
        "HELIX_VAULT": str(place / "vault"),
        "HELIX_STATE_DIR": str(place / "state"),
        "HELIX_CONFIG_DIR": str(place / "config"),
        "HELIX_PORT": "7999",
    }
    assert "very-secret" not in json.dumps(shown)
    assert "7999/mcp" in helix_json("connect", "codex", "--http")["fragment"]


def test_a_vault_that_was_typed_is_carried(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.delenv("HELIX_VAULT")
    said = helix("--vault", str(place / "other"), "connect", "hermes").stdout
    assert f'HELIX_VAULT: "{place / "other"}"' in said


def test_install_and_disconnect_from_a_folder_of_the_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    done = helix("connect", "claude-code", "--install")
    assert "connected Claude Code" in done.stdout
    assert (project / ".mcp.json").exists()
    assert "already" in helix("connect", "claude-code", "--install").stdout
    listed = {one["host"]: one for one in helix_json("connect", "--list")}
    [connection] = listed["claude-code"]["connections"]
    assert connection["command"] == PROGRAM
    assert connection["file"] == str(project / ".mcp.json")
    assert helix_json("disconnect", "claude-code")["file_removed"]
    assert not (project / ".mcp.json").exists()


def test_user_installs_into_the_home_folder(place: Path) -> None:
    shown = helix_json("connect", "cursor", "--install", "--user", "--http")
    assert shown["file"] == str(place / "home" / ".cursor" / "mcp.json")
    assert shown["changed"]
    helix("disconnect", "cursor", "--user")
    assert not (place / "home" / ".cursor").exists()


def test_another_server_of_the_name_is_an_error_until_forced(project: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"helix": {"command": "hx"}}}')
    said = helix_json("connect", "claude-code", "--install", ok=False)
    assert said["code"] == "already-exists"
    assert helix_json("disconnect", "claude-code", ok=False)["code"] == "not-ours"
    helix("connect", "claude-code", "--install", "--force")
    helix("disconnect", "claude-code")
    assert (project / ".mcp.json").read_text() == '{"mcpServers": {"helix": {"command": "hx"}}}'
    helix("disconnect", "claude-code", "--force")
    assert json.loads((project / ".mcp.json").read_text()) == {"mcpServers": {}}


def test_a_daemon_that_asks_for_a_token_is_named_by_its_variable(place: Path) -> None:
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("require_token = true\n")
    assert 'bearer_token_env_var = "HELIX_TOKEN"' in helix("connect", "codex", "--http").stdout
    assert "HELIX_TOKEN" in helix("connect", "cursor", "--install", "--http").stderr
    assert helix_json("connect", "zed", "--http", ok=False)["code"] == "bad-value"


@pytest.mark.parametrize("arguments", [["connect"], ["connect", "emacs"], ["disconnect", "emacs"]])
def test_a_host_that_there_is_not_is_said_with_those_that_are(arguments: list[str]) -> None:
    done = helix(*arguments, ok=False)
    assert "--list" in done.stderr or "claude-code" in done.stderr


def test_the_list_names_every_host_and_files_that_cannot_be_read(project: Path) -> None:
    (project / ".mcp.json").write_text("{")
    done = helix("connect", "--list")
    assert len(done.stdout.splitlines()) == 11
    assert ".mcp.json:1:" in done.stderr


def test_hooks_are_printed_installed_and_taken_out(place: Path, project: Path) -> None:
    shown = json.loads(helix("hooks", "--prompt-context", "--budget", "700").stdout)
    assert set(shown["hooks"]) == {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}
    command = shown["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command == f"HELIX_CONFIG_DIR={place / 'config'} {PROGRAM} hook --budget 700"
    assert helix_json("hooks")["events"] == ["SessionStart", "PreCompact", "Stop", "SessionEnd"]
    assert helix_json("hooks", "install", "--local")["file"].endswith(".claude/settings.local.json")
    assert "already" in helix("hooks", "install", "--local").stdout
    assert helix_json("hooks", "uninstall", ok=False)["code"] == "not-connected"
    assert helix_json("hooks", "uninstall", "--local")["file_removed"]
    assert not (project / ".claude").exists()
    helix("hooks", "install", "--user", "--prompt-context", "--budget", "700")
    assert json.loads((place / "home" / ".claude" / "settings.json").read_text()) == shown
    assert "changed back" not in helix("hooks", "uninstall", "--user").stdout
    assert helix_json("hooks", "install", "--budget", "5", ok=False)["code"] == "bad-value"
    assert helix_json("hooks", "install", "--user", "--local", ok=False)["code"] == "bad-value"
