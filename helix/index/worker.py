"""The thread that sees to the embedding. A note is never refused because a model is slow or broken: it waits here."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from helix.errors import HelixError
from helix.index.background import usable_cores
from helix.index.chunk import Chunk
from helix.index.embed import Embedder
from helix.index.embed_cache import EmbedCache

if TYPE_CHECKING:
    import numpy as np

FRESH = 0
"""somebody just wrote it and may search for it in a moment"""
BULK = 1

# How many chunks between two looks at the queue: a fresh note waits for no more than these. The model takes its texts
# one by one, so a larger batch gains nothing but work for more cores.
_BATCH = min(max(8, 2 * usable_cores()), 16)
_LONGEST_RETRY = 60.0
_REST_AFTER = 5.0  # seconds without work: before, the next note would need the memory again

OnDone = Callable[[str, Sequence[Chunk], "np.ndarray"], None]


@dataclass(order=False, eq=False)
class _Job:
    memory_id: str
    chunks: Sequence[Chunk]
    priority: int
    position: int
    """in the queue, among those of the same priority"""
    vectors: dict[str, np.ndarray] = field(default_factory=dict)
    is_looked_up: bool = False
    has_failed: bool = False

    @property
    def missing(self) -> list[Chunk]:
        """Without what is there already; a passage that stands in the note twice is embedded once."""
        wanted = {chunk.hash: chunk for chunk in self.chunks if chunk.hash not in self.vectors}
        return list(wanted.values())


class EmbedWorker:
    """One thread. `on_done` is called on it, with one row per chunk, once a memory is complete.

    It may be called for a memory that was withdrawn or replaced a moment ago: it must compare with the catalog, under
    the lock that guards it, before it puts anything into an index.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: EmbedCache,
        on_done: OnDone,
        *,
        clock: Callable[[], float] = time.monotonic,
        first_retry: float = 1.0,
        rest_after: float = _REST_AFTER,
    ) -> None:
        self.last_error: HelixError | None = None
        """why the work stands still; None once it goes on"""
        self._embedder = embedder
        self._cache = cache
        self._on_done = on_done
        self._clock = clock
        self._first_retry = first_retry
        self._retry_after = first_retry
        self._resume_at = 0.0
        self._rest_after = rest_after
        self._has_rested = True
        self._jobs: dict[str, _Job] = {}
        self._queue: list[tuple[int, int, _Job]] = []
        self._positions = count()
        self._changed = threading.Condition()
        self._stopping = False
        self._busy_since = 0.0
        self._finished = 0
        """memories since then"""
        self._thread = threading.Thread(target=self._run, name="helix-embed", daemon=True)
        self._thread.start()

    def submit(self, memory_id: str, chunks: Sequence[Chunk], priority: int = BULK) -> None:
        """Embed these, in the place of what was submitted for the memory before."""
        with self._changed:
            if not self._jobs:
                self._busy_since, self._finished = self._clock(), 0
            self._enqueue(_Job(memory_id, chunks, priority, next(self._positions)))
            self._changed.notify_all()

    def withdraw(self, memory_id: str) -> None:
        """The memory is gone."""
        with self._changed:
            self._jobs.pop(memory_id, None)
            self._changed.notify_all()

    def lag(self) -> int:
        """How many memories are not embedded yet."""
        with self._changed:
            return len(self._jobs)

    def seconds_left(self) -> float | None:
        """At the pace since there was something to do; None before the first is done."""
        with self._changed:
            if not self._finished:
                return None
            return len(self._jobs) * (self._clock() - self._busy_since) / self._finished

    def wait(self, timeout: float) -> bool:
        """Until nothing waits. False when the time was up first."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._jobs, timeout)

    def stop(self) -> None:
        """After the batch in hand. What still waits is found again by comparing the index with the catalog."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join()

    def _enqueue(self, job: _Job) -> None:
        self._jobs[job.memory_id] = job
        heapq.heappush(self._queue, (job.priority, job.position, job))

    def _run(self) -> None:
        while (batch := self._take()) is not None:
            try:
                self._embed(batch)
                self._drop_withdrawn(batch)
                self._finish(batch)
            except HelixError as error:
                self._put_off(batch, error)
            else:
                self.last_error = None
                self._retry_after = self._first_retry

    def _take(self) -> list[_Job] | None:
        """The next jobs, most urgent first, or None when it is time to stop."""
        with self._changed:
            while not self._stopping:
                self._drop_replaced()
                delay = self._resume_at - self._clock()
                if self._queue and delay <= 0:
                    return self._pop_batch()
                if self._queue:
                    self._changed.wait(max(delay, 0.01))
                elif self._has_rested:
                    self._changed.wait()
                elif not self._changed.wait(self._rest_after):
                    self._rest()
            return None

    def _rest(self) -> None:
        """Whoever submits meanwhile does not wait for it."""
        self._has_rested = True
        self._changed.release()
        try:
            self._embedder.rest()
        finally:
            self._changed.acquire()

    def _pop_batch(self) -> list[_Job]:
        batch: list[_Job] = []
        chunks = 0
        while self._queue and chunks < _BATCH:
            job = self._queue[0][2]
            # A fresh job is finished before the bulk behind it is begun, and a text that no model can read is alone.
            if batch and (job.priority != batch[0].priority or job.has_failed or batch[0].has_failed):
                break
            heapq.heappop(self._queue)
            if self._jobs.get(job.memory_id) is job:
                batch.append(job)
                chunks += len(job.missing)
        return batch

    def _drop_replaced(self) -> None:
        while self._queue and self._jobs.get(self._queue[0][2].memory_id) is not self._queue[0][2]:
            heapq.heappop(self._queue)

    def _embed(self, batch: list[_Job]) -> None:
        """As much as fits in one batch; a long note takes several turns and lets fresh ones in between."""
        digest = self._embedder.digest
        unseen = [job for job in batch if not job.is_looked_up]
        if unseen:
            owners = {chunk.hash: job.memory_id for job in unseen for chunk in job.chunks}
            known = self._cache.find(digest, list(owners), owners)
            for job in unseen:
                job.vectors.update(
                    (chunk.hash, known[chunk.hash]) for chunk in job.chunks if chunk.hash in known
                )
                job.is_looked_up = True
        wanted = {chunk.hash: chunk.text for job in batch for chunk in job.missing}
        turn = dict(list(wanted.items())[:_BATCH])
        if not turn:
            return
        self._has_rested = False
        made = dict(zip(turn, self._embedder.embed(list(turn.values())), strict=True))
        owners = {chunk.hash: job.memory_id for job in batch for chunk in job.chunks}
        self._cache.put(digest, made, owners)
        for job in batch:
            job.vectors.update((chunk.hash, made[chunk.hash]) for chunk in job.missing if chunk.hash in made)

    def _drop_withdrawn(self, batch: list[_Job]) -> None:
        """What was erased while the model had it was dropped from the cache before it came there."""
        with self._changed:
            gone = [job.memory_id for job in batch if job.memory_id not in self._jobs]
        if gone:
            self._cache.drop(gone)

    def _finish(self, batch: list[_Job]) -> None:
        import numpy as np

        for job in batch:
            if job.missing:
                with self._changed:
                    if self._jobs.get(job.memory_id) is job:
                        self._enqueue(job)
                continue
            if self._jobs.get(job.memory_id) is not job:
                continue  # a newer state of the memory was submitted, or it is gone
            self._on_done(
                job.memory_id, job.chunks, np.stack([job.vectors[chunk.hash] for chunk in job.chunks])
            )
            with self._changed:
                if self._jobs.get(job.memory_id) is job:
                    del self._jobs[job.memory_id]
                    self._finished += 1
                self._changed.notify_all()

    def _put_off(self, batch: list[_Job], error: HelixError) -> None:
        """To the end of the queue: a text that no model can read must not hold up the others."""
        with self._changed:
            self.last_error = error
            self._resume_at = self._clock() + self._retry_after
            self._retry_after = min(self._retry_after * 2, _LONGEST_RETRY)
            for job in batch:
                if self._jobs.get(job.memory_id) is job:
                    job.has_failed = True
                    job.position = next(self._positions)
                    self._enqueue(job)
