"""The table of vectors on disk. The one door to LanceDB, which costs a process 80 MB and two seconds to import."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import IvfSq
from lancedb.table import Table

from helix.errors import IndexBroken, StorageError
from helix.index.chunk import CHUNK_FORMAT
from helix.index.filters import FIELDS, Sql, SqlDialect, Where, to_sql
from helix.index.vector_matrix import LIST_COLUMNS, TEXT_COLUMNS, VectorHit
from helix.index.vector_rows import VectorRows

_TABLE = "chunks"
_FORMAT = f"4.{CHUNK_FORMAT}"
_DELETE_AT_ONCE = 500
_TIDY_AFTER = 20  # files of data; each slows down the next opening
_OVERFETCH = 4
_REFINE = 5  # the index compares 8-bit numbers; the best five times as many are compared exactly
_SQL = SqlDialect(mark="?", list_holds="array_has({column}, {mark})")
_ID_FIELDS = tuple(field for field in FIELDS.values() if field.is_id)
_LANCE_ERRORS = (RuntimeError, ValueError, OSError)


class VectorTable:
    def __init__(self, folder: Path, digest: str, dimensions: int) -> None:
        """Open it, or make it. IndexBroken when it cannot be read or is another model's."""
        self._folder = folder
        self._schema = _schema(digest, dimensions)
        self._dimensions = dimensions
        folder.mkdir(parents=True, exist_ok=True)
        with self._readable():
            self._database = lancedb.connect(folder)
            self._table = self._open()

    def _open(self) -> Table:
        if not (self._folder / f"{_TABLE}.lance").exists():
            return self._database.create_table(_TABLE, schema=self._schema)
        table = self._database.open_table(_TABLE)
        if table.schema.metadata != self._schema.metadata or table.schema != self._schema:
            raise IndexBroken(f"{self._folder} was made by another model or another version of Helix")
        return table

    def count_rows(self) -> int:
        with self._readable():
            return int(self._table.count_rows())

    def hashes(self) -> dict[str, str]:
        with self._readable():
            rows = self._table.search().select(["memory_id", "hash"]).to_arrow()
            return dict(zip(rows["memory_id"].to_pylist(), rows["hash"].to_pylist(), strict=True))

    def contents(self) -> VectorRows:
        with self._readable():
            rows = self._table.to_arrow().sort_by([("memory_id", "ascending"), ("ordinal", "ascending")])
            flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
            firsts = np.flatnonzero(rows["ordinal"].to_numpy() == 0)
            one_each = rows.take(pa.array(firsts))
            filed = {name: one_each[name].to_pylist() for name in (*TEXT_COLUMNS, *LIST_COLUMNS)}
            ids, hashes, created = (one_each[name].to_pylist() for name in ("memory_id", "hash", "created"))
            counts = np.diff(np.append(firsts, rows.num_rows))
            return VectorRows(ids, hashes, created, filed, counts, flat.reshape(-1, self._dimensions))

    def overwrite(self, rows: VectorRows) -> None:
        """All of it again: nothing stays behind of what is not among these."""
        with self._writable():
            data = _to_arrow(rows, self._schema)
            self._table = self._database.create_table(
                _TABLE, data=data, schema=self._schema, mode="overwrite"
            )
            self._clean()

    def change(self, fresh: VectorRows, dropped: Sequence[str]) -> None:
        """For a table too large to be written as a whole."""
        stale = [*dropped, *fresh.ids]
        with self._writable():
            for first in range(0, len(stale), _DELETE_AT_ONCE):
                some = frozenset(stale[first : first + _DELETE_AT_ONCE])
                self._table.delete(_bound(to_sql(Where(among=some), _SQL, id_column="memory_id")))
            if fresh.ids:
                self._table.add(_to_arrow(fresh, self._schema))
            if not list(self._table.list_indices()):
                self._table.create_index("vector", config=IvfSq(distance_type="cosine"))
            if len(list((self._folder / f"{_TABLE}.lance" / "data").iterdir())) > _TIDY_AFTER:
                self._clean()

    def search(
        self, vector: np.ndarray, limit: int, where: Where | None, without: frozenset[str]
    ) -> list[VectorHit]:
        query: Any = self._table.search(vector, vector_column_name="vector")
        query = query.distance_type("cosine").refine_factor(_REFINE).limit(limit * _OVERFETCH + len(without))
        if where is not None:
            query = query.where(_bound(to_sql(where, _SQL, id_column="memory_id")), prefilter=True)
        with self._readable():
            found = query.select(["memory_id", "ordinal", "_distance"]).to_arrow().to_pylist()
        hits: dict[str, VectorHit] = {}
        for row in found:
            memory_id = row["memory_id"]
            if memory_id not in without:
                hits.setdefault(memory_id, VectorHit(memory_id, row["ordinal"], 1.0 - row["_distance"]))
        return list(hits.values())[:limit]

    def _clean(self) -> None:
        # Without the clean-up compaction doubles the disk. Nobody else reads older versions.
        self._table.optimize(cleanup_older_than=timedelta(milliseconds=1))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """LanceDB does not sync its files: after a power cut the newest may be empty, and it fails in many words."""
        try:
            yield
        except _LANCE_ERRORS as error:
            raise IndexBroken(f"the vector index in {self._folder} cannot be read: {error}") from error

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except _LANCE_ERRORS as error:
            raise StorageError(f"the vector index cannot be written: {error}") from error


