from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.portability.rig import Place


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path / "here")
    yield place
    place.close()


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path / "there")
    yield place
    place.close()
