"""Without a daemon the shim starts one: one, however many shims there are, and it stays."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from helix_mcp import start_daemon
from helix_mcp.settings import Options, Settings

from tests.cli.commands import BIN, helix
from tests.flows.daemon import free_port
from tests.shim.driver import OPENING, shim
from tests.waiting import wait_for


class Place:
    """A vault of its own, its daemon's log and its daemon's process."""

    def __init__(self, folder: Path, port: int) -> None:
        self.state = folder / "state"
        self.port = port
        self.env = {
            **{name: os.environ[name] for name in ("HELIX_VAULT", "HELIX_STATE_DIR", "HELIX_CONFIG_DIR")},
            "HELIX_PORT": str(port),
            "HELIX_MODEL": "none",
        }

    @property
    def log(self) -> str:
        return (self.state / start_daemon.LOG_FILE).read_text()

    def pid(self) -> int:
        locks = [lock.read_text() for lock in self.state.glob("vaults/*/follow.lock")]
        [found] = [int(re.findall(r"\d+", one)[0]) for one in locks if one.strip()]
        return found

    def is_up(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                return True
        except OSError:
            return False


@pytest.fixture
def home(place: Path) -> Iterator[Place]:
    helix("init")
    made = Place(place, free_port())
    yield made
    if made.is_up():
        os.kill(made.pid(), signal.SIGTERM)
        wait_for(lambda: not made.is_up())


def test_ten_shims_at_once_start_one_daemon_which_outlives_them_and_is_started_again_when_killed(
    home: Place,
) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(shim("", env=home.env, may_start=True)) for _ in range(10)]
        for client in clients:
            client.send("initialize", OPENING, 0)
            client.receive(60)  # at once, and before there is a daemon
            client.send("prompts/list", {}, 1)
        answers = [client.receive(60) for client in clients]
        assert all(one.get("error", {}).get("code") != -32090 for one in answers)
        assert home.log.count("helixd follows") == 1
        assert home.log.count("\n") == 1, home.log  # no second one that had to give up
        assert sum("starting" in client.said for client in clients) == 1
        daemon_pid = home.pid()
        assert os.getsid(daemon_pid) not in {os.getsid(0), *(client.process.pid for client in clients)}
        for client in clients[1:]:
            assert client.end() == 0
        assert home.is_up()

        os.kill(daemon_pid, signal.SIGKILL)
        wait_for(lambda: not home.is_up())
        again = clients[0].ask(2, "initialize", OPENING)
        assert again.get("error", {}).get("code") != -32090
        assert home.pid() != daemon_pid
        assert clients[0].end() == 0
        assert home.is_up()


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with helix-mcp and, beside it, a helixd that notes how it was started and gives up."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "helix-mcp").write_text(f"#!{sys.executable}\nfrom helix_mcp import main\nmain()\n")
    (folder / "helixd").write_text(
        f"#!/bin/sh\n(pwd; env) > '{tmp_path}/started'\necho 'helixd: there is no vault' >&2\nexit 1\n"
    )
    for program in folder.iterdir():
        program.chmod(0o755)
    return folder


def test_a_daemon_that_cannot_start_is_an_error_with_its_own_last_words(
    installed: Path, tmp_path: Path
) -> None:
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("HELIX_")},
        "HELIX_STATE_DIR": str(tmp_path / "state"),
        "HELIX_CONFIG_DIR": os.devnull,
        "HELIX_VAULT": "notes",
        "HELIX_PROJECT": "mine",
        "HELIX_URL": f"http://127.0.0.1:{free_port()}",
    }
    done = subprocess.run(
        [installed / "helix-mcp"],
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n',
        capture_output=True,
        env=env,
        cwd=tmp_path,
        timeout=30,
    )
    assert done.returncode == 0
    assert done.stdout.count(b"there is no vault") == 2
    assert b"there is no vault" in done.stderr
    assert b"helixd.log" in done.stderr
    folder, *started = (tmp_path / "started").read_text().splitlines()
    assert folder == str(tmp_path / "state")
    assert f"HELIX_VAULT={tmp_path}/notes" in started
    assert f"HELIX_PORT={env['HELIX_URL'].rpartition(':')[2]}" in started
    assert "HELIX_PROJECT=mine" not in started


def test_a_daemon_that_never_listens_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helixd").write_text(f"#!/bin/sh\necho $$ > '{tmp_path}/pid'\nexec sleep 60\n")
    (tmp_path / "helixd").chmod(0o755)
    monkeypatch.setattr(start_daemon, "_PATIENCE", 0.5)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "helix-mcp")])
    settings = Settings(Options(), {"HELIX_STATE_DIR": str(tmp_path), "HELIX_CONFIG_DIR": os.devnull}, "/")
    try:
        with pytest.raises(start_daemon.CannotStart, match="did not listen"):
            start_daemon.start(settings, lambda: False, lambda _: None)
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_a_machine_without_helixd_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "helix-mcp")])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    settings = Settings(Options(), {"HELIX_STATE_DIR": str(tmp_path), "HELIX_CONFIG_DIR": os.devnull}, "/")
    with pytest.raises(start_daemon.CannotStart, match="neither beside helix-mcp nor on the PATH"):
        start_daemon.start(settings, lambda: False, lambda _: None)


def test_the_helixd_that_is_started_is_the_one_installed_with_the_shim() -> None:
    assert start_daemon.find_helixd() == str(BIN / "helixd")
