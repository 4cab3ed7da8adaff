"""The one place that runs the git program: never a shell, never a terminal, and always within a bound."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from helix.errors import BadValue, HistoryError

READ_SECONDS = 60.0
STOP_SECONDS = 5.0
# A few trees that name each other many times over are a small repository with more files than any disk holds.
MOST_OUTPUT = 256 * 1024 * 1024
# Some of it git counts out in its own memory before it says a word. Files that it maps are not part of this.
MOST_MEMORY = 2 * 1024**3
# Each may take that much: the others wait for their turn.
_AT_ONCE = threading.BoundedSemaphore(4)
_MOST_COMPLAINT = 1024 * 1024
_CHUNK = 1 << 16


def find_git() -> str:
    git = shutil.which("git")
    # An empty or relative entry of the PATH would run a program called git that lies in the current folder.
    if git is None or not os.path.isabs(git):
        raise HistoryError(
            "Git is not installed, or not on the PATH, so there is no history.", code="git-failed"
        )
    return git


def run_git(
    folder: Path,
    environment: Mapping[str, str],
    *arguments: str,
    feed: bytes = b"",
    seconds: float = READ_SECONDS,
    is_limited: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    git = find_git()
    if not all(can_be_passed(argument) for argument in arguments):
        raise BadValue("git cannot be given text with a NUL character or half a surrogate pair in it")
    with _AT_ONCE:
        return _run(git, folder, environment, arguments, feed, seconds, is_limited)


def _run(
    git: str,
    folder: Path,
    environment: Mapping[str, str],
    arguments: Sequence[str],
    feed: bytes,
    seconds: float,
    is_limited: bool,
) -> subprocess.CompletedProcess[bytes]:
    try:
        process = subprocess.Popen(
            [git, "--no-pager", *arguments],
            cwd=folder,
            env={**environment, "LC_ALL": "C", "LANGUAGE": "", "GIT_TERMINAL_PROMPT": "0"},
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A session of its own: git's children can be stopped with it, and none can ask on the terminal.
            start_new_session=True,
        )
    except OSError as error:
        raise HistoryError(
            f"git could not be started: {error.strerror or error}", code="git-failed"
        ) from error
    try:
        if is_limited:
            _limit_memory(process, MOST_MEMORY)
        out, err = _talk(process, feed, seconds)
    finally:
        if process.poll() is None:
            _stop(process)
        _close(process)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def _limit_memory(process: subprocess.Popen[bytes], most: int) -> None:
    """Linux alone can be told so of a program that runs already; elsewhere its time is the only bound."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):  # gone already, or a lower limit of the person's own
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (most, most))


def _talk(process: subprocess.Popen[bytes], feed: bytes, seconds: float) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + seconds
    pipes = cast("tuple[IO[bytes], ...]", (process.stdin, process.stdout, process.stderr))
    out = _Heard(pipes[1], MOST_OUTPUT, lambda: _signal(process, gently=True))
    err = _Heard(pipes[2], _MOST_COMPLAINT)
    threads = [out, err, threading.Thread(target=_say, args=(pipes[0], feed), daemon=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    if out.is_too_much:
        raise HistoryError(
            f"git had more than {MOST_OUTPUT >> 20} MB to say and was stopped", code="git-failed"
        )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, deadline - time.monotonic()))
    if process.poll() is None or any(thread.is_alive() for thread in threads):
        raise HistoryError(f"git took longer than {seconds:g} seconds and was stopped", code="git-failed")
    return out.heard, err.heard


class _Heard(threading.Thread):
    """What comes out of a pipe, up to a bound; what is beyond it ends the talk, or is let go."""

    def __init__(self, pipe: IO[bytes], most: int, enough: Callable[[], None] | None = None) -> None:
        super().__init__(name="helix-git", daemon=True)
        self.is_too_much = False
        self._pipe = pipe
        self._most = most
        self._enough = enough
        self._parts: list[bytes] = []

    @property
    def heard(self) -> bytes:
        return b"".join(self._parts)

    def run(self) -> None:
        size = 0
        # The pipe is closed under us when git was stopped and a child of it still holds the other end.
        with contextlib.suppress(OSError, ValueError):
            while part := self._pipe.read(_CHUNK):
                size += len(part)
                if size <= self._most:
                    self._parts.append(part)
                elif self._enough is not None:
                    self.is_too_much = True
                    self._enough()
                    return


def _say(pipe: IO[bytes], feed: bytes) -> None:
    # Git may know enough and go before it has heard all.
    with contextlib.suppress(OSError, ValueError):
        rest = memoryview(feed)
        while rest:
            rest = rest[pipe.write(rest) :]
    with contextlib.suppress(OSError):
        pipe.close()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask first: a git that is killed outright leaves its index.lock behind and blocks the person."""
    _signal(process, gently=True)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(process, gently=False)
        process.wait(STOP_SECONDS)


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _signal(process: subprocess.Popen[bytes], *, gently: bool) -> None:
    if sys.platform == "win32":
        process.terminate() if gently else process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM if gently else signal.SIGKILL)


def last_words(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line of git's complaint to show: the fatal one, or the last, where a hook says why it refused."""
    text = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    return (fatal or lines or [f"exit code {done.returncode}"])[-1]


def can_be_passed(text: str) -> bool:
    """Whether a program can be given this at all, as an argument or a file name."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False
