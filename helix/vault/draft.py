"""The new content of one note, complete and durable under a temp name beside it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

from helix.vault.folder import Folder, close
from helix.vault.leftovers import complete_name, unfinished_name
from helix.vault.syscalls import UNSUPPORTED, start_writing_back, sync_file


class DraftFile:
    """Begun, then synced, then taken by a rename; or dropped at any point before that."""

    def __init__(self, folder: Folder, data: bytes, like: str | None) -> None:
        """Write the temp. `like` names the file whose mode, owner and attributes it takes."""
        self.folder = folder
        self.name = unfinished_name()
        mode = 0o666 if like is None else 0o600
        self._fd = folder.open(self.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        self._inode: int | None = None
        try:
            self._inode = os.fstat(self._fd).st_ino
            if like is not None:
                self._resemble(like)
            _write_all(self._fd, data)
            start_writing_back(self._fd)
        except BaseException:
            self.drop()
            raise

    def sync(self) -> None:
        sync_file(self._fd)
        fd, self._fd = self._fd, -1
        os.close(fd)  # a network drive may report a full disk as late as here

    def complete(self, new: str, old: str) -> None:
        """Take the name that says which contents may be inside from now on."""
        name = complete_name(new, old)
        self.folder.rename(self.name, name)
        self.name = name

    def drop(self) -> None:
        """Remove the temp if it is still our own file: after a swap the name holds a person's."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            close(fd)
        with contextlib.suppress(OSError):
            if self._inode is None or self.folder.stat(self.name).st_ino == self._inode:
                self.folder.unlink(self.name)

    def _resemble(self, like: str) -> None:
        try:
            model, info = self.folder.open_regular(like)
        except FileNotFoundError:
            return  # whether the note is there counts at the swap, not here
        try:
            if sys.platform != "win32":
                mine = os.fstat(self._fd)
                if (mine.st_uid, mine.st_gid) != (info.st_uid, info.st_gid):
                    with contextlib.suppress(PermissionError):
                        os.fchown(self._fd, info.st_uid, info.st_gid)
                os.fchmod(self._fd, info.st_mode & 0o7777)
            if sys.platform == "linux":
                _copy_attributes(model, self._fd)
        finally:
            close(model)


def _copy_attributes(source: int, target: int) -> None:
    """Tags and comments that desktops and sync tools keep as user attributes."""
    try:
        names = os.listxattr(source)
        for name in names:
            if name.startswith("user."):
                os.setxattr(target, name, os.getxattr(source, name))
    except OSError as error:
        # Not every file system has them, and another program may remove one between list and read.
        if error.errno not in UNSUPPORTED | {errno.ENODATA}:
            raise


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        written = os.write(fd, rest)
        if written == 0:
            raise OSError(errno.EIO, "the file takes no more bytes")
        rest = rest[written:]
