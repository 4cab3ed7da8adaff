"""Vectors in memory, compared exactly. Rows of one memory come and go together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from helix.index.column_masks import NO_TIME, among_codes, to_mask
from helix.index.filters import ALL_FIELDS, HasFacets, Where, filed, to_condition, to_micros

TEXT_COLUMNS = tuple(field.name for field in ALL_FIELDS if not field.is_list and not field.is_id)
LIST_COLUMNS = tuple(field.name for field in ALL_FIELDS if field.is_list)

_FIRST_ROWS = 1_024
_GATHER_SHARE = 4  # gathering a quarter of the rows or fewer is faster than comparing all of them
_CHUNKS_PER_MEMORY = 4  # looked at first; more when a few long memories fill the top


@dataclass(frozen=True)
class VectorHit:
    memory_id: str
    ordinal: int
    score: float
    """cosine, 1 is the same direction"""


@dataclass(frozen=True)
class VectorEntry:
    """One memory as the vector index keeps it: all its chunks, and what can be filtered by."""

    memory_id: str
    hash: str
    """of the state that was embedded, for comparing with the catalog"""
    vectors: np.ndarray
    """one row per chunk, in the order of their ordinals"""
    filed: Mapping[str, str | Sequence[str]]
    """as `where.filed` gives it"""
    created: int | None = None
    """as `where.to_micros` gives it"""

    @classmethod
    def of(cls, row: HasFacets, content_hash: str, vectors: np.ndarray) -> VectorEntry:
        created = None if row.created is None else to_micros(row.created)
        return cls(row.id, content_hash, vectors, filed(row), created)


class Matrix:
    """Not for several threads at once: its owner has the lock."""

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self._vectors = np.zeros((_FIRST_ROWS, dimensions), np.float32)
        self._columns = {name: np.zeros(_FIRST_ROWS, np.int32) for name in ("ordinal", *TEXT_COLUMNS)}
        self._columns["created"] = np.zeros(_FIRST_ROWS, np.int64)
        self._codes: dict[str, dict[str, int]] = {name: {} for name in TEXT_COLUMNS}
        self._owners: list[str] = []
        self._rows: dict[str, list[int]] = {}
        self._listed: dict[str, list[tuple[str, str]]] = {}
        """by memory, the values of its lists with the name of the list"""
        self._listing: dict[tuple[str, str], set[str]] = {}

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._rows

    def put(self, entries: Iterable[VectorEntry]) -> None:
        """Each entry in the place of all rows that its memory had."""
        for entry in entries:
            self.drop(entry.memory_id)
            count = len(entry.vectors)
            self.extend(
                [entry.memory_id] * count,
                np.arange(count),
                {name: [entry.filed[name]] * count for name in (*TEXT_COLUMNS, *LIST_COLUMNS)},
                [entry.created] * count,
                entry.vectors,
            )

    def means(self) -> tuple[list[str], np.ndarray]:
        """One vector for each memory: the mean of its chunks, of length one."""
        ids = list(self._rows)
        if not ids:
            return [], np.zeros((0, self._vectors.shape[1]), np.float32)
        rows = [row for memory_id in ids for row in self._rows[memory_id]]
        starts = np.cumsum([0, *(len(self._rows[memory_id]) for memory_id in ids[:-1])])
        sums = np.add.reduceat(self._vectors[rows], starts, axis=0)
        return ids, sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)

    def extend(
        self,
        owners: Sequence[str],
        ordinals: np.ndarray,
        filed: Mapping[str, Sequence[str | Sequence[str]]],
        created: Sequence[int | None],
        vectors: np.ndarray,
    ) -> None:
        """Rows of memories that have none yet. `filed` has a column for each field, `created` may be unknown."""
        first, last = self.count, self.count + len(owners)
        self._make_room(last)
        self._vectors[first:last] = vectors
        self._columns["ordinal"][first:last] = ordinals
        self._columns["created"][first:last] = [NO_TIME if moment is None else moment for moment in created]
        for name in TEXT_COLUMNS:
            codes = self._codes[name]
            self._columns[name][first:last] = [
                codes.setdefault(str(value), len(codes)) for value in filed[name]
            ]
        for row, owner in enumerate(owners, first):
            rows = self._rows.setdefault(owner, [])
            rows.append(row)
            if len(rows) == 1:
                self._list(owner, {name: filed[name][row - first] for name in LIST_COLUMNS})
        self._owners.extend(owners)
        self.count = last

    def _list(self, memory_id: str, lists: Mapping[str, Sequence[str]]) -> None:
        keys = [(name, value) for name, values in lists.items() for value in values]
        if keys:
            self._listed[memory_id] = keys
        for key in keys:
            self._listing.setdefault(key, set()).add(memory_id)

    def drop(self, memory_id: str) -> None:
        for key in self._listed.pop(memory_id, ()):
            self._listing[key].discard(memory_id)
        # From the end, so that a row that fills a hole is never one that is about to go itself.
        for row in sorted(self._rows.pop(memory_id, ()), reverse=True):
            last = self.count - 1
            if row != last:
                self._vectors[row] = self._vectors[last]
                for column in self._columns.values():
                    column[row] = column[last]
                moved = self._owners[last]
                self._owners[row] = moved
                rows = self._rows[moved]
                rows[rows.index(last)] = row
            self._owners.pop()
            self.count = last

    def search(self, vector: np.ndarray, limit: int, where: Where | None) -> list[VectorHit]:
        """The best chunk of each of the best memories."""
        rows = None if where is None else np.flatnonzero(to_mask(to_condition(where), self))
        if self.count == 0 or limit < 1 or (rows is not None and len(rows) == 0):
            return []
        vectors = self._vectors[: self.count]
        # einsum stays on this thread. The threads of a BLAS wait for each other: with a busy core (the embedding
        # of new notes) a search of 10,000 rows takes 20 ms instead of 1.3.
        if rows is None:
            scores = np.einsum("ij,j->i", vectors, vector)
        elif len(rows) * _GATHER_SHARE <= self.count:
            scores = np.einsum("ij,j->i", vectors[rows], vector)
        else:
            scores = np.einsum("ij,j->i", vectors, vector)[rows]
        return self._best(scores, rows, limit)

    def _best(self, scores: np.ndarray, rows: np.ndarray | None, limit: int) -> list[VectorHit]:
        look_at = limit * _CHUNKS_PER_MEMORY
        while True:
            look_at = min(look_at, len(scores))
            top = np.argpartition(scores, -look_at)[-look_at:]
            order = top[np.argsort(-scores[top], kind="stable")]
            nearest: dict[str, tuple[float, int]] = {}  # the best row of each memory
            at = order if rows is None else rows[order]
            for score, row in zip(scores[order].tolist(), at.tolist(), strict=True):
                nearest.setdefault(self._owners[row], (score, row))
            if len(nearest) >= limit or look_at == len(scores):
                # Equal scores in the order of ids: where a row stands in memory is an accident.
                ordered = sorted((-score, owner, row) for owner, (score, row) in nearest.items())
                ordinals = self._columns["ordinal"]
                return [VectorHit(owner, int(ordinals[row]), -score) for score, owner, row in ordered[:limit]]
            look_at *= 4

    # Columns

    def created(self) -> np.ndarray:
        return self._columns["created"][: self.count]

    def ids(self) -> Iterable[str]:
        return self._rows

    def is_any(self, column: str, values: Collection[str]) -> np.ndarray:
        return among_codes(self._columns[column][: self.count], map(self._codes[column].get, values))

    def lists_any(self, column: str, values: Collection[str]) -> np.ndarray:
        owners = [self._listing.get((column, value), ()) for value in values]
        return self.owned_by([memory_id for some in owners for memory_id in some])

    def owned_by(self, memory_ids: Collection[str]) -> np.ndarray:
        mask = np.zeros(self.count, bool)
        mask[[row for memory_id in memory_ids for row in self._rows.get(memory_id, ())]] = True
        return mask

    def _make_room(self, rows: int) -> None:
        have = len(self._vectors)
        if rows <= have:
            return
        room = max(rows, have * 3 // 2)
        grown = np.zeros((room, self._vectors.shape[1]), np.float32)
        grown[: self.count] = self._vectors[: self.count]
        self._vectors = grown
        for name, column in self._columns.items():
            self._columns[name] = np.concatenate((column, np.zeros(room - have, column.dtype)))
