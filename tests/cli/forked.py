"""Commands in a process of their own, forked from one that has loaded Helix already.

Of the second that a command takes, most is Python starting and loading modules; the tests run well over a thousand of
them. What is run is the same `main`, with its own arguments, environment, folder and standard streams. Tests of the
start itself, of terminals, of the documents and of a fresh clone start the program as a shell does.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

# Modules only: what starts threads, as the models and LanceDB do, must not be there before the fork.
_LOADED = [
    *(f"helix.cli.{name}" for name in ("main", "app", "verbs", "verbs_local", "output")),
    "helix.daemon_client",
    *("typer._adapters", "helix.index.segments", "helix.index.keywords", "httpx", "tests.cli.forked"),
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
        process = _PROCESSES.Process(target=_command, args=(list(arguments), dict(env), cwd, streams))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        out, err = (Path(stream).read_text("utf-8", "surrogateescape") for stream in streams[1:])
        return subprocess.CompletedProcess(list(arguments), process.exitcode, out, err)


def _command(arguments: list[str], env: dict[str, str], cwd: str, streams: list[str]) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    os.dup2(os.open(streams[0], os.O_RDONLY), 0)
    for number, stream in ((1, streams[1]), (2, streams[2])):
        os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    sys.argv = list(arguments)
    from helix.cli.main import main

    main()
