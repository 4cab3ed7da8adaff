"""helix up, down, status and service: a daemon as a person has it."""

from __future__ import annotations

import json
import os
import plistlib
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helix.cli import service
from helix.config import from_process
from tests.cli.commands import BIN, helix, helix_json
from tests.flows.daemon import free_port
from tests.waiting import wait_for


@pytest.fixture
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    yield place / "vault"
    helix("down")


def test_up_starts_one_daemon_however_many_ask_and_down_stops_it(vault: Path, place: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(lambda _: helix_json("up"), range(3)))
    assert {one["pid"] for one in said} == {said[0]["pid"]}
    assert {one["state"] for one in said} == {"ready"}
    status = helix_json("status")
    assert (status["pid"], status["state"], status["vault"]) == (said[0]["pid"], "ready", str(vault))
    assert "helixd follows" in Path(said[0]["log"]).read_text()
    assert Path(said[0]["log"]).parent == place / "state"
    assert helix_json("down") == {"stopped": said[0]["pid"]}
    wait_for(lambda: not _is_alive(said[0]["pid"]))
    assert helix_json("down") == {"stopped": None}
    assert "none runs" in helix_json("status")["daemon"]


def test_down_leaves_a_process_alone_that_only_has_the_number_of_a_dead_daemon(
    vault: Path, place: Path
) -> None:
    pid = helix_json("up")["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not _is_alive(pid))
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        [record] = (place / "state").rglob("daemon.json")
        record.write_text(json.dumps({**json.loads(record.read_text()), "pid": bystander.pid}))
        assert helix_json("down") == {"stopped": None}
        assert bystander.poll() is None
    finally:
        bystander.communicate(b"\n", timeout=10)


def test_any_address_of_this_machine_gets_the_token_of_this_machine(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_REQUIRE_TOKEN", "true")
    monkeypatch.setenv("HELIX_HOST", "127.0.0.2")
    helix("up")
    monkeypatch.setenv("HELIX_URL", f"http://127.0.0.2:{os.environ['HELIX_PORT']}")
    assert helix_json("recent", "--all")["results"]
    monkeypatch.delenv("HELIX_URL")


def test_a_port_that_is_taken_is_said_to_be_so(vault: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = helix_json("up", "--port", str(taken.getsockname()[1]), ok=False)
    assert refused["code"] == "bad-config"
    assert "cannot listen" in refused["error"]


def test_a_daemon_of_another_machine_is_neither_started_nor_stopped(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_URL", "https://memory.example.org")
    for command in ("up", "down"):
        assert helix_json(command, ok=False)["code"] == "bad-value"


def test_without_a_vault_nothing_is_started(place: Path) -> None:
    assert helix_json("up", ok=False)["code"] == "vault-missing"
    assert helix_json("status", ok=False)["code"] == "vault-missing"


def test_the_unit_names_the_daemon_itself_and_carries_no_secret(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("HELIX_TOKEN", "correct-horse")
    monkeypatch.setenv("HELIX_VAULT", str(place / 'my "vault" 100%'))
    text = helix("service", "install", "--print").stdout
    assert f'ExecStart="{BIN / "helixd"}"' in text
    assert f'Environment="HELIX_VAULT={place}/my \\"vault\\" 100%%"' in text
    assert f"HELIX_STATE_DIR={place}/state" in text
    assert "correct-horse" not in text
    assert list(place.rglob("*.service")) == []


def test_a_service_is_installed_once_replaced_only_when_asked_and_removed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """systemctl is a program of ours here: no test may register a service with the machine that runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "xdg"))
    log = place / "systemctl.log"
    (place / "bin").mkdir()
    (place / "bin" / "systemctl").write_text(f'#!/bin/sh\necho "$@" >> "{log}"\n')
    (place / "bin" / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}")
    helix("init")
    said = helix_json("service", "install")
    unit = place / "xdg" / "systemd" / "user" / "helixd.service"
    assert (said["path"], said["done"]) == (str(unit), True)
    assert log.read_text().split("\n")[:2] == ["--user daemon-reload", "--user enable --now helixd.service"]
    assert helix_json("service", "install")["done"]
    unit.write_text(unit.read_text() + "# mine\n")
    assert helix_json("service", "install", ok=False)["code"] == "already-exists"
    helix("service", "install", "--force")
    assert "# mine" not in unit.read_text()
    assert helix_json("service", "uninstall")["done"]
    assert not unit.exists()
    (place / "bin" / "systemctl").write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n")
    told = helix("service", "install")
    assert unit.exists()
    assert "Failed to connect to bus" in told.stderr
    assert "systemctl --user enable --now helixd.service" in told.stderr


def test_launchd_gets_a_plist_that_says_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setattr(sys, "platform", "darwin")
    made = service.service_for(from_process())
    said = plistlib.loads(made.text.encode())
    assert made.path == place / "Library" / "LaunchAgents" / "dev.helix.helixd.plist"
    assert said["ProgramArguments"][0].endswith("helixd")
    assert said["EnvironmentVariables"]["HELIX_VAULT"] == str(place / "vault")


def _is_alive(pid: int) -> bool:
    """A killed process shows as a zombie while threads of it are still in a system call, and holds its lock so long."""
    try:
        os.kill(pid, 0)
        threads = list(Path(f"/proc/{pid}/task").glob("*/stat")) if os.path.isdir("/proc") else []
        return not threads or any(file.read_text().rpartition(")")[2].split()[0] != "Z" for file in threads)
    except (ProcessLookupError, FileNotFoundError):
        return False
