"""How the C library hands out memory in this process."""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h
_ARENAS = 2


def share_arenas() -> None:
    """Two heaps for all threads, before any is started: by default glibc makes eight for each core, and what one
    thread freed in its own stays there. Python's lock lets few of them ask at once anyway."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(_ARENA_MAX, _ARENAS)
