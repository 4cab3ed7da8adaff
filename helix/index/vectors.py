"""The vector index of one model: a serving file that is searched in place, and in memory what came since.

A put is searchable at once and reaches the disk with one of the next flushes, by another process (`vector_writer`).
Until then a crash, or an ordinary end, loses nothing but time: `hashes` tells which memories have to be put again, and
the embedding cache still has their vectors.
"""

from __future__ import annotations

import copy
import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from helix.errors import HelixError, IndexBroken, StorageError
from helix.index.filters import Where
from helix.index.vector_file import FILE_NAME, UnusableFile, VectorFile
from helix.index.vector_matrix import Matrix, VectorEntry, VectorHit
from helix.index.vector_rows import VectorRows
from helix.index.vector_snapshot import NothingYet, VectorBase, VectorSnapshot
from helix.index.vector_writer import TABLE_FOLDER, RunJob, WriteJob, WriterProcess

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

# 80 MB of memory at 384 dimensions. Beyond it the table itself is searched, through an index.
RESIDENT_ROWS = 200_000

# A flush takes two seconds of the processor and writes everything again, so it waits until it is worth it. What waits
# costs a start a millisecond a memory.
_MANY, _MANY_SHARE = 1_000, 8  # rows, and which part of all: at once
_SOME, _SOME_SHARE = 100, 100  # when it is quiet, and at the end
_QUIET = 60.0  # seconds without a change
_LONG = 3_600.0  # seconds after which a few rows are written too
_RETRY, _LONGEST_RETRY = 60.0, 3_600.0


def vectors_folder(state: Path, digest: str) -> Path:
    """One folder per model: a second model is built beside the first, which serves until it is complete."""
    return state / f"vectors-{digest[:12]}"


