"""Running one program with secrets in its environment: a list of arguments and no shell, within limits."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from helix.errors import BadValue
from helix.secrets.redact import redact

_LOOK_EVERY = 0.05
_PATIENCE = 2.0
"""seconds between asking a program to end and ending it"""
_BEYOND = 128 * 1024
"""bytes read beyond what is kept, so that a value at the cut is still found whole"""
# What a program needs of the daemon's environment to run at all. Everything else stays where it is: tokens are there.
_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SYSTEMROOT", "COMSPEC")


@dataclass(frozen=True)
class Ended:
    exit_code: int | None
    """None for one that was ended"""
    stdout: str
    stderr: str
    timed_out: bool
    was_stopped: bool


def run(
    command: Sequence[str],
    secrets: Mapping[str, str],
    *,
    timeout: float,
    most_output: int,
    is_stopped: Callable[[], bool],
) -> Ended:
    """What it printed, without the values. It runs in an empty folder, which goes away with it."""
    environment = {name: value for name, value in os.environ.items() if _is_passed_on(name)} | dict(secrets)
    with tempfile.TemporaryDirectory(prefix="helix-run-", ignore_cleanup_errors=True) as folder:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,  # so that what it starts can be ended with it
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its arguments cannot be passed on"
            raise BadValue(f"{command[0]!r} cannot be started: {reason}") from None
        streams = [
            _Stream(pipe, most_output) for pipe in (process.stdout, process.stderr) if pipe is not None
        ]
        until = time.monotonic() + timeout
        timed_out = was_stopped = False
        while process.poll() is None and not (timed_out or was_stopped):
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY)
            timed_out, was_stopped = time.monotonic() > until, is_stopped()
        _end(process, gently=timed_out or was_stopped)
        stdout, stderr = (stream.text(secrets.values()) for stream in streams)
    code = None if timed_out or was_stopped else process.returncode
    return Ended(code, stdout, stderr, timed_out, was_stopped)


class _Stream:
    """What a program writes. Beyond the limit it is read and thrown away, or the program would wait for ever."""

    def __init__(self, pipe: IO[bytes], most: int) -> None:
        self._pipe, self._most = pipe, most
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self, values: Iterable[str]) -> str:
        self._thread.join(_PATIENCE)
        with suppress(OSError):
            self._pipe.close()
        whole = redact(bytes(self._kept), values)
        text = whole[: self._most].decode("utf-8", "replace")
        return text + "\n[TRUNCATED]" if len(whole) > self._most else text

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._pipe.fileno(), 65536):
                room = self._most + _BEYOND - len(self._kept)
                self._kept += piece[: max(0, room)]


def _is_passed_on(name: str) -> bool:
    return name.upper() in _PASSED_ON or name.startswith("LC_")


def _end(process: subprocess.Popen[bytes], *, gently: bool) -> None:
    """With all that it started, also where it ended by itself."""
    if gently:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
