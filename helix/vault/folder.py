"""An open folder: every name is looked up inside it, and no link is followed.

On POSIX the folder is a descriptor, so what a name means cannot change under us when somebody moves
folders about or puts a link where a folder was. Windows has no such calls: there every step compares
the real path with the expected one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from types import TracebackType

from helix.errors import OutsideVault
from helix.vault.syscalls import sync_file

BENEATH = {os.open, os.stat, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd

_CLOEXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOEXEC
# Without O_BINARY Windows would rewrite line ends.
_ALWAYS = _NOFOLLOW | _CLOEXEC | getattr(os, "O_BINARY", 0)
# Opening a fifo for reading waits for a writer unless it is opened non-blocking.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
# Where the call cannot be told to link a link itself, it must not be told anything.
_LINK_FOLLOWS = os.link not in os.supports_follow_symlinks
# A socket cannot be opened at all: Linux says that there is no such device, macOS that it cannot be done.
_NEVER_OPENS = (errno.ENXIO, errno.EOPNOTSUPP, errno.ENODEV)
_CHUNK = 1 << 20


class NotRegular(OSError):
    """The name belongs to a folder, a fifo or a device, which is never read as a note."""


class Folder:
    def __init__(self, path: str, fd: int | None) -> None:
        self.path = path
        self.fd = fd

    @classmethod
    def at_path(cls, path: str) -> Folder:
        """Open a folder by its path. Links on the way are followed: this is how a vault is named."""
        if not BENEATH:
            if not os.path.isdir(path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return cls(path, None)
        return cls(path, os.open(path, _DIRECTORY))

    def again(self) -> Folder:
        """The same folder, opened anew: a duplicate would share its read position between threads."""
        return Folder(self.path, None if self.fd is None else os.open(".", _DIRECTORY, dir_fd=self.fd))

    def enter(self, name: str) -> Folder:
        path = os.path.join(self.path, name)
        if self.fd is None:
            self._refuse_link(name)
            return Folder.at_path(path)
        try:
            return Folder(path, os.open(name, _DIRECTORY | _NOFOLLOW, dir_fd=self.fd))
        except OSError as error:
            # Linux says ENOTDIR, others ELOOP or EMLINK, for a link that was not followed.
            if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
                self._refuse_link(name)
            raise

    def make(self, name: str) -> None:
        """Create a folder durably; one that is there already is fine."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.at(name), dir_fd=self.fd)
            self.sync()

    def open(self, name: str, flags: int = _READ, mode: int = 0o666) -> int:
        if not _NOFOLLOW:
            self._refuse_link(name)
        try:
            return os.open(self.at(name), flags | _ALWAYS, mode, dir_fd=self.fd)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise OutsideVault(f"{name} is a link; links are not followed") from error
            raise

    def open_regular(self, name: str) -> tuple[int, os.stat_result]:
        """Open a regular file for reading, and say what was opened."""
        try:
            fd = self.open(name)
        except OSError as error:
            if error.errno in _NEVER_OPENS:
                raise NotRegular(errno.EINVAL, "not a regular file", name) from error
            raise
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise NotRegular(errno.EINVAL, "not a regular file", name)
        except BaseException:
            close(fd)
            raise
        return fd, info

    def digest(self, name: str) -> str:
        """The content hash of a regular file, of whatever size."""
        fd, _ = self.open_regular(name)
        try:
            running = hashlib.sha256()
            while part := os.read(fd, _CHUNK):
                running.update(part)
        finally:
            close(fd)
        return running.hexdigest()

    def stat(self, name: str) -> os.stat_result:
        """What the name itself is: a link is not followed."""
        return os.stat(self.at(name), dir_fd=self.fd, follow_symlinks=False)

    def names(self) -> list[str]:
        with os.scandir(self.path if self.fd is None else self.fd) as entries:
            return [entry.name for entry in entries]

    def rename(self, old: str, new: str) -> None:
        os.rename(self.at(old), self.at(new), src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def replace(self, old: str, new: str) -> None:
        os.replace(self.at(old), self.at(new), src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def link(self, old: str, new: str) -> None:
        os.link(
            self.at(old), self.at(new), src_dir_fd=self.fd, dst_dir_fd=self.fd, follow_symlinks=_LINK_FOLLOWS
        )

    def unlink(self, name: str) -> None:
        os.unlink(self.at(name), dir_fd=self.fd)

    def sync(self) -> None:
        """Make the names in this folder durable. Windows does that by itself."""
        if self.fd is None:
            return
        try:
            sync_file(self.fd)
        except OSError as error:
            # Some network and FUSE file systems have no such call for folders.
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise

    def at(self, name: str) -> str:
        """The name as the os calls want it, together with `dir_fd=folder.fd`."""
        return name if self.fd is not None else os.path.join(self.path, name)

    def close(self) -> None:
        if self.fd is not None:
            fd, self.fd = self.fd, -1
            close(fd)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse_link(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            linked = stat.S_ISLNK(self.stat(name).st_mode)
            if not linked and self.fd is None:
                # A junction is no symbolic link to Windows, but it leads elsewhere all the same.
                path = os.path.join(self.path, name)
                linked = os.path.normcase(os.path.realpath(path)) != os.path.normcase(path)
            if linked:
                raise OutsideVault(f"{name} is a link; links are not followed")


def read_all(fd: int, limit: int | None = None) -> bytes:
    """Everything from here to the end, or a little more than `limit` bytes of it."""
    parts: list[bytes] = []
    size = 0
    while limit is None or size <= limit:
        part = os.read(fd, _CHUNK)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def close(fd: int) -> None:
    """Close a descriptor that was only read from: nothing can be lost by a failure."""
    with contextlib.suppress(OSError):
        os.close(fd)