class Vectors:
    def __init__(
        self,
        folder: Path,
        digest: str,
        dimensions: int,
        *,
        resident_rows: int = RESIDENT_ROWS,
        run: RunJob | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open or make the index. IndexBroken: set the folder aside and put everything again."""
        self._folder = folder
        self._digest = digest
        self._dimensions = dimensions
        self._resident_rows = resident_rows
        self._writer = WriterProcess()
        self._run = run or self._writer
        self._clock = clock
        self._memory = threading.RLock()  # base, delta, pending: held for milliseconds
        self._disk = threading.RLock()  # the files: held while they are written; taken first when both are
        self._pending: dict[str, VectorEntry | None] = {}
        self._pending_rows = 0
        self._pending_since = self._changed_at = clock()
        self._retry_at, self._retry_after = 0.0, _RETRY
        self.trouble: HelixError | None = None
        """why what is pending could not be written; it is tried again"""
        self.version = 0
        """another number after every put and drop"""
        folder.mkdir(parents=True, exist_ok=True)
        self._delta = Matrix(dimensions)
        self._base = self._open_base()

    def put(self, entries: Sequence[VectorEntry]) -> None:
        """Each entry in the place of all that its memory had here. Searchable when this returns."""
        import numpy as np

        with self._memory:
            for entry in entries:
                if (
                    entry.vectors.ndim != 2
                    or entry.vectors.shape[1] != self._dimensions
                    or not len(entry.vectors)
                ):
                    raise ValueError(
                        f"vectors of shape {entry.vectors.shape} for {self._dimensions} dimensions"
                    )
                # As the disk keeps them, so that a search answers the same before and after a restart.
                kept = replace(entry, vectors=entry.vectors.astype(np.float16))
                self._delta.put([kept])
                self._base.hide(entry.memory_id)
                self._change(entry.memory_id, kept)

    def drop(self, memory_ids: Sequence[str]) -> None:
        with self._memory:
            for memory_id in memory_ids:
                self._delta.drop(memory_id)
                if self._base.hide(memory_id) or memory_id in self._pending:
                    self._change(memory_id, None)

    def _change(self, memory_id: str, entry: VectorEntry | None) -> None:
        self._changed_at = self._clock()
        if not self._pending:
            self._pending_since = self._changed_at
        if memory_id in self._pending:
            self._pending_rows -= _size(self._pending[memory_id])
        self._pending_rows += _size(entry)
        self._pending[memory_id] = entry
        self.version += 1

    def search(self, vector: np.ndarray, limit: int, where: Where | None = None) -> list[VectorHit]:
        """The nearest memories by cosine, each with its best chunk; `vector` is normalized."""
        with self._memory:
            fresh = self._delta.search(vector, limit, where)
            base = copy.copy(self._base)
        stored = base.search(vector, limit, where)
        return sorted((*fresh, *stored), key=lambda hit: (-hit.score, hit.memory_id))[:limit]

    def means(self) -> tuple[list[str], np.ndarray]:
        """One vector for each memory, as far as they are in memory: of a vault too large for that the latest writes."""
        import numpy as np

        with self._memory:
            fresh, base = self._delta.means(), copy.copy(self._base)
        stored = base.means()
        return [*stored[0], *fresh[0]], np.concatenate([stored[1], fresh[1]])

    def hashes(self) -> dict[str, str]:
        """The hash that each memory was put with. After a crash: compare with the catalog, put what differs."""
        with self._memory:
            fresh = {entry.memory_id: entry.hash for entry in self._pending.values() if entry is not None}
            return self._base.hashes() | fresh

    def count(self) -> int:
        """Memories, not chunks."""
        with self._memory:
            return self._base.memories + sum(entry is not None for entry in self._pending.values())

    def pending(self) -> int:
        with self._memory:
            return len(self._pending)

    # To the disk

    def tend(self) -> None:
        """Flush when it is worth it. Takes seconds: off the request path. `trouble` tells when it failed."""
        if self._is_due() and self._clock() >= self._retry_at:
            try:
                self.flush()
            except HelixError as error:  # a full disk, most likely: what is pending stays so, and searchable
                log.exception("the vector index cannot be written; trying again")
                self.trouble = error
                self._retry_at = self._clock() + self._retry_after
                self._retry_after = min(self._retry_after * 2, _LONGEST_RETRY)

    def _is_due(self) -> bool:
        with self._memory:
            if self._pending_rows >= max(_MANY, self._base.rows // _MANY_SHARE):
                return True
            now = self._clock()
            if not self._pending or now - self._changed_at < _QUIET:
                return False
            return self._is_worth_it() or now - self._pending_since >= _LONG

    def _is_worth_it(self) -> bool:
        return self._pending_rows >= max(_SOME, self._base.rows // _SOME_SHARE)

    def flush(self) -> None:
        """Write what is pending. If it cannot be written it stays pending and searchable."""
        with self._disk:
            if self._pending:
                self._write(is_purge=False)

    def purge(self) -> None:
        """Leave nothing of dropped memories in any file."""
        with self._disk:
            if self._pending or self._base.rows or self._has_table():
                self._write(is_purge=True)

    def close(self) -> None:
        """A handful that is pending comes from the cache at the next start, which takes less time than to write it."""
        if self._writer.close() and self._is_worth_it():
            try:
                self.flush()
            except HelixError:
                log.exception(
                    "the vector index cannot be written; its vectors are taken from the cache next time"
                )

    def exists(self) -> bool:
        return self._folder.exists()

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self, *, is_purge: bool) -> None:
        with self._memory:
            batch, count = dict(self._pending), self.count()
        fresh = [entry for entry in batch.values() if entry is not None]
        dropped = [memory_id for memory_id, entry in batch.items() if entry is None]
        self._run(self._job(dropped, is_purge=is_purge), VectorRows.of(fresh, self._dimensions))
        base = self._open_base()
        if base.memories != count:
            self._drop_unknown(base, batch)
        with self._memory:
            for memory_id, entry in batch.items():
                if self._pending[memory_id] is entry:  # else it was put or dropped meanwhile
                    self._delta.drop(memory_id)
                    del self._pending[memory_id]
            for memory_id in self._pending:
                base.hide(memory_id)
            self._base = base
            self._pending_rows = sum(map(_size, self._pending.values()))
        self.trouble, self._retry_at, self._retry_after = None, 0.0, _RETRY

    def _job(self, dropped: list[str], *, is_purge: bool) -> WriteJob:
        folder = str(self._folder)
        return WriteJob(folder, self._digest, self._dimensions, self._resident_rows, dropped, is_purge)

    def _drop_unknown(self, base: VectorBase, batch: dict[str, VectorEntry | None]) -> None:
        """The process of a daemon that was killed may have written something that we never heard of."""
        written = base.hashes().keys()
        with self._memory:
            known = self._base.hashes().keys() | batch.keys()
            gone = {memory_id for memory_id, entry in batch.items() if entry is None}
            # What was hidden meanwhile is pending again.
            if lost := known - gone - written - self._pending.keys():
                raise StorageError(f"{len(lost)} memories are missing from the vector index that was written")
            for memory_id in written - known - self._pending.keys():
                self._change(memory_id, None)

    def _open_base(self) -> VectorBase:
        try:
            return self._map()
        except UnusableFile as error:
            if not self._has_table():
                return NothingYet(self._dimensions)
            log.warning("the serving file of the vectors is made again: %s", error)
        self._run(self._job([], is_purge=False), VectorRows.of([], self._dimensions))
        try:
            return self._map()
        except UnusableFile as error:
            raise IndexBroken(f"the vector index in {self._folder} cannot be read: {error}") from error

    def _map(self) -> VectorBase:
        file = VectorFile(self._folder / FILE_NAME, self._digest, self._dimensions)
        if file.is_resident:
            if file.rows > self._resident_rows:
                raise UnusableFile("it holds more than may be in memory")
            return VectorSnapshot(file)
        from helix.index.vector_table import TableBase

        return TableBase(self._folder, self._digest, self._dimensions)

    def _has_table(self) -> bool:
        return (self._folder / TABLE_FOLDER).exists()


def _size(entry: VectorEntry | None) -> int:
    return 1 if entry is None else len(entry.vectors)
