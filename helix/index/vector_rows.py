"""Many memories with their vectors: what the table, its writer and the serving file hand each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from helix.index.vector_matrix import LIST_COLUMNS, TEXT_COLUMNS, VectorEntry


@dataclass(frozen=True)
class VectorRows:
    """In the order of the ids; the vectors of a memory stand together, in the order of their ordinals."""

    ids: Sequence[str]
    hashes: Sequence[str]
    created: Sequence[int | None]
    filed: dict[str, Sequence[Any]]
    """by the name of each column a value for each memory: a text, or a list of texts"""
    counts: np.ndarray
    """how many vectors each memory has"""
    vectors: np.ndarray
    """as float16"""

    @classmethod
    def of(cls, entries: Collection[VectorEntry], dimensions: int) -> VectorRows:
        ordered = sorted(entries, key=lambda entry: entry.memory_id)
        none = np.zeros((0, dimensions), np.float16)
        return cls(
            [entry.memory_id for entry in ordered],
            [entry.hash for entry in ordered],
            [entry.created for entry in ordered],
            {name: [entry.filed[name] for entry in ordered] for name in (*TEXT_COLUMNS, *LIST_COLUMNS)},
            np.array([len(entry.vectors) for entry in ordered], np.int64),
            np.concatenate([none, *(entry.vectors.astype(np.float16) for entry in ordered)]),
        )

    def merged(self, fresh: VectorRows, dropped: Collection[str]) -> VectorRows:
        """These without what was dropped, and with the fresh ones in the place of what their memories had."""
        gone = {*dropped, *fresh.ids}
        kept = [(memory_id, at) for at, memory_id in enumerate(self.ids) if memory_id not in gone]
        # The fresh ones are numbered on behind these.
        picked = sorted([*kept, *((memory_id, at) for at, memory_id in enumerate(fresh.ids, len(self.ids)))])
        order = [at for _, at in picked]

        def in_order(ours: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
            both = [*ours, *theirs]
            return [both[at] for at in order]

        counts = np.concatenate([self.counts, fresh.counts])
        return VectorRows(
            [memory_id for memory_id, _ in picked],
            in_order(self.hashes, fresh.hashes),
            in_order(self.created, fresh.created),
            {name: in_order(column, fresh.filed[name]) for name, column in self.filed.items()},
            counts[order],
            np.concatenate([self.vectors, fresh.vectors])[_rows_of(counts, order)],
        )


def _rows_of(counts: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """The rows of these memories, one memory after the other."""
    wanted = counts[order]
    starts = (np.cumsum(counts) - counts)[order]
    shift: np.ndarray = starts - (np.cumsum(wanted) - wanted)
    rows: np.ndarray = np.arange(wanted.sum()) + np.repeat(shift, wanted)
    return rows
