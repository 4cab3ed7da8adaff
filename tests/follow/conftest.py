from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.follow.rig import Rig, memory_folder


@pytest.fixture
def rig() -> Iterator[Rig]:
    with memory_folder() as place:
        rig = Rig(place)
        yield rig
        rig.close()
