"""What the operating system lets one process have: memory and files, of which each workspace takes some."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from pathlib import Path

_STATM = Path("/proc/self/statm")
_FILES = 65_536
"""open files that workspaces may take together; each takes some dozens"""


def memory_mb() -> float:
    """What the process has in memory; 0 where the system does not say it so."""
    try:
        pages = int(_STATM.read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def raise_file_limit() -> None:
    """By default 1,024 files, which is a figure for programs that use `select`."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def give_back_memory() -> None:
    """After a workspace was closed. What was loaded for it was put out of the collector's sight for good, since that
    is how long most of it stays; its cycles would stay with it."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
