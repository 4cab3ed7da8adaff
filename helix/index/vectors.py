"""The vector index: kept in a LanceDB table, searched in memory. The one door to LanceDB.

A put is searchable at once and reaches the table with the next flush; a crash before that loses nothing but time,
since `hashes` tells which memories have to be put again and the embedding cache still has their vectors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from helix.errors import IndexBroken, StorageError
from helix.index.chunk import CHUNK_FORMAT
from helix.index.vector_matrix import LIST_COLUMNS, TEXT_COLUMNS, Matrix, VectorEntry, VectorHit
from helix.index.where import FIELDS, Sql, SqlDialect, Where, to_sql

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from lancedb.table import Table

# 300 MB of memory at 384 dimensions. Beyond it the table itself is searched, through an index.
RESIDENT_ROWS = 200_000

_TABLE = "chunks"
_FORMAT = f"4.{CHUNK_FORMAT}"
_FLUSH_AT = 1_000  # rows; LanceDB writes a file or two per flush, however few they hold
_DELETE_AT_ONCE = 500
_TIDY_AFTER = 20  # flushes; each leaves files that slow down the next opening
_OVERFETCH = 4
_REFINE = 5  # the index compares 8-bit numbers; the best five times as many are compared exactly
_SQL = SqlDialect(mark="?", list_holds="array_has({column}, {mark})")
_ID_COLUMNS = tuple(name for name, field in FIELDS.items() if field.is_id)
_LANCE_ERRORS = (RuntimeError, ValueError, OSError)

T = TypeVar("T")


def vectors_folder(state: Path, digest: str) -> Path:
    """One folder per model: a second model is built beside the first, which serves until it is complete."""
    return state / f"vectors-{digest[:12]}"


class Vectors:
    def __init__(
        self, folder: Path, digest: str, dimensions: int, *, resident_rows: int = RESIDENT_ROWS
    ) -> None:
        """Open or make the index. IndexBroken: set the folder aside and put everything again."""
        import numpy as np

        self._folder = folder
        self._dimensions = dimensions
        self._memory = threading.RLock()  # matrix, pending, hashes: held for milliseconds
        self._disk = threading.RLock()  # the table: held while files are written; taken first when both are
        self._pending: dict[str, VectorEntry | None] = {}
        self._pending_rows = 0
        self._flushes = 0
        self.version = 0
        """another number after every put and drop"""
        with _reported(folder):
            self._table = _open_table(folder, _schema(digest, dimensions))
            self._resident = self._table.count_rows() <= resident_rows
            columns = ["memory_id", "hash"]
            if self._resident:
                columns += ["ordinal", "vector", "created", *TEXT_COLUMNS, *LIST_COLUMNS]
            rows = self._table.search().select(columns).to_arrow()
            owners: list[str] = rows["memory_id"].to_pylist()
            self._stored: dict[str, str] = dict(zip(owners, rows["hash"].to_pylist(), strict=True))
            self._hashes = dict(self._stored)
            self._matrix = Matrix(dimensions)
            if self._resident and owners:
                flat = np.asarray(rows["vector"].combine_chunks().flatten())
                self._matrix.extend(
                    owners,
                    rows["ordinal"].to_numpy(),
                    {name: rows[name].to_pylist() for name in (*TEXT_COLUMNS, *LIST_COLUMNS)},
                    rows["created"].to_pylist(),
                    flat.reshape(-1, dimensions),
                )

    def put(self, entries: Sequence[VectorEntry]) -> None:
        """Each entry in the place of all that its memory had here. Searchable when this returns."""
        import numpy as np

        with self._memory:
            for entry in entries:
                if entry.vectors.ndim != 2 or entry.vectors.shape[1] != self._dimensions:
                    raise ValueError(
                        f"vectors of shape {entry.vectors.shape} for {self._dimensions} dimensions"
                    )
                # As the table keeps them, so that a search answers the same before and after a restart.
                halved = entry.vectors.astype(np.float16)
                kept = replace(entry, vectors=halved)
                self._matrix.put([kept])
                self.version += 1
                self._hashes[entry.memory_id] = entry.hash
                self._pending[entry.memory_id] = kept
                self._pending_rows += len(halved)
            full = self._pending_rows >= _FLUSH_AT
        if full:
            self.flush()

    def drop(self, memory_ids: Sequence[str]) -> None:
        with self._memory:
            for memory_id in memory_ids:
                self._matrix.drop(memory_id)
                self.version += 1
                if self._hashes.pop(memory_id, None) is not None:
                    self._pending[memory_id] = None
                    self._pending_rows += 1

    def search(self, vector: np.ndarray, limit: int, where: Where | None = None) -> list[VectorHit]:
        """The nearest memories by cosine, each with its best chunk; `vector` is normalized."""
        with self._memory:
            hits = self._matrix.search(vector, limit, where)
            if self._resident:
                return hits
            changed = set(self._pending)
        stored = self._search_table(vector, limit, where, changed)
        return sorted((*hits, *stored), key=lambda hit: (-hit.score, hit.memory_id))[:limit]

    def means(self) -> tuple[list[str], np.ndarray]:
        """One vector for each memory, as far as they are in memory: of a vault too large for that the latest writes."""
        with self._memory:
            return self._matrix.means()

    def hashes(self) -> dict[str, str]:
        """The hash that each memory was put with. After a crash: compare with the catalog, put what differs."""
        with self._memory:
            return dict(self._hashes)

    def count(self) -> int:
        """Memories, not chunks."""
        with self._memory:
            return len(self._hashes)

    def pending(self) -> int:
        with self._memory:
            return len(self._pending)

    def flush(self) -> None:
        """Write what is pending to the table. If it cannot be written it stays pending and searchable."""
        with self._disk:
            with self._memory:
                batch = dict(self._pending)
            if not batch:
                return
            stale = [memory_id for memory_id in batch if memory_id in self._stored]
            fresh = [entry for entry in batch.values() if entry is not None]
            try:
                for some in _portions(stale, _DELETE_AT_ONCE):
                    self._table.delete(
                        _bound(to_sql(Where(among=frozenset(some)), _SQL, id_column="memory_id"))
                    )
                    for memory_id in some:
                        del self._stored[memory_id]
                if fresh:
                    self._table.add(_to_arrow(fresh, self._table.schema))
            except _LANCE_ERRORS as error:
                raise StorageError(f"the vector index cannot be written: {error}") from error
            self._stored.update((entry.memory_id, entry.hash) for entry in fresh)
            self._flushes += 1
            with self._memory:
                for memory_id, entry in batch.items():
                    if self._pending.get(memory_id) is entry:  # else it was put or dropped meanwhile
                        del self._pending[memory_id]
                        if not self._resident:
                            self._matrix.drop(memory_id)
                self._pending_rows = sum(
                    1 if entry is None else len(entry.vectors) for entry in self._pending.values()
                )

    def maintain(self, *, force: bool = False) -> bool:
        """Flush, and after many flushes bring the files together. Takes seconds: off the request path.

        Searches go on meanwhile. Returns whether there was something to tidy.
        """
        self.flush()
        with self._disk:
            if not force and self._flushes < _TIDY_AFTER:
                return False
            with _reported(self._folder):
                if not self._resident and not list(self._table.list_indices()):
                    from lancedb.index import IvfSq

                    self._table.create_index("vector", config=IvfSq(distance_type="cosine"))
                # Without the clean-up compaction doubles the disk. Nobody else reads older versions.
                self._table.optimize(cleanup_older_than=timedelta(milliseconds=1))
            self._flushes = 0
            return True

    def purge(self) -> None:
        """Leave nothing of dropped memories in any file: compaction keeps rows that are merely marked as deleted."""
        import lancedb

        self.flush()
        with self._disk, _reported(self._folder):
            rows = self._table.to_arrow()
            self._table = lancedb.connect(self._folder).create_table(
                _TABLE, data=rows, schema=self._table.schema, mode="overwrite"
            )
            self._table.optimize(cleanup_older_than=timedelta(milliseconds=1))

    def close(self) -> None:
        self.flush()

    def _search_table(
        self, vector: np.ndarray, limit: int, where: Where | None, changed: set[str]
    ) -> list[VectorHit]:
        query: Any = self._table.search(vector, vector_column_name="vector")
        query = query.distance_type("cosine").refine_factor(_REFINE).limit(limit * _OVERFETCH + len(changed))
        if where is not None:
            query = query.where(_bound(to_sql(where, _SQL, id_column="memory_id")), prefilter=True)
        with _reported(self._folder):
            found = query.select(["memory_id", "ordinal", "_distance"]).to_arrow().to_pylist()
        hits: dict[str, VectorHit] = {}
        for row in found:
            memory_id = row["memory_id"]
            if memory_id not in changed:
                hits.setdefault(memory_id, VectorHit(memory_id, row["ordinal"], 1.0 - row["_distance"]))
        return list(hits.values())[:limit]


def _schema(digest: str, dimensions: int) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            ("memory_id", pa.string()),
            ("ordinal", pa.int32()),
            ("hash", pa.string()),
            *((name, pa.string()) for name in (*TEXT_COLUMNS, *_ID_COLUMNS)),
            *((name, pa.list_(pa.string())) for name in LIST_COLUMNS),
            ("created", pa.int64()),
            ("vector", pa.list_(pa.float16(), dimensions)),
        ],
        metadata={"digest": digest, "format": _FORMAT},
    )


def _open_table(folder: Path, schema: pa.Schema) -> Table:
    import lancedb

    folder.mkdir(parents=True, exist_ok=True)
    database = lancedb.connect(folder)
    if not (folder / f"{_TABLE}.lance").exists():
        return database.create_table(_TABLE, schema=schema)
    table = database.open_table(_TABLE)
    if table.schema.metadata != schema.metadata or table.schema != schema:
        raise IndexBroken(f"{folder} was made by another model or another version of Helix")
    return table


def _to_arrow(entries: Sequence[VectorEntry], schema: pa.Schema) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    def repeated(value: Callable[[VectorEntry], T]) -> list[T]:
        return [value(entry) for entry in entries for _ in entry.vectors]

    flat = np.concatenate([entry.vectors for entry in entries]).ravel()
    columns: dict[str, Any] = {
        "memory_id": repeated(lambda entry: entry.memory_id),
        "ordinal": [ordinal for entry in entries for ordinal in range(len(entry.vectors))],
        "hash": repeated(lambda entry: entry.hash),
        "created": repeated(lambda entry: entry.created),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat), schema.field("vector").type.list_size),
    }
    for name in (*TEXT_COLUMNS, *_ID_COLUMNS, *LIST_COLUMNS):
        columns[name] = [entry.filed[name] for entry in entries for _ in entry.vectors]
    return pa.table([columns[name] for name in schema.names], schema=schema)


@contextmanager
def _reported(folder: Path) -> Iterator[None]:
    """LanceDB does not sync its files: after a power cut the newest may be empty, and it fails in many words."""
    try:
        yield
    except _LANCE_ERRORS as error:
        raise IndexBroken(f"the vector index in {folder} cannot be read: {error}") from error


def _bound(sql: Sql) -> str:
    """LanceDB takes no parameters, so they are put in their places here, and nowhere else."""
    pieces = sql.text.split(_SQL.mark)
    values = [_literal(value) for value in sql.parameters]
    return "".join(piece + value for piece, value in zip(pieces, (*values, ""), strict=True))


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def _portions(items: list[str], size: int) -> list[list[str]]:
    return [items[first : first + size] for first in range(0, len(items), size)]
