"""Whether git has just put files in place: a pull, a checkout, a merge or a reset, seen from its own notes.

The follower asks this for every file that somebody else changed, so no git is run for that. Only of an old file that
lies where a tombstone was is it asked whether the commit that is checked out holds it.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from pathlib import Path

from helix.errors import HelixError
from helix.vault.git_folder import GitFolder, read_end
from helix.vault.repository import Repository

# Git writes the files first and its log of what HEAD was last; a large checkout takes a while in between.
_WITHIN = 10.0
_LONGEST = 600.0
_TAIL_BYTES = 64 * 1024
_TIME = re.compile(r"> (\d+) [+-]\d{4}\t")


class Checkouts:
    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._head: tuple[object, dict[str, str]] = (None, {})

    def just_happened(self, now: float) -> bool:
        """`now` is a time of the wall. A commit is no checkout: it leaves the files as they are."""
        found = GitFolder.look_for(self._vault)
        if isinstance(found, str):
            return False
        log = found.own / "logs" / "HEAD"
        try:
            written = os.stat(log).st_mtime
        except OSError:
            written = 0.0
        if abs(now - written) <= _WITHIN and _moves_files(_last_lines(log)[-1]):
            return True
        return (found.own / "index.lock").exists()

    def laid_out(self, path: str, data: bytes, changed_at: float) -> bool:
        """Whether git put this file there, and it is what the commit that is checked out holds.

        `changed_at` is when the file was last written. A commit may hold the same text although a sync tool or a
        backup put the file there: then git's log of what HEAD was tells of no move at that time.
        """
        found = GitFolder.look_for(self._vault)
        if isinstance(found, str):
            return False
        if _is_young(found.own / "index.lock"):
            return True  # in the middle of it
        lines = _last_lines(found.own / "logs" / "HEAD")
        moves = [int(at[1]) for line in lines if _moves_files(line) and (at := _TIME.search(line))]
        if not any(at - _LONGEST <= changed_at <= at + _WITHIN for at in moves):
            return False
        blob = self._blobs(lines[-1]).get(path, "")
        digest = hashlib.sha256 if len(blob) == 64 else hashlib.sha1
        return digest(b"blob %d\0" % len(data) + data).hexdigest() == blob

    def _blobs(self, last_move: str) -> dict[str, str]:
        """What the commit that is checked out holds, by path; listed once for each that is."""
        if self._head[0] != last_move:
            blobs: dict[str, str] = {}
            try:
                repository = Repository.look_for(self._vault)
                if isinstance(repository, Repository) and (head := repository.head()) is not None:
                    blobs = {entry.path: entry.blob for entry in repository.entries(head)}
            except HelixError:
                return {}
            self._head = (last_move, blobs)
        return self._head[1]


def _is_young(file: Path) -> bool:
    """One that a crash left behind is not the lock of a checkout that goes on."""
    try:
        return abs(time.time() - os.stat(file).st_mtime) < _LONGEST
    except OSError:
        return False


def _last_lines(log: Path) -> list[str]:
    return read_end(log, _TAIL_BYTES).decode("utf-8", "replace").rstrip("\n").split("\n")


def _moves_files(line: str) -> bool:
    """A line ends with a tab and what was done: `pull: Fast-forward`, `checkout: moving from a to b`, `commit: …`."""
    deed = line.rpartition("\t")[2]
    return bool(deed) and not deed.startswith("commit")
