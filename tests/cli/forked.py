"""Commands and daemons in a process of their own, forked from one that has loaded Helix already.

Of the second that a command takes, most is Python starting and loading modules; the tests run well over a thousand of
them. What is run is the same `main`, with its own arguments, environment, folder and standard streams. Tests of the
start itself, of terminals, of the documents and of a fresh clone start the program as a shell does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

# Modules only: what starts threads, as the models and LanceDB do, must not be there before the fork.
_LOADED = [
    *(f"helix.cli.{name}" for name in ("main", "app", "verbs", "verbs_local", "output")),
    "helix.daemon_client",
    *("typer._adapters", "helix.index.segments", "helix.index.keywords", "httpx", "tests.cli.forked"),
    "helix.daemon.serve",
]
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(_LOADED)


def run_forked(
    arguments: Sequence[str], *, env: Mapping[str, str], cwd: str, feed: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` does it, with everything the command said."""
    with tempfile.TemporaryDirectory(prefix="helix-forked") as folder:
        streams = [str(Path(folder, name)) for name in ("in", "out", "err")]
        Path(streams[0]).write_text(feed, "utf-8", "surrogateescape")
        process = _PROCESSES.Process(target=_command, args=(_like_this(arguments, env, cwd), streams))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        out, err = (Path(stream).read_text("utf-8", "surrogateescape") for stream in streams[1:])
        return subprocess.CompletedProcess(list(arguments), process.exitcode, out, err)


class Process(Protocol):
    """What tests do with a daemon, whichever way it was started: a part of `subprocess.Popen`."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class ForkedDaemon:
    """helixd, which says what it says into a file."""

    def __init__(self, arguments: Sequence[str], *, env: Mapping[str, str], cwd: str, log: str) -> None:
        self._process = _PROCESSES.Process(target=_daemon, args=(_like_this(arguments, env, cwd), log))
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("helixd", timeout or 0)
        return self._process.exitcode

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass(frozen=True)
class _Start:
    """What a program gets from the process that starts it."""

    arguments: list[str]
    env: dict[str, str]
    cwd: str
    umask: int


def _like_this(arguments: Sequence[str], env: Mapping[str, str], cwd: str) -> _Start:
    umask = os.umask(0o077)  # there is no way to ask for it without setting it
    os.umask(umask)
    return _Start(list(arguments), dict(env), cwd, umask)


def _daemon(start: _Start, log: str) -> None:
    _become(start, [os.devnull, log, log])
    from helix.daemon.serve import main

    main()


def _command(start: _Start, streams: list[str]) -> None:
    _become(start, streams)
    from helix.cli.main import main

    main()


def _become(start: _Start, streams: list[str]) -> None:
    os.environ.clear()
    os.environ.update(start.env)
    os.chdir(start.cwd)
    os.umask(start.umask)
    os.dup2(os.open(streams[0], os.O_RDONLY), 0)
    for number, stream in ((1, streams[1]), (2, streams[2])):
        os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    sys.argv = start.arguments
