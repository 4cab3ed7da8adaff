from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.index.postgres.server import started


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server of this worker's own."""
    with started() as server:
        yield server.url
