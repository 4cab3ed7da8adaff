"""Search in a serving file: a quick pass over rough vectors, and an exact look at all that may be among the best."""

from __future__ import annotations

import bisect
import math
from collections.abc import Collection, Iterator
from typing import Protocol

import numkong
import numpy as np

from helix.index.column_masks import among_codes, to_mask
from helix.index.filters import Where, to_condition
from helix.index.vector_file import VectorFile, roughly
from helix.index.vector_matrix import LIST_COLUMNS, TEXT_COLUMNS, VectorHit

_GATHER_SHARE = 4  # gathering a quarter of the rows or fewer is faster than comparing all of them
_CHUNKS_PER_MEMORY = 4  # looked at first; more when a few long memories fill the top
_PORTION = 4_096  # exact vectors that are read at a time
# How far a rough score may be off, in steps of a byte: each number of a vector is off by half a step at most, one way
# or the other, which adds up to a step's third (its standard deviation). Two steps for the row and two for the question
# are seven times that; what is off in the one does not depend on the other, so that their squares add up.
_STEPS_OFF = 2.0


class VectorBase(Protocol):
    """What lies on disk and is searched, without what was put or dropped since."""

    @property
    def rows(self) -> int: ...
    @property
    def memories(self) -> int:
        """Those that were not hidden."""

    def hide(self, memory_id: str) -> bool:
        """It is found no more: something newer is known of it. False when it is not here."""

    def hashes(self) -> dict[str, str]: ...
    def means(self) -> tuple[list[str], np.ndarray]: ...
    def search(self, vector: np.ndarray, limit: int, where: Where | None) -> list[VectorHit]: ...


class NothingYet:
    """Before the first flush."""

    rows = memories = 0

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions

    def hide(self, memory_id: str) -> bool:
        return False

    def hashes(self) -> dict[str, str]:
        return {}

    def means(self) -> tuple[list[str], np.ndarray]:
        return [], np.zeros((0, self._dimensions), np.float32)

    def search(self, vector: np.ndarray, limit: int, where: Where | None) -> list[VectorHit]:
        return []


