"""One follower per vault and machine."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import IO

from helix.errors import VaultBusy, VaultLocked

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
    import msvcrt

DAEMON = ", a daemon"
"""how the owner of a lock is called when it is one"""
_PAUSE = 0.02


class FollowLock:
    """Held by the operating system for as long as the process lives: a crash leaves no stale lock."""

    def __init__(self, state_folder: Path) -> None:
        self._path = state_folder / "follow.lock"
        self._file: IO[str] | None = None
        self._briefly = False

    def acquire(self, *, briefly: bool = False, patience: float = 0.0) -> None:
        """Take the lock. A command takes it `briefly`; others wait for it, `patience` seconds at most."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + patience
        while (owner := self._try(briefly)) is not None:
            if owner.endswith(DAEMON):
                who = owner.removesuffix(DAEMON)
                raise VaultLocked(
                    f"{who} already follows this vault on this machine; stop it first, or use the one that runs"
                )
            if time.monotonic() >= deadline:
                raise VaultBusy(
                    f"{owner or 'another process'} is at work in this vault; try again when it is done"
                )
            time.sleep(_PAUSE)

    def find_owner(self) -> str | None:
        """Who holds the lock, in words that begin with `process` and its number; None when nobody does."""
        try:
            file = self._path.open("r+", encoding="utf-8")
        except OSError:
            return None
        with file:
            try:
                _lock(file)
            except OSError:
                file.seek(0)
                return file.read().strip()
        return None

    def find_daemon(self) -> int | None:
        """The process id of the daemon that holds the lock; None when none does."""
        owner = self.find_owner() or ""
        who = owner.removeprefix("process ").removesuffix(DAEMON)
        return int(who) if owner.endswith(DAEMON) and who.isdecimal() else None

    def is_held(self) -> bool:
        """Whether this process still keeps others out: not when somebody deleted the file, or put another there."""
        if self._file is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self._path))
        except OSError:
            return False

    def _try(self, briefly: bool) -> str | None:
        """None when the lock is ours, otherwise who has it."""
        file = self._path.open("a+", encoding="utf-8")
        try:
            _lock(file)
        except OSError:
            file.seek(0)
            owner = file.read().strip()
            file.close()
            return owner
        file.truncate(0)
        file.write(f"process {os.getpid()}{'' if briefly else DAEMON}\n")
        file.flush()
        self._file = file
        self._briefly = briefly
        return None

    def renew(self) -> None:
        """Take the lock again when its file was deleted: a lock on a file that nobody can find keeps nobody out."""
        if self._file is not None and not self.is_held():
            lost = self._file
            try:
                self.acquire(briefly=self._briefly)
            except (VaultLocked, VaultBusy):
                return  # somebody else was faster; the next look tries again
            lost.close()

    def release(self) -> None:
        if self._file is not None:
            self._file.truncate(0)  # the next one must not be taken for this one
            self._file.close()
            self._file = None


def _lock(file: IO[str]) -> None:
    if fcntl is not None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        # A byte far beyond the text, so that others can still read who holds it.
        file.seek(1 << 30)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        file.seek(0)
