"""Whether git has just put files in place: a pull, a checkout, a merge or a reset, seen from its own notes.

No git is run: the follower asks this for every file that somebody else changed.
"""

from __future__ import annotations

import os
from pathlib import Path

from helix.vault.git_folder import GitFolder, read_end

# Git writes the files first and its log of what HEAD was last; a large checkout takes a while in between.
_WITHIN = 10.0
_TAIL_BYTES = 4096


class Checkouts:
    def __init__(self, vault: Path) -> None:
        self._vault = vault

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
        if abs(now - written) <= _WITHIN and _moves_files(_last_line(log)):
            return True
        return (found.own / "index.lock").exists()


def _last_line(log: Path) -> str:
    return read_end(log, _TAIL_BYTES).decode("utf-8", "replace").rstrip("\n").rpartition("\n")[2]


def _moves_files(line: str) -> bool:
    """A line ends with a tab and what was done: `pull: Fast-forward`, `checkout: moving from a to b`, `commit: …`."""
    deed = line.rpartition("\t")[2]
    return bool(deed) and not deed.startswith("commit")
