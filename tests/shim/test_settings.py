"""What the shim is told, and what it finds out by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote

import helix_mcp
import pytest
from helix_mcp import folders
from helix_mcp.address import Address, BadAddress, percent_encoded
from helix_mcp.project import find_project
from helix_mcp.settings import BadConfig, Options, Settings

from helix.config import load
from tests.shim.driver import shim, text
from tests.shim.servers import FixtureServer

ROOT = Path(__file__).resolve().parents[2]


def _settings(tmp_path: Path, env: dict[str, str] | None = None, options: Options | None = None) -> Settings:
    return Settings(options or Options(), {"HELIX_CONFIG_DIR": str(tmp_path), **(env or {})}, "/")


def find_name(folder: Path, config: Path = Path(os.devnull)) -> str:
    return find_project(str(folder), str(config)).name


def trust(config: Path, folder: Path, name: str) -> None:
    (config / "trusted-projects.json").write_text(json.dumps({str(folder.resolve()): name}))


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert helix_mcp.__version__ == project["version"]


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"XDG_STATE_HOME": "/x/state", "XDG_CONFIG_HOME": "/x/config"},
        {"XDG_STATE_HOME": "relative", "XDG_CONFIG_HOME": ""},
        {"HELIX_STATE_DIR": "~/s", "HELIX_CONFIG_DIR": "/c"},
        {"HELIX_STATE_DIR": "here", "HELIX_CONFIG_DIR": " "},
    ],
)
def test_the_folders_are_those_of_helixd(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "HELIX_STATE_DIR", "HELIX_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    theirs = load(env, tmp_path)
    assert folders.state_folder(env) == str(theirs.state_dir)
    assert folders.config_folder(env) == str(theirs.config_dir)


def test_the_folders_of_other_systems_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    from platformdirs.macos import MacOS

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    mac = MacOS("helix", appauthor=False)
    assert folders.state_folder({}) == mac.user_state_dir
    assert folders.config_folder({}) == mac.user_config_dir
    monkeypatch.setattr(sys, "platform", "win32")
    # As %LOCALAPPDATA%\\helix, which is where platformdirs puts both for an application without an author.
    assert folders.state_folder({"LOCALAPPDATA": "/local"}) == "/local/helix"
    assert folders.config_folder({"LOCALAPPDATA": "/local"}) == "/local/helix"


@pytest.mark.parametrize(
    ("env", "file", "url"),
    [
        ({}, "", "http://127.0.0.1:7878"),
        ({"HELIX_PORT": "9000"}, "port = 1", "http://127.0.0.1:9000"),
        ({"HELIX_HOST": "::1"}, "", "http://[::1]:7878"),
        ({}, "port = 9001\n[git]\nautocommit = true", "http://127.0.0.1:9001"),
        ({}, 'url = "https://memory.example/helix/"', "https://memory.example/helix"),
        ({"HELIX_URL": "http://10.0.0.5:1"}, 'url = "http://x"', "http://10.0.0.5:1"),
    ],
)
def test_the_daemon_is_where_helix_itself_would_look(
    env: dict[str, str], file: str, url: str, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text(file)
    assert _settings(tmp_path, env).address.url == url
    theirs = load({"HELIX_CONFIG_DIR": str(tmp_path), **env}, tmp_path)
    assert theirs.base_url.rstrip("/") == url


@pytest.mark.parametrize(
    ("url", "may_start"),
    [
        ("http://127.0.0.1:7878", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("http://10.0.0.5:7878", False),
        ("http://127.0.0.1.example.com", False),
        ("https://127.0.0.1:7878", False),
        ("https://memory.example", False),
    ],
)
def test_a_daemon_is_started_on_this_machine_only(url: str, may_start: bool, tmp_path: Path) -> None:
    assert _settings(tmp_path, {"HELIX_URL": url}).may_start is may_start
    forbidden = Options()
    forbidden.no_start = True
    assert _settings(tmp_path, {"HELIX_URL": url}, forbidden).may_start is False


@pytest.mark.parametrize(
    "url", ["7878", "ftp://x", "http://", "http://h:port", "http://h:0", "http://u@h", "http://h\nX: y"]
)
def test_a_url_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        Address(url)


def test_the_token_comes_from_the_environment_or_for_this_machine_from_its_file(tmp_path: Path) -> None:
    assert "Authorization" not in _settings(tmp_path).owner.headers()
    (tmp_path / "token").write_text("from-file\n")
    assert _settings(tmp_path).owner.headers()["Authorization"] == "Bearer from-file"
    assert _settings(tmp_path, {"HELIX_TOKEN": "given"}).owner.headers()["Authorization"] == "Bearer given"
    assert "Authorization" not in _settings(tmp_path, {"HELIX_URL": "http://10.0.0.5:1"}).owner.headers()


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({}, True),
        ({"HELIX_TOKEN": "t"}, True),
        ({"HELIX_URL": "http://127.0.0.1:9"}, True),
        ({"HELIX_URL": "http://localhost:9"}, True),
        ({"HELIX_URL": "http://127.0.0.1:9", "HELIX_TOKEN": "t"}, False),
        ({"HELIX_URL": "https://127.0.0.1:9"}, False),
        ({"HELIX_URL": "http://10.0.0.5:9"}, False),
    ],
    ids=str,
)
def test_on_this_machine_a_proof_is_wanted_unless_address_and_token_were_chosen(
    tmp_path: Path, env: dict[str, str], wanted: bool
) -> None:
    assert _settings(tmp_path, env).owner.wants_proof is wanted
    with pytest.raises(BadConfig, match="token"):
        _settings(tmp_path, {"HELIX_TOKEN": "a\nb"})


def test_a_file_of_settings_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("port = ")
    with pytest.raises(BadConfig, match=r"config\.toml"):
        _settings(tmp_path)


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_project_is_the_repository_and_its_worktrees_belong_to_it(tmp_path: Path) -> None:
    main = tmp_path / "billing-api"
    (main / "src" / "deep").mkdir(parents=True)
    _git(main, "init")
    _git(main, "commit", "--allow-empty", "-m", "x")
    _git(main, "worktree", "add", str(tmp_path / "elsewhere"))
    _git(tmp_path, "clone", "--bare", str(main), "shared.git")
    _git(tmp_path / "shared.git", "worktree", "add", str(tmp_path / "of-bare"))
    assert find_name(main / "src" / "deep") == "billing-api"
    assert find_name(tmp_path / "elsewhere") == "billing-api"
    assert find_name(tmp_path / "of-bare") == "shared"
    assert find_name(tmp_path) == ""


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    assert find_name(tmp_path / "sub") == "sub"


def test_a_project_file_that_is_trusted_comes_before_the_repository(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / ".helix-project").write_text("  Größe \nmore\n")
    trust(tmp_path, tmp_path, "Größe")
    assert find_name(tmp_path / "repo", tmp_path) == "Größe"
    (tmp_path / ".helix-project").write_text("\n")
    assert find_name(tmp_path / "repo", tmp_path) == "repo"


def test_the_project_file_of_a_strangers_repository_names_nothing(tmp_path: Path) -> None:
    clone = tmp_path / "handy-tool"
    (clone / ".git").mkdir(parents=True)
    (clone / ".helix-project").write_text("acme\n")
    found = find_project(str(clone), str(tmp_path))
    assert found.name == "handy-tool"
    assert "helix project trust" in found.remark
    assert "'acme'" in found.remark
    trust(tmp_path, clone, "acme")
    assert (find_name(clone, tmp_path), find_project(str(clone), str(tmp_path)).remark) == ("acme", "")
    (clone / ".helix-project").write_text("other\n")  # the next pull
    assert find_name(clone, tmp_path) == "handy-tool"
    (tmp_path / "trusted-projects.json").write_text("[")
    assert find_name(clone, tmp_path) == "handy-tool"


def test_a_project_file_that_says_what_the_repository_is_called_needs_no_trust(tmp_path: Path) -> None:
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    (tmp_path / "billing" / ".helix-project").write_text("billing\n")
    found = find_project(str(tmp_path / "billing"), str(tmp_path))
    assert (found.name, found.remark) == ("billing", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no fifos")
@pytest.mark.parametrize("name", [".helix-project", ".git", ".helix-project of a link"])
def test_a_pipe_where_a_file_should_say_the_project_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """Anybody may put one into a folder above, such as /tmp."""
    file, _, is_link = name.partition(" ")
    if is_link:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / file).symlink_to("pipe")
    else:
        os.mkfifo(tmp_path / file)
    (tmp_path / "work").mkdir()
    found = subprocess.run(
        [sys.executable, "-c", "import sys; from helix_mcp.project import find_project\n"
         "print(repr(find_project(*sys.argv[1:]).name))", str(tmp_path / "work"), str(tmp_path / "config")],
        capture_output=True, text=True, timeout=20,
    )  # fmt: skip
    assert found.stdout.strip() == repr(tmp_path.name if file == ".git" else ""), found.stderr


def test_the_daemon_hears_project_session_and_client_with_every_request(
    server: FixtureServer, tmp_path: Path
) -> None:
    (tmp_path / ".helix-project").write_text("Größe & Co\n", "utf-8")
    trust(tmp_path, tmp_path, "Größe & Co")
    env = {"HELIX_TOKEN": "secret", "HELIX_CONFIG_DIR": str(tmp_path)}
    with shim(server.url, "--session=abc-1", cwd=tmp_path, env=env) as client:
        client.open()
        lines = text(client.call(1, "headers")).splitlines()
        headers = dict(line.split(": ", 1) for line in lines)
        assert unquote(headers["helix-project"]) == "Größe & Co"
        assert headers["helix-project"].isascii()
        assert headers["helix-session"] == "abc-1"
        assert headers["helix-client"] == f"helix-mcp/{helix_mcp.__version__}"
        assert headers["authorization"] == "Bearer secret"


def test_percent_encoding_is_undone_by_everybody(tmp_path: Path) -> None:
    for name in ("plain-1._~", "a b/c?d%e", "世界 🦉", "\n"):
        assert unquote(percent_encoded(name)) == name


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no fifos")
@pytest.mark.parametrize("name", [".helix-project", ".git"])
def test_a_fifo_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "tool"
    (folder / name).parent.mkdir(parents=True)
    os.mkfifo(folder / name)
    ask = "import sys; from helix_mcp.project import find_project; find_project(sys.argv[1], sys.argv[2])"
    subprocess.run([sys.executable, "-c", ask, str(folder), str(tmp_path)], check=True, timeout=20)
