"""The vectors of one model: a table of them, searched exactly while there are few, and through an HNSW index then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from pgvector import HalfVector, Vector
from psycopg import sql

from helix.errors import HelixError, IndexNotReady
from helix.index.embed import Embedder
from helix.index.embedding import Serving
from helix.index.filters import SqlDialect, Where, to_sql
from helix.index.postgres.connection import Cursor, storable
from helix.index.postgres.database import Database
from helix.index.vector_matrix import VectorEntry, VectorHit

EXACT_ROWS = 20_000
"""so many are compared one by one: about 10 ms, and nothing is missed"""
_CHUNKS_PER_MEMORY = 4  # looked at first; more when a few long memories fill the top
_EF_SEARCH = 400
DIALECT = SqlDialect("%s", '{mark} = ANY("{column}")')


def narrowed(where: Where | None) -> tuple[str, list[Any]]:
    """A filter over the table of memories."""
    if where is None:
        return "true", []
    compiled = to_sql(where, DIALECT, id_column="id")
    return compiled.text, [storable(one) if isinstance(one, str) else one for one in compiled.parameters]


class VectorTables:
    """A table for each model."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, embedder: Embedder) -> PostgresVectors:
        return PostgresVectors(self._database, embedder.digest, embedder.dimensions)

    def serving(self) -> Serving | None:
        with self._database.reading() as cursor:
            row = cursor.execute("SELECT value FROM meta WHERE key = 'serving'").fetchone()
        model, _, digest = str(row[0]).rpartition(" ") if row else ("", "", "")
        return Serving(model, digest) if digest else None

    def record(self, serving: Serving) -> None:
        if not self._database.keeps:
            return
        with self._database.writing() as cursor:
            cursor.execute(
                "INSERT INTO meta VALUES ('serving', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [f"{serving.model} {serving.digest}"],
            )


