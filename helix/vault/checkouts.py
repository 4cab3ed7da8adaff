"""Whether git has just put files in place: a pull, a checkout, a merge or a reset, seen from its own notes.

No git is run: the follower asks this for every file that somebody else changed.
"""

from __future__ import annotations

import os
from pathlib import Path

from helix.errors import OutsideVault
from helix.vault.folder import Folder, close

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
                said = _read_tail(git).removeprefix("gitdir:").strip()
                return place / said if said and "\0" not in said else None
        return None


def _last_line(log: Path) -> str:
    return _read_tail(log).rstrip("\n").rpartition("\n")[2]


def _read_tail(path: Path) -> str:
    """The end of a small text, or nothing: what stands in the place of git's own files may be a fifo or a link."""
    try:
        with Folder.at_path(str(path.parent)) as folder:
            fd, info = folder.open_regular(path.name)
            try:
                os.lseek(fd, max(0, info.st_size - _TAIL_BYTES), os.SEEK_SET)
                return os.read(fd, _TAIL_BYTES).decode("utf-8", "replace")
            finally:
                close(fd)
    except (OSError, OutsideVault):
        return ""


def _moves_files(line: str) -> bool:
    """A line ends with a tab and what was done: `pull: Fast-forward`, `checkout: moving from a to b`, `commit: …`."""
    deed = line.rpartition("\t")[2]
    return bool(deed) and not deed.startswith("commit")
