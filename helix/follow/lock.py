"""One follower per vault and machine."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from helix.errors import VaultBusy, VaultLocked

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
    import msvcrt

_OWNER = re.compile(r"process (\d+)(, a daemon)?")
_PAUSE = 0.02


@dataclass(frozen=True)
class LockOwner:
    pid: int | None
    """None when it has not said yet who it is"""
    is_daemon: bool

    @classmethod
    def parse(cls, text: str) -> LockOwner:
        """As it stands in the file, which `str` gives."""
        match = _OWNER.fullmatch(text.strip())
        return cls(int(match[1]), bool(match[2])) if match else cls(None, False)

    @property
    def name(self) -> str:
        return "another process" if self.pid is None else f"process {self.pid}"

    def __str__(self) -> str:
        return f"{self.name}, a daemon" if self.is_daemon else self.name


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
            if owner.is_daemon:
                raise VaultLocked(
                    f"{owner.name} already follows this vault on this machine; stop it first, or use the one that runs"
                )
            if time.monotonic() >= deadline:
                raise VaultBusy(f"{owner.name} is at work in this vault; try again when it is done")
            time.sleep(_PAUSE)

    def find_owner(self) -> LockOwner | None:
        """Who holds the lock; None when nobody does."""
        try:
            file = self._path.open("r+", encoding="utf-8")
        except OSError:
            return None
        with file:
            try:
                _lock(file)
            except OSError:
                file.seek(0)
                return LockOwner.parse(file.read())
        return None

    def find_daemon(self) -> int | None:
        """The process id of the daemon that holds the lock; None when none does."""
        owner = self.find_owner()
        return owner.pid if owner is not None and owner.is_daemon else None

    def is_held(self) -> bool:
        """Whether this process still keeps others out: not when somebody deleted the file, or put another there."""
        if self._file is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self._path))
        except OSError:
            return False

    def _try(self, briefly: bool) -> LockOwner | None:
        """None when the lock is ours, otherwise who has it."""
        file = self._path.open("a+", encoding="utf-8")
        try:
            _lock(file)
        except OSError:
            file.seek(0)
            owner = LockOwner.parse(file.read())
            file.close()
            return owner
        file.truncate(0)
        file.write(f"{LockOwner(os.getpid(), is_daemon=not briefly)}\n")
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
