"""The engine over PostgreSQL, on a real server: what every engine does, and what is its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import Engine
from helix.vault.erasures import Erasures
from tests.index.engine_suite import EngineSuite
from tests.index.postgres.server import needs_server

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL is not tested")

from helix.index.postgres.engine import PostgresEngine  # noqa: E402  # it needs psycopg


def schema_for(place: Path) -> str:
    return f"test_{hashlib.sha256(str(place).encode()).hexdigest()[:24]}"


@needs_server
class TestPostgresEngine(EngineSuite):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: str) -> Iterator[None]:
        self.url = postgres
        self.caches: list[EmbedCache] = []
        yield
        for cache in self.caches:
            cache.close()

    def open(self, place: Path, embedder: Embedder | None, erasures: Erasures | None) -> PostgresEngine:
        cache = EmbedCache(place / "embeddings.db")
        self.caches.append(cache)
        choice = EmbedderChoice(embedder, "" if embedder else "no model")
        return PostgresEngine(
            self.url, schema_for(place), cache, "bundled", lambda _: choice, erasures=erasures
        )

    def crash(self, engine: Engine) -> None:
        """The server sees that nobody is on the other side any more."""
        assert isinstance(engine, PostgresEngine)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN pg_stat_activity USING (pid) "
                "WHERE locktype = 'advisory' AND classid::bigint << 32 | objid::bigint = "
                "(SELECT hashtextextended(%s, 0))",
                [engine.schema],
            )

    def holds(self, place: Path, word: str) -> bool:
        """In the pages of the schema's tables as they are on disk, and in the files beside them."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            [folder] = connection.execute("SHOW data_directory").fetchone() or ("",)
            paths = connection.execute(
                "SELECT pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
                "WHERE nspname = %s AND pg_relation_filepath(c.oid) IS NOT NULL "
                "UNION SELECT pg_relation_filepath(reltoastrelid) FROM pg_class c "
                "JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = %s AND reltoastrelid <> 0",
                [schema_for(place)] * 2,
            ).fetchall()
        files = [Path(str(folder), str(path)) for (path,) in paths]
        files += [file for file in place.rglob("*") if file.is_file()]
        return any(word.lower().encode() in file.read_bytes().lower() for file in files if file.exists())
