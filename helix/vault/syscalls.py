"""What Python's `os` leaves out: swapping two names, naming without replacing, a sync that reaches
the platter, and knowing whether anybody still writes to a file."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator

if sys.platform != "win32":
    import fcntl

# The platform or the file system does not know the call. NFS, SMB and many FUSE drives say so.
UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})

_NAME, _SWAP, _EXCLUSIVE = {
    "linux": ("renameat2", 2, 1),
    "darwin": ("renameatx_np", 2, 4),
}.get(sys.platform, ("", 0, 0))


def _find_rename() -> Callable[..., int] | None:
    if not _NAME:
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), _NAME, None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    found: Callable[..., int] = function
    return found


_rename = _find_rename()


def exchange(fd: int | None, name: str, other: str) -> None:
    """Swap two names of one folder in a single step: neither is ever absent."""
    _rename_with(fd, name, other, _SWAP)


def rename_new(fd: int | None, old: str, new: str) -> None:
    """Rename, but raise FileExistsError instead of replacing."""
    if sys.platform == "win32":
        os.rename(old, new)
    else:
        _rename_with(fd, old, new, _EXCLUSIVE)


def _rename_with(fd: int | None, old: str, new: str, flag: int) -> None:
    if _rename is None or fd is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), new)
    while _rename(fd, os.fsencode(old), fd, os.fsencode(new), flag):
        number = ctypes.get_errno()
        if number != errno.EINTR:
            raise OSError(number, os.strerror(number), new)


def sync_file(fd: int) -> None:
    if sys.platform == "darwin":
        # fsync on macOS stops at the drive's own cache. Network drives do not know F_FULLFSYNC.
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def start_writing_back(fd: int) -> None:
    """Let the disk begin before the sync waits for it, so that the files of a batch share one wait."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


@contextlib.contextmanager
def without_writers(fd: int) -> Iterator[bool]:
    """False when somebody has this file open for writing; while True is held, nobody can.

    Linux grants a read lease only on a file that nobody has open for writing. Elsewhere, and on another
    user's file, there is no telling: the answer is True, and the caller's waiting has to do.
    """
    if sys.platform != "linux":
        yield True
        return
    try:
        # The kernel announces a writer with SIGIO, which would end the process; SIGURG is ignored.
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        yield error.errno != errno.EAGAIN
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