class VectorSnapshot:
    """Threads may search it while its owner, under a lock, hides memories."""

    def __init__(self, file: VectorFile) -> None:
        self._file = file
        self.rows = file.rows
        self.memories = file.memories
        self.count = file.memories
        self._rough = file.mapped("rough", np.int8).reshape(-1, file.dimensions)
        self._scales = file.mapped("scales", np.float32)
        self._coarsest = float(self._scales.max(initial=0.0))
        self._starts = file.mapped("starts", np.int64)
        self._blob, self._ends = file.mapped("ids", np.uint8), file.mapped("ids_ends", np.int64)
        self._created = file.mapped("created", np.int64)
        self._columns = {name: file.mapped(name, np.int32) for name in (*TEXT_COLUMNS, *LIST_COLUMNS)}
        self._list_ends = {name: file.mapped(f"{name}_ends", np.int64) for name in LIST_COLUMNS}
        self._codes = {
            name: {text: code for code, text in enumerate(texts)} for name, texts in file.words().items()
        }
        # To find a memory by its id without an object for each of them. Who asks for two ids of one number would get
        # the other memory too; among 100,000 that happens once in a billion starts, and Python draws the numbers anew.
        numbers = np.fromiter(map(hash, self.ids()), np.int64, self.count)
        self._by_number = np.argsort(numbers, kind="stable").astype(np.int32)
        self._numbers = numbers[self._by_number]
        self._visible = np.ones(self.count, bool)

    # What it holds

    def ids(self) -> Iterator[str]:
        return self._file.texts("ids")

    def hashes(self) -> dict[str, str]:
        both = zip(self.ids(), self._file.texts("hashes"), self._visible.tolist(), strict=True)
        return {memory_id: content_hash for memory_id, content_hash, is_visible in both if is_visible}

    def means(self) -> tuple[list[str], np.ndarray]:
        """One vector for each memory: the mean of its chunks, of length one."""
        visible = np.flatnonzero(self._visible)
        means = np.empty((len(visible), self._file.dimensions), np.float32)
        for first in range(0, len(visible), _PORTION):
            some = visible[first : first + _PORTION]
            counts = self._starts[some + 1] - self._starts[some]
            before = np.cumsum(counts) - counts
            rows = np.arange(counts.sum()) + np.repeat(self._starts[some] - before, counts)
            sums = np.add.reduceat(self._file.exact(rows.tolist()), before, axis=0)
            means[first : first + _PORTION] = sums / np.maximum(
                np.linalg.norm(sums, axis=1, keepdims=True), 1e-9
            )
        ids = list(self.ids())
        return [ids[at] for at in visible.tolist()], means

    def hide(self, memory_id: str) -> bool:
        at = self._place(memory_id)
        if at is None or not self._visible[at]:
            return False
        # Another array each time: a search that is under way keeps the one that it began with.
        self._visible = self._visible.copy()
        self._visible[at] = False
        self.memories -= 1
        return True

    # Search

    def search(self, vector: np.ndarray, limit: int, where: Where | None) -> list[VectorHit]:
        """The best chunk of each of the best memories, as if all had been compared exactly."""
        visible = self._visible
        mask = None if visible.all() else visible
        if where is not None:
            mask = to_mask(to_condition(where), self) & visible
        rows = None if mask is None or mask.all() else self._rows_of(mask)
        if self.rows == 0 or limit < 1 or (rows is not None and len(rows) == 0):
            return []
        [scale], question = roughly(vector[None, :])
        rough = self._compare(question, rows) * np.float32(scale)
        # The best memories by rough scores, exactly: who is further below the last of them than a rough score may be
        # off is not among the best.
        near = self._nearest(rough, rows, limit)
        scores = self._scores(near if rows is None else rows[near], vector)
        margin = _STEPS_OFF * math.hypot(self._coarsest, float(scale))
        may_be = rough >= scores.min() - margin
        may_be[near] = False
        rest = np.flatnonzero(may_be)
        found = np.concatenate((near, rest))
        scores = np.concatenate((scores, self._scores(rest if rows is None else rows[rest], vector)))
        return self._best(found if rows is None else rows[found], scores, limit)

    def _rows_of(self, mask: np.ndarray) -> np.ndarray:
        has_one_each = self.rows == self.count
        return np.flatnonzero(mask if has_one_each else np.repeat(mask, np.diff(self._starts)))

    def _compare(self, question: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        if rows is not None and len(rows) * _GATHER_SHARE <= self.rows:
            some: np.ndarray = _dots(self._rough[rows], question) * self._scales[rows]
            return some
        scores: np.ndarray = _dots(self._rough, question) * self._scales
        return scores if rows is None else scores[rows]

    def _nearest(self, scores: np.ndarray, rows: np.ndarray | None, limit: int) -> np.ndarray:
        """Where the best score of each of the best memories stands, in order."""
        look_at = limit * _CHUNKS_PER_MEMORY
        while True:
            look_at = min(look_at, len(scores))
            top = np.argpartition(scores, -look_at)[-look_at:]
            top = top[np.argsort(-scores[top])]
            _, firsts = np.unique(self._owners(top if rows is None else rows[top]), return_index=True)
            if len(firsts) >= limit or look_at == len(scores):
                return np.sort(top[np.sort(firsts)[:limit]])
            look_at *= 4

    def _scores(self, rows: np.ndarray, vector: np.ndarray) -> np.ndarray:
        # einsum stays on this thread; the threads of a BLAS wait for each other.
        portions = [rows[first : first + _PORTION].tolist() for first in range(0, len(rows), _PORTION)]
        exact = [np.einsum("ij,j->i", self._file.exact(portion), vector) for portion in portions]
        return np.concatenate(exact) if exact else np.zeros(0, np.float32)

    def _best(self, rows: np.ndarray, scores: np.ndarray, limit: int) -> list[VectorHit]:
        # The best of each memory comes first. Equal scores in the order of ids, which is that of their places.
        order = np.lexsort((rows, -scores))
        owners = self._owners(rows[order])
        chosen = order[np.sort(np.unique(owners, return_index=True)[1])[:limit]]
        owners = self._owners(rows[chosen])
        ordinals = rows[chosen] - self._starts[owners]
        return list(map(VectorHit, self._ids(owners), ordinals.tolist(), scores[chosen].tolist()))

    def _owners(self, rows: np.ndarray) -> np.ndarray:
        owners: np.ndarray = np.searchsorted(self._starts, rows, side="right") - 1
        return owners

    # Columns

    def created(self) -> np.ndarray:
        return self._created

    def is_any(self, column: str, values: Collection[str]) -> np.ndarray:
        return among_codes(self._columns[column], map(self._codes[column].get, values))

    def lists_any(self, column: str, values: Collection[str]) -> np.ndarray:
        held = np.flatnonzero(among_codes(self._columns[column], map(self._codes[column].get, values)))
        mask = np.zeros(self.count, bool)
        mask[np.searchsorted(self._list_ends[column], held, side="right")] = True
        return mask

    def owned_by(self, memory_ids: Collection[str]) -> np.ndarray:
        mask = np.zeros(self.count, bool)
        if self.count:
            wanted = np.fromiter(map(hash, memory_ids), np.int64, len(memory_ids))
            places = np.minimum(np.searchsorted(self._numbers, wanted), self.count - 1)
            mask[self._by_number[places[self._numbers[places] == wanted]]] = True
        return mask

    def _place(self, memory_id: str) -> int | None:
        number = hash(memory_id)
        at = bisect.bisect_left(self._numbers, number)
        while at < self.count and self._numbers[at] == number:
            if self._ids(self._by_number[at : at + 1]) == [memory_id]:
                return int(self._by_number[at])
            at += 1
        return None

    def _ids(self, places: np.ndarray) -> list[str]:
        lasts = self._ends[places]
        firsts = np.where(places > 0, self._ends[places - 1], 0)
        each = zip(firsts.tolist(), lasts.tolist(), strict=True)
        return [self._blob[first:last].tobytes().decode() for first, last in each]


def _dots(rows: np.ndarray, question: np.ndarray) -> np.ndarray:
    return np.asarray(numkong.cdist(rows, question, metric="dot"), np.float32).ravel()
