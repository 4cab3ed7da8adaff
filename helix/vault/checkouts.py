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
        folder = self._git_folder()
        if folder is None:
            return False
        try:
            written = os.stat(folder / "logs" / "HEAD").st_mtime
        except OSError:
            return (folder / "index.lock").exists()
        if abs(now - written) <= _WITHIN and _moves_files(_last_lines(folder / "logs" / "HEAD")[-1]):
            return True
        return (folder / "index.lock").exists()

    def laid_out(self, path: str, data: bytes, changed_at: float) -> bool:
        """Whether git put this file there, and it is what the commit that is checked out holds.

        `changed_at` is when the file was last written. A commit may hold the same text although a sync tool or a
        backup put the file there: then git's log of what HEAD was tells of no move at that time.
        """
        folder = self._git_folder()
        if folder is None:
            return False
        if _is_young(folder / "index.lock"):
            return True  # in the middle of it
        lines = _last_lines(folder / "logs" / "HEAD")
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

    def _git_folder(self) -> Path | None:
        for place in (self._vault, *self._vault.parents):
            git = place / ".git"
            if git.is_dir():
                return git
            if git.is_file():  # a linked worktree, or a submodule
                try:
                    said = git.read_text("utf-8").removeprefix("gitdir:").strip()
                except (OSError, ValueError):
                    return None
                return place / said
        return None


def _is_young(file: Path) -> bool:
    """One that a crash left behind is not the lock of a checkout that goes on."""
    try:
        return abs(time.time() - os.stat(file).st_mtime) < _LONGEST
    except OSError:
        return False


def _last_lines(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace").rstrip("\n").split("\n")
    except OSError:
        return [""]


def _moves_files(line: str) -> bool:
    """A line ends with a tab and what was done: `pull: Fast-forward`, `checkout: moving from a to b`, `commit: …`."""
    deed = line.rpartition("\t")[2]
    return bool(deed) and not deed.startswith("commit")
