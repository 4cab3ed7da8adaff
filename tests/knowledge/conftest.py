from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.world import World, opened


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as world:
        yield world