class PostgresVectors:
    def __init__(
        self, database: Database, digest: str, dimensions: int, *, exact_rows: int = EXACT_ROWS
    ) -> None:
        self.trouble: HelixError | None = None
        self.version = 0
        self._database = database
        self._dimensions = dimensions
        self._exact_rows = exact_rows
        self._chunks = f"chunks_{digest[:12]}"
        self._embedded = f"embedded_{digest[:12]}"
        self._hnsw = f"{self._chunks}_hnsw"
        self._has_index = False
        if database.keeps:
            self._make()
        else:
            with database.reading() as cursor:
                if not _exists(cursor, self._chunks):
                    raise IndexNotReady(
                        "the database has no vectors of the model that is set here; set `model` as the keeper has it"
                    )
                self._has_index = _exists(cursor, self._hnsw)

    def _make(self) -> None:
        with self._database.writing() as cursor:
            cursor.execute(
                self._sql(
                    "CREATE TABLE IF NOT EXISTS {chunks} ("
                    'memory text COLLATE "C", ordinal integer, vector halfvec({dimensions}) NOT NULL, '
                    "PRIMARY KEY (memory, ordinal))"
                )
            )
            cursor.execute(
                self._sql(
                    "CREATE TABLE IF NOT EXISTS {embedded} ("
                    'memory text COLLATE "C" PRIMARY KEY, hash text NOT NULL)'
                )
            )
            self._has_index = _exists(cursor, self._hnsw)

    def _sql(self, text: str) -> sql.Composed:
        names = {name: sql.Identifier(getattr(self, f"_{name}")) for name in ("chunks", "embedded", "hnsw")}
        return sql.SQL(text).format(**names, dimensions=sql.Literal(self._dimensions))

    def put(self, entries: Sequence[VectorEntry]) -> None:
        with self._database.writing() as cursor:
            self._delete(cursor, [entry.memory_id for entry in entries])
            with cursor.copy(self._sql("COPY {chunks} (memory, ordinal, vector) FROM STDIN")) as copy:
                for entry in entries:
                    for ordinal, vector in enumerate(entry.vectors.astype(np.float16)):
                        copy.write_row((storable(entry.memory_id), ordinal, HalfVector(vector)))
            cursor.executemany(
                self._sql("INSERT INTO {embedded} VALUES (%s, %s)"),
                [(storable(entry.memory_id), entry.hash) for entry in entries],
            )
        self.version += 1

    def drop(self, memory_ids: Sequence[str]) -> None:
        if memory_ids:
            with self._database.writing() as cursor:
                self._delete(cursor, memory_ids)
            self.version += 1

    def _delete(self, cursor: Cursor, memory_ids: Sequence[str]) -> None:
        names = [[storable(one) for one in memory_ids]]
        cursor.execute(self._sql("DELETE FROM {chunks} WHERE memory = ANY(%s)"), names)
        cursor.execute(self._sql("DELETE FROM {embedded} WHERE memory = ANY(%s)"), names)

    def search(self, vector: np.ndarray, limit: int, where: Where | None = None) -> list[VectorHit]:
        with self._database.reading() as cursor:
            return self.nearest(cursor, vector, limit, where)

    def nearest(self, cursor: Cursor, vector: np.ndarray, limit: int, where: Where | None) -> list[VectorHit]:
        """The best chunk of each of the best memories; equal ones in the order of their ids."""
        if limit < 1:
            return []
        look_at = limit * _CHUNKS_PER_MEMORY
        if self._has_index:
            cursor.execute(f"SET LOCAL hnsw.ef_search = {_EF_SEARCH}")
            cursor.execute("SET LOCAL hnsw.iterative_scan = strict_order")
        while True:
            rows = self._best_chunks(cursor, vector, look_at, where)
            best: dict[str, VectorHit] = {}
            for memory_id, ordinal, score in rows:
                best.setdefault(memory_id, VectorHit(memory_id, ordinal, score))
            if len(best) >= limit or len(rows) < look_at:
                return sorted(best.values(), key=lambda hit: (-hit.score, hit.memory_id))[:limit]
            look_at *= 4

    def _best_chunks(
        self, cursor: Cursor, vector: np.ndarray, count: int, where: Where | None
    ) -> list[tuple[str, int, float]]:
        passing, parameters = narrowed(where)
        asked = Vector(vector.astype(np.float32))
        # What is asked is rounded for the index alone; the few that it finds are compared exactly.
        order = "vector <#> %s::halfvec({dimensions})" if self._has_index else "vector::vector <#> %s"
        rows = cursor.execute(
            self._sql(
                "SELECT memory, ordinal, -(vector::vector <#> %s) AS score FROM ("
                "SELECT memory, ordinal, vector FROM {chunks} JOIN memories ON id = memory "
                f"WHERE {passing} ORDER BY {order} LIMIT %s) AS near "  # its values are parameters
                "ORDER BY score DESC, memory, ordinal"
            ),
            [asked, *parameters, asked, count],
        ).fetchall()
        return cast("list[tuple[str, int, float]]", rows)

    def means(self) -> tuple[list[str], np.ndarray]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                self._sql("SELECT memory, avg(vector::vector) FROM {chunks} GROUP BY memory ORDER BY memory")
            ).fetchall()
        if not rows:
            return [], np.zeros((0, self._dimensions), np.float32)
        means = np.stack([_array(row[1]) for row in rows])
        return [cast(str, row[0]) for row in rows], means / np.maximum(
            np.linalg.norm(means, axis=1, keepdims=True), 1e-9
        )

    def hashes(self) -> dict[str, str]:
        with self._database.reading() as cursor:
            rows = cursor.execute(self._sql("SELECT memory, hash FROM {embedded}")).fetchall()
        return {cast(str, memory_id): cast(str, hash_) for memory_id, hash_ in rows}

    def exists(self) -> bool:
        with self._database.reading() as cursor:
            return _exists(cursor, self._chunks)

    def tend(self) -> None:
        """An index when there are too many to compare one by one. Who only reads looks whether there is one."""
        if self._has_index:
            return
        if not self._database.keeps:
            with self._database.reading() as cursor:
                self._has_index = _exists(cursor, self._hnsw)
            return
        with self._database.writing() as cursor:
            row = cursor.execute(self._sql("SELECT count(*) FROM {chunks}")).fetchone()
        if row is not None and cast(int, row[0]) > self._exact_rows:
            self._database.run_alone(
                # One that a kill left half made has the name, and serves nobody.
                self._sql("DROP INDEX IF EXISTS {hnsw}"),
                self._sql("CREATE INDEX CONCURRENTLY {hnsw} ON {chunks} USING hnsw (vector halfvec_ip_ops)"),
            )
            self._has_index = True

    def purge(self) -> None:
        self._database.run_alone(self._sql("VACUUM {chunks}"), self._sql("VACUUM FULL {embedded}"))

    def close(self) -> None:
        """Its connection is the engine's."""

    def discard(self) -> None:
        if not self._database.keeps:
            return
        with self._database.writing() as cursor:
            cursor.execute(self._sql("DROP TABLE IF EXISTS {chunks}, {embedded}"))


def _exists(cursor: Cursor, name: str) -> bool:
    row = cursor.execute(
        "SELECT i.indisvalid IS NOT FALSE FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid "
        "WHERE c.oid = to_regclass(quote_ident(%s))",
        [name],
    ).fetchone()
    return row == (True,)


def _array(value: object) -> np.ndarray:
    """pgvector hands out arrays or objects of its own, by its version."""
    array: np.ndarray = value.to_numpy() if isinstance(value, Vector) else np.asarray(value)
    return array.astype(np.float32)
