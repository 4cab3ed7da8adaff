"""Bounded waiting for what other threads and processes do, in place of sleeping."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(look: Callable[[], T], seconds: float = 15.0) -> T:
    """The first true answer; AssertionError with the last one when time is up."""
    deadline = time.monotonic() + seconds
    while not (answer := look()):
        assert time.monotonic() < deadline, f"still {answer!r} after {seconds} s"
        time.sleep(0.01)
    return answer
