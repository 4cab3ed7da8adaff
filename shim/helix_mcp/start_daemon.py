"""Starting helixd: one, however many shims find that there is none, and detached, because it outlives them all."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING

from helix_mcp.folders import private

if TYPE_CHECKING:
    from collections.abc import Callable

    from helix_mcp.settings import Settings

LOG_FILE = "helixd.log"
LOCK_FILE = "start.lock"

_PATIENCE = 30.0
# A daemon that is just stopping holds its vault for some seconds, and keeps a new one from starting.
_STARTS = 3
_BETWEEN_STARTS = 1.0
_LOOK_EVERY = 0.03
_LARGEST_LOG = 4 * 1024 * 1024


class CannotStart(Exception):
    """No daemon, and why."""


def start(settings: Settings, answers: Callable[[], bool], say: Callable[[str], None]) -> None:
    """Start the daemon unless another shim does, and return when it listens."""
    program = find_helixd()
    if program is None:
        raise CannotStart(
            f"no daemon answers at {settings.address.url}, and helixd is neither beside helix-mcp nor on the PATH; "
            "install Helix, or set HELIX_URL"
        )
    deadline = time.monotonic() + _PATIENCE
    try:
        os.makedirs(settings.state_folder, mode=0o700, exist_ok=True)
        lock_path = os.path.join(settings.state_folder, LOCK_FILE)
        with open(lock_path, "a", encoding="utf-8", opener=private) as file:
            while not take_lock(file):
                if _wait_for(answers, 0.1):
                    return
                if time.monotonic() > deadline:
                    raise CannotStart(f"another helix-mcp has been starting helixd for {_PATIENCE:.0f} s")
            if not answers():
                _start_holding_the_lock(settings, program, answers, say, deadline)
    except OSError as error:
        raise CannotStart(f"helixd cannot be started: {error}") from error


def find_helixd() -> str | None:
    """The one installed with this shim before any other."""
    beside = (os.path.dirname(os.path.abspath(sys.argv[0])), os.path.dirname(sys.executable))
    return shutil.which("helixd", path=os.pathsep.join(beside)) or shutil.which("helixd")


def _start_holding_the_lock(
    settings: Settings, program: str, answers: Callable[[], bool], say: Callable[[str], None], deadline: float
) -> None:
    log = os.path.join(settings.state_folder, LOG_FILE)
    say(f"no daemon answers at {settings.address.url}; starting {program} (its output goes to {log})")
    for _ in range(_STARTS):
        began = _log_size(log)
        running = _Running(program, log, _environment(settings))
        try:
            while not answers():
                if time.monotonic() > deadline:
                    raise CannotStart(f"helixd did not listen within {_PATIENCE:.0f} s; see {log}")
                if running.has_ended():
                    break
                time.sleep(_LOOK_EVERY)
            else:
                return
        finally:
            running.forget()
        if _wait_for(answers, _BETWEEN_STARTS):
            return
    raise CannotStart(f"helixd ends as soon as it starts: {_last_line(log, began)} (see {log})")


class _Running:
    """A started helixd, of which no more is known than whether it still runs."""

    def __init__(self, program: str, log: str, env: dict[str, str]) -> None:
        self._pipe: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        with open(log, "ab", opener=private) as output:
            if sys.platform == "win32":
                flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
                self._process = subprocess.Popen(
                    [program],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=env,
                    creationflags=flags,
                )
                return
            # Some hosts end a server with all its descendants, found by parent: so the shell starts it in a session
            # of its own and goes away. What tells us of its end is a pipe that it alone holds open.
            self._pipe, held = os.pipe()
            try:
                shell = ["/bin/sh", "-c", '"$0" &', program]
                subprocess.run(
                    shell,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=env,
                    cwd=os.path.dirname(log),  # it must not keep the agent's folder busy
                    start_new_session=True,
                    pass_fds=[held],
                    check=True,
                )
            finally:
                os.close(held)

    def has_ended(self) -> bool:
        if self._process is not None:
            return self._process.poll() is not None
        return self._pipe is not None and bool(select.select([self._pipe], [], [], 0)[0])

    def forget(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)


def _environment(settings: Settings) -> dict[str, str]:
    """This process' own, with the address that the shim looks at, and nothing that is about this session."""
    env = {
        name: value for name, value in os.environ.items() if name not in ("HELIX_PROJECT", "HELIX_SESSION")
    }
    env["HELIX_HOST"], env["HELIX_PORT"] = settings.address.host, str(settings.address.port)
    for name in ("HELIX_VAULT", "HELIX_STATE_DIR", "HELIX_CONFIG_DIR"):
        if (path := env.get(name, "").strip()) and not path.startswith("~"):
            env[name] = os.path.abspath(path)  # the daemon runs in another folder
    return env


def take_lock(file: IO[str]) -> bool:
    """Whether nobody else holds it; it is let go when the file is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _wait_for(answers: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not (answered := answers()) and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY)
    return answered


def _log_size(log: str) -> int:
    """A log that has grown large begins anew: nobody else would ever shorten it."""
    try:
        size = os.path.getsize(log)
        if size > _LARGEST_LOG:
            os.replace(log, log + ".old")
            return 0
        return size
    except OSError:
        return 0


def _last_line(log: str, began: int) -> str:
    with open(log, "rb") as file:
        file.seek(max(began, os.path.getsize(log) - 65536))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else "it said nothing"
