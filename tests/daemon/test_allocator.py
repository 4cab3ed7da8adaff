"""How many heaps the threads of a process take."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

_HEAPS = """
import ctypes, threading
from helix.daemon.allocator import share_arenas
{before}
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fflush.argtypes = [ctypes.c_void_p]
ready = threading.Barrier(9)
def work():
    libc.malloc(50_000)
    ready.wait(30)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
ready.wait(30)
out = libc.fdopen(1, b"w")
libc.malloc_info(0, out)
libc.fflush(out)
for thread in threads:
    thread.join()
"""


def _heaps(before: str) -> int:
    code = _HEAPS.format(before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.count("<heap nr=")


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="only glibc has arenas to share")
def test_many_threads_share_two_heaps() -> None:
    assert _heaps("") > 2, "this C library shares them by itself"
    assert _heaps("share_arenas()") == 2
