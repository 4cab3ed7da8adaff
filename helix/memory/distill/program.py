"""Running the program that the owner chose: a text on its standard input, a text from its standard output.

It runs without a shell, in a folder of its own, and may take so long and say so much. Whatever else it starts ends with
it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from helix_mcp.hook import DISTILLING

_MOST_OUTPUT = 256 * 1024
_LOOK_EVERY = 0.1


class ProgramFailed(Exception):
    """It gave no answer that can be used. The reason holds no word of what it said."""


def run(
    command: Sequence[str],
    prompt: str,
    *,
    folder: Path,
    timeout: float,
    is_stopped: Callable[[], bool] = lambda: False,
) -> str:
    """What it says. Raises ProgramFailed, which names no word of what it said."""
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, DISTILLING: "1"},  # our hooks, if it has them, do nothing then
            start_new_session=True,  # so that what it starts can be ended with it
        )
    except (OSError, ValueError) as error:
        raise ProgramFailed(f"{command[0]!r} cannot be started: {error}") from error
    output: list[bytes] = []
    reader = threading.Thread(target=_read, args=(process, output), daemon=True)
    writer = threading.Thread(target=_write, args=(process, prompt), daemon=True)
    reader.start()
    writer.start()
    until = time.monotonic() + timeout
    try:
        while reader.is_alive():
            reader.join(_LOOK_EVERY)
            if is_stopped():
                raise ProgramFailed("it was stopped with the daemon")
            if time.monotonic() > until:
                raise ProgramFailed(f"it gave no answer within {timeout:.0f} s")
        if sum(map(len, output)) > _MOST_OUTPUT:
            raise ProgramFailed(f"it said more than {_MOST_OUTPUT // 1024} KiB")
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(_LOOK_EVERY, until - time.monotonic()))
        if process.returncode is None:
            raise ProgramFailed(f"it did not end within {timeout:.0f} s")
        if process.returncode:
            raise ProgramFailed(f"it ended with status {process.returncode}")
    finally:
        _end(process)
        reader.join(1)
    return b"".join(output).decode("utf-8", "replace")


def _read(process: subprocess.Popen[bytes], output: list[bytes]) -> None:
    room = _MOST_OUTPUT + 1
    with suppress(OSError, ValueError):
        while process.stdout is not None and room > 0 and (piece := process.stdout.read1(min(room, 65536))):  # type: ignore[attr-defined]
            output.append(piece)
            room -= len(piece)


def _write(process: subprocess.Popen[bytes], prompt: str) -> None:
    with suppress(OSError, ValueError):  # it may not read, or not all of it
        if process.stdin is not None:
            process.stdin.write(prompt.encode("utf-8", "replace"))
            process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all that it started, also where it ended by itself."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError, ValueError):
            if pipe is not None:
                pipe.close()
