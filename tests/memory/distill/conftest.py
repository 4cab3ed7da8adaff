from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.distill.talk import Talk
from tests.memory.world import opened


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    (tmp_path / "work" / "gateway" / ".git").mkdir(parents=True)
    with opened(tmp_path) as world:
        yield Talk(world, tmp_path / "work" / "gateway")
        world.workspace.upkeep.stop()
