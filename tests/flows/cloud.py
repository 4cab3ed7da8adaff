"""A sync service in one process: real folders, versions per path, conflicts as Dropbox and Syncthing make them.

Nothing of Helix is in here. Paths travel one by one, in any order and with any delay; a rename is a new path
and a deleted one, and they arrive apart.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from random import Random


class Style(Enum):
    DROPBOX = "dropbox"
    """the server's version keeps the name; the local one becomes the copy"""
    SYNCTHING = "syncthing"
    """the newer one keeps the name, as far as the machines' clocks can say"""


@dataclass(frozen=True)
class Version:
    number: int
    data: bytes | None
    """None: deleted, or never there"""


_NOTHING = Version(0, None)
_Stamp = tuple[int, int, int, int]


class Cloud:
    def __init__(self, style: Style, rng: Random) -> None:
        self.style = style
        self.rng = rng
        self.files: dict[str, Version] = {}
        self.conflicts = 0

    def version(self, path: str) -> Version:
        return self.files.get(path, _NOTHING)

    def upload(self, path: str, data: bytes | None) -> Version:
        self.files[path] = Version(self.version(path).number + 1, data)
        return self.files[path]


class Client:
    """The sync client of one machine: compares the folder, the server and what both last agreed on."""

    def __init__(self, cloud: Cloud, name: str, folder: Path) -> None:
        self.online = True
        self._cloud = cloud
        self._name = name
        self._folder = folder
        self._agreed: dict[str, Version] = {}
        self._half_written: dict[str, bytes] = {}
        self._stalled: dict[str, int] = {}
        """paths that make no progress for so many syncs: a large queue, a locked file, a lid that was closed"""
        self._read: dict[str, tuple[_Stamp, bytes]] = {}

    def files(self) -> dict[str, bytes]:
        """Everything that is synced: no dot names, so none of Helix's temp files either."""
        found: dict[str, bytes] = {}
        for place, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if not name.startswith("."):
                    path = os.path.relpath(os.path.join(place, name), self._folder)
                    found[path] = self._load(path)
        return found

    def sync(self, share: float, only: str | None = None) -> bool:
        """Carry about this share of what differs (or one path), in random order. False when nothing differs."""
        self.finish_writing()
        if not self.online:
            return False
        local = self.files()
        differing = [
            path
            for path in ([only] if only else sorted({*local, *self._cloud.files}))
            if not (
                self._cloud.version(path).data == local.get(path)
                and self._cloud.version(path) == self._agreed.get(path, _NOTHING)
            )
        ]
        self._cloud.rng.shuffle(differing)
        for path in differing:
            if share < 1 and self._stalls(path):
                continue
            if self._cloud.rng.random() < share:
                self._carry(path, local.get(path))
        return bool(differing)

    def _stalls(self, path: str) -> bool:
        # A rename is carried out as "create the new one, then delete the old one", often much later.
        chance = 0.6 if self._cloud.version(path).data is None else 0.04
        if path not in self._stalled and self._cloud.rng.random() < chance:
            self._stalled[path] = self._cloud.rng.randint(1, 20)
        self._stalled[path] = self._stalled.get(path, 0) - 1
        if self._stalled[path] < 0:
            del self._stalled[path]
            return False
        return True

    def finish_writing(self) -> None:
        """Complete the downloads that are being written in place."""
        for path, data in self._half_written.items():
            (self._folder / path).write_bytes(data)
        self._half_written.clear()

    def _carry(self, path: str, mine: bytes | None) -> None:
        theirs, agreed = self._cloud.version(path), self._agreed.get(path, _NOTHING)
        if mine == theirs.data:
            self._agreed[path] = theirs
        elif theirs.number == agreed.number:
            self._agreed[path] = self._cloud.upload(path, mine)
        elif mine == agreed.data or mine is None:  # deleted here, changed there: the change stays
            self._download(path, theirs)
        elif theirs.data is None:  # the other way round
            self._agreed[path] = self._cloud.upload(path, mine)
        else:
            self._conflict(path, mine, theirs)

    def _conflict(self, path: str, mine: bytes, theirs: Version) -> None:
        assert theirs.data is not None
        self._cloud.conflicts += 1
        copy = self._copy_name(path)
        if self._cloud.style is Style.SYNCTHING and self._cloud.rng.random() < 0.5:
            _write(self._folder / copy, theirs.data)
            self._agreed[path] = self._cloud.upload(path, mine)
        else:
            os.rename(self._folder / path, self._folder / copy)
            self._download(path, theirs)

    def _copy_name(self, path: str) -> str:
        place = PurePosixPath(path)
        number = 0
        while True:
            if self._cloud.style is Style.DROPBOX:
                again = f" ({number})" if number else ""
                mark = f" ({self._name}'s conflicted copy 2026-09-25){again}"
            else:
                mark = f".sync-conflict-20260925-{self._cloud.conflicts:06}-{self._name}ABCDE"
            copy = str(place.with_name(f"{place.stem}{mark}{place.suffix}"))
            if not (self._folder / copy).exists() and copy not in self._cloud.files:
                return copy
            number += 1

    def _download(self, path: str, version: Version) -> None:
        self._agreed[path] = version
        target = self._folder / path
        if version.data is None:
            target.unlink(missing_ok=True)
        elif target.exists() and self._cloud.rng.random() < 0.3:
            target.write_bytes(version.data[: len(version.data) // 2])
            self._half_written[path] = version.data
        else:
            _write(target, version.data)

    def _load(self, path: str) -> bytes:
        info = os.stat(self._folder / path)
        stamp = (info.st_mtime_ns, info.st_size, info.st_ino, info.st_ctime_ns)
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            known = self._read[path] = (stamp, (self._folder / path).read_bytes())
        return known[1]


def _write(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temp = target.with_name(f".{target.name}.tmp")
    temp.write_bytes(data)
    os.replace(temp, target)