def discard_table(folder: Path) -> None:
    shutil.rmtree(folder / f"{_TABLE}.lance", ignore_errors=True)


class TableBase:
    """Searched where it lies, when it is too large for memory."""

    def __init__(self, folder: Path, digest: str, dimensions: int) -> None:
        self._table = VectorTable(folder, digest, dimensions)
        self._dimensions = dimensions
        self.rows = self._table.count_rows()
        self._hashes = self._table.hashes()
        self._hidden: frozenset[str] = frozenset()

    @property
    def memories(self) -> int:
        return len(self._hashes)

    def hide(self, memory_id: str) -> bool:
        self._hidden |= {memory_id}
        return self._hashes.pop(memory_id, None) is not None

    def hashes(self) -> dict[str, str]:
        return dict(self._hashes)

    def means(self) -> tuple[list[str], np.ndarray]:
        """None: they would not fit."""
        return [], np.zeros((0, self._dimensions), np.float32)

    def search(self, vector: np.ndarray, limit: int, where: Where | None) -> list[VectorHit]:
        return self._table.search(vector, limit, where, self._hidden)


def _schema(digest: str, dimensions: int) -> pa.Schema:
    return pa.schema(
        [
            ("memory_id", pa.string()),
            ("ordinal", pa.int32()),
            ("hash", pa.string()),
            *((name, pa.string()) for name in (*TEXT_COLUMNS, *(field.name for field in _ID_FIELDS))),
            *((name, pa.list_(pa.string())) for name in LIST_COLUMNS),
            ("created", pa.int64()),
            ("vector", pa.list_(pa.float16(), dimensions)),
        ],
        metadata={"digest": digest, "format": _FORMAT},
    )


def _to_arrow(rows: VectorRows, schema: pa.Schema) -> pa.Table:
    owners = np.repeat(np.arange(len(rows.ids)), rows.counts)
    firsts = np.repeat(np.cumsum(rows.counts) - rows.counts, rows.counts)
    repeated = pa.array(owners)
    columns: dict[str, Any] = {
        "ordinal": pa.array((np.arange(len(owners)) - firsts).astype(np.int32)),
        "vector": pa.FixedSizeListArray.from_arrays(
            pa.array(rows.vectors.ravel()), schema.field("vector").type.list_size
        ),
    }
    values = {"memory_id": rows.ids, "hash": rows.hashes, "created": rows.created, **rows.filed}
    for field in _ID_FIELDS:
        values[field.name] = [field.compared(memory_id) for memory_id in rows.ids]
    for name, column in values.items():
        columns[name] = pa.array(column, schema.field(name).type).take(repeated)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _bound(sql: Sql) -> str:
    """LanceDB takes no parameters, so they are put in their places here, and nowhere else."""
    pieces = sql.text.split(_SQL.mark)
    values = [_literal(value) for value in sql.parameters]
    return "".join(piece + value for piece, value in zip(pieces, (*values, ""), strict=True))


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
