"""The small files by which a vault says how it is to be treated come from whoever shares it. Whatever stands in their
place, no command hangs, no link is followed, and nothing large is read."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands import BIN, helix
from tests.flows.daemon import free_port, running_daemon
from tests.waiting import wait_for

IDENTITY, PHASES, IGNORE, STIGNORE = ".helix/vault.toml", ".helix/phases.yaml", ".helixignore", ".stignore"


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    outside = path.parent.parent / f"outside of {path.parent.name}"
    outside.write_text("secret = 1\n")
    path.symlink_to(outside)


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero, which never ends
    except PermissionError:
        pytest.skip("only root makes devices")


def gigabyte(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1024**3)


def closed(path: Path) -> None:
    path.write_text("x")
    path.chmod(0)


def unix_socket(path: Path) -> None:
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(path.parent)  # the name of a socket has at most a hundred bytes
        try:
            listener.bind(path.name)
        finally:
            os.chdir(here)


Thing = Callable[[Path], None]
THINGS: list[Thing] = [fifo, link, folder, device, gigabyte, closed, unix_socket]


@pytest.fixture(params=THINGS, ids=lambda thing: thing.__name__)
def thing(request: pytest.FixtureRequest) -> Thing:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    (place / "vault" / ".stfolder").mkdir()
    return place / "vault"


def put(vault: Path, thing: Thing, *names: str) -> None:
    for name in names:
        (vault / name).unlink(missing_ok=True)
        thing(vault / name)


def test_the_daemon_serves_whatever_stands_in_the_place_of_its_settings(vault: Path, thing: Thing) -> None:
    put(vault, thing, PHASES, IGNORE, STIGNORE)
    (vault / "mine.md").write_text("---\nid: mine\n---\nThe deploy runs at noon.\n")
    with running_daemon() as daemon:
        if thing is not closed:  # then nothing is taken for shown, and the daemon says so
            wait_for(lambda: "noon" in daemon.get("/memory/mine")[1])
            assert ".helixignore" in daemon.get("/conflicts")[1]
        said = daemon.get("/healthz")[1]
        status, answer = daemon.get("/recall?q=deploy&scope=all")
        assert status == 200, answer
        assert "secret" not in said + answer


def test_the_daemon_says_that_it_does_not_know_the_vault_and_does_not_hang(vault: Path, thing: Thing) -> None:
    if thing is closed and os.geteuid() == 0:
        pytest.skip("root may read every file")
    put(vault, thing, IDENTITY)
    done = subprocess.run([str(BIN / "helixd")], capture_output=True, text=True, timeout=30, env=os.environ)
    assert done.returncode == 1
    assert "vault.toml" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr


def test_the_doctor_looks_at_such_a_vault_and_does_not_hang(vault: Path, thing: Thing) -> None:
    put(vault, thing, PHASES, IGNORE, STIGNORE, IDENTITY)
    said = subprocess.run(
        [str(BIN / "helix"), "doctor"], capture_output=True, text=True, timeout=60, env=os.environ
    ).stdout
    if thing is not closed or os.geteuid() != 0:
        assert "vault.toml" in said
        assert "ignore-file-unread" in said
        assert "stignore" in said
    assert "secret" not in said
    before = {name: os.lstat(vault / name) for name in (PHASES, IGNORE, IDENTITY)}
    outside = [path.read_text() for path in vault.parent.glob("outside*")]
    helix("doctor", "--fix", ok=False)
    for name, was in before.items():
        now = os.lstat(vault / name)
        assert (now.st_ino, now.st_size, now.st_mtime_ns) == (was.st_ino, was.st_size, was.st_mtime_ns)
    assert [path.read_text() for path in vault.parent.glob("outside*")] == outside


def test_init_names_what_is_wrong_and_does_not_hang(vault: Path, thing: Thing) -> None:
    if thing is closed and os.geteuid() == 0:
        pytest.skip("root may read every file")
    put(vault, thing, IDENTITY)
    assert "vault.toml" in helix("init", ok=False).stderr


def test_a_fifo_in_the_place_of_gits_log_holds_no_write(vault: Path) -> None:
    log = vault / ".git" / "logs" / "HEAD"
    log.parent.mkdir(parents=True)
    os.mkfifo(log)
    with running_daemon() as daemon:
        (vault / "mine.md").write_text("---\nid: mine\n---\nThe deploy runs at noon.\n")
        wait_for(lambda: "noon" in daemon.get("/memory/mine")[1])
