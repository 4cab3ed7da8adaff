"""Whether git has just put files in place: a pull, a checkout, a merge or a reset, seen from its own notes.

No git is run: the follower asks this for every file that somebody else changed.
"""

from __future__ import annotations

import os
from pathlib import Path

# Git writes the files first and its log of what HEAD was last; a large checkout takes a while in between.
_WITHIN = 10.0
_TAIL_BYTES = 4096


class Checkouts:
    def __init__(self, vault: Path) -> None:
        self._vault = vault

    def just_happened(self, now: float) -> bool:
        """`now` is a time of the wall. A commit is no checkout: it leaves the files as they are."""
        folder = self._git_folder()
        if folder is None:
            return False
        try:
            written = os.stat(folder / "logs" / "HEAD").st_mtime
        except OSError:
            return (folder / "index.lock").exists()
        if abs(now - written) <= _WITHIN and _moves_files(_last_line(folder / "logs" / "HEAD")):
            return True
        return (folder / "index.lock").exists()

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


def _last_line(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return file.read().decode("utf-8", "replace").rstrip("\n").rpartition("\n")[2]
    except OSError:
        return ""


def _moves_files(line: str) -> bool:
    """A line ends with a tab and what was done: `pull: Fast-forward`, `checkout: moving from a to b`, `commit: …`."""
    deed = line.rpartition("\t")[2]
    return bool(deed) and not deed.startswith("commit")
