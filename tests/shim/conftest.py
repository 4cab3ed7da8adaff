from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shim.servers import FixtureServer, running_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FixtureServer]:
    """One for all the tests that do not end it."""
    with running_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[FixtureServer]:
    with running_server(tmp_path) as running:
        yield running
