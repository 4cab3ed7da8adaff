"""A real helixd on a free port, ended by its own process id."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

from tests.cli.commands import BIN
from tests.cli.forked import ForkedDaemon, Process
from tests.waiting import wait_for


@dataclass(frozen=True)
class Daemon:
    url: str
    process: Process
    log: IO[bytes]

    def get(
        self, path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
    ) -> tuple[int, str]:
        request = urllib.request.Request(self.url + path, headers=dict(headers or {}), method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def health(self) -> dict[str, Any]:
        return dict(json.loads(self.get("/healthz")[1]))

    def last_words(self) -> str:
        """Everything it said, once it has ended."""
        self.process.wait(timeout=20)
        self.log.seek(0)
        return self.log.read().decode()


def free_port() -> int:
    """For a daemon that starts in a moment.

    Below the ports that the kernel gives to connections: one of those that is free now may be the near end of a
    neighbour's connection by the time the daemon wants it.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def starting_daemon(
    env: Mapping[str, str] | None = None,
    *arguments: str,
    prepare: Callable[[], None] | None = None,
    by_hand: bool = False,
) -> Iterator[Daemon]:
    """helixd with this process' environment, not waited for; HELIX_PORT must be set in it.

    It is forked from a process that has loaded it already, which saves most of its start, or started `by_hand`, as a
    user does it. `prepare` runs in the new process before it becomes helixd.
    """
    surroundings = {**os.environ, **(env or {})}
    command = [str(BIN / "helixd"), *arguments]
    # Into a file: nobody reads while it runs, and a daemon that fills a pipe stands still.
    with tempfile.NamedTemporaryFile(prefix="helixd-log") as log:
        process: Process
        if by_hand or prepare is not None:
            process = subprocess.Popen(
                command, env=surroundings, stdout=log, stderr=subprocess.STDOUT, preexec_fn=prepare
            )
        else:
            process = ForkedDaemon(command, env=surroundings, cwd=os.getcwd(), log=log.name)
        try:
            yield Daemon(f"http://127.0.0.1:{surroundings['HELIX_PORT']}", process, log.file)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def running_daemon(
    env: Mapping[str, str] | None = None,
    *arguments: str,
    prepare: Callable[[], None] | None = None,
    by_hand: bool = False,
) -> Iterator[Daemon]:
    with starting_daemon(env, *arguments, prepare=prepare, by_hand=by_hand) as daemon:
        wait_for(lambda: _is_up(daemon), seconds=60)
        yield daemon


def _is_up(daemon: Daemon) -> bool:
    assert daemon.process.poll() is None, daemon.last_words()
    try:
        return str(daemon.health()["state"]) != "starting"
    except OSError:
        return False
