"""Notes that were read lately, so that a search does not read and parse the files of its hits again.

The file stays the truth: what is kept of it counts only as long as the file has not been touched since, which a look at
its signature tells. What a memory's tombstones and erasures say of a note is asked each time anew.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from helix.vault.note import Note
from helix.vault.vault import Vault
from helix.vault.walk import Signature

_ROOM = 2 * 1024 * 1024
"""bytes of files; parsed they take about four times as much"""
_LARGEST = _ROOM // 8
# A file system stamps in steps, FAT of two seconds: of a file that was touched this lately a signature does not tell.
_SETTLED_SECONDS = 2.5


class _Kept(NamedTuple):
    signature: tuple[int, Signature]
    note: Note
    size: int


class NoteCache:
    """Threads may read side by side."""

    def __init__(self, vault: Vault, room: int = _ROOM, wall: Callable[[], float] = time.time) -> None:
        """`wall` is the clock that file systems stamp with."""
        self._vault = vault
        self.wall = wall
        self._room = room
        self._used = 0
        self._era = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def read(self, path: str) -> Note:
        """As `Vault.read_leniently`."""
        return self._vault.as_it_counts(self._parsed(path))

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Nothing of an erased memory stays in memory either. The others are read again: it happens rarely."""
        with self._lock:
            self._era += 1
            self._kept.clear()
            self._used = 0
        return True

    def _parsed(self, path: str) -> Note:
        era, signature = self._era, self._look_at(path)
        kept = self._kept.get(path)
        if kept is not None and kept.signature == signature:
            with self._lock:
                if path in self._kept:
                    self._kept.move_to_end(path)
            return kept.note
        note = self._vault.parse_leniently(path)
        if signature is not None and self._is_settled(signature[1]) and self._look_at(path) == signature:
            self._keep(path, _Kept(signature, note, signature[1].size), era)
        return note

    def _look_at(self, path: str) -> tuple[int, Signature] | None:
        # By its whole path, which is one call. Where that leads through a link, it leads to another file.
        try:
            info = os.stat(os.path.join(self._vault.root.path, path), follow_symlinks=False)
        except (OSError, ValueError):
            return None
        return info.st_dev, Signature.of(info)

    def _keep(self, path: str, kept: _Kept, era: int) -> None:
        if kept.size > _LARGEST:
            return
        with self._lock:
            if era != self._era:  # read before an erasure that came meanwhile
                return
            self._drop(path)
            self._kept[path] = kept
            self._used += kept.size
            while self._used > self._room:
                self._drop(next(iter(self._kept)))

    def _drop(self, path: str) -> None:
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._used -= kept.size

    def _is_settled(self, signature: Signature) -> bool:
        touched = max(signature.mtime_ns, signature.ctime_ns) / 1e9
        return self.wall() - touched > _SETTLED_SECONDS
