"""How long the random runs are: HELIX_TEST_SCALE=10 makes them ten times longer."""

from __future__ import annotations

import os


def scaled(count: int) -> int:
    return count * int(os.environ.get("HELIX_TEST_SCALE", "1"))
