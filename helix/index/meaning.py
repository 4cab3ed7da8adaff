"""Search by meaning with one model: its vectors, wherever they are kept, and the worker that makes them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from helix.errors import HelixError
from helix.index.chunk import Chunk, chunks
from helix.index.embed import Embedder
from helix.index.embed_cache import EmbedCache
from helix.index.facets import facets_of
from helix.index.filters import Where
from helix.index.vector_matrix import VectorEntry, VectorHit
from helix.index.worker import EmbedWorker
from helix.vault.note import Memory, Note

if TYPE_CHECKING:
    import numpy as np


class VectorStore(Protocol):
    """The vectors of one model, those of a memory together."""

    trouble: HelixError | None
    """why what was put does not last; it is tried again"""

    @property
    def version(self) -> int:
        """Another number after every put and drop."""

    def put(self, entries: Sequence[VectorEntry]) -> None:
        """Each entry in the place of all that its memory had here. Searchable when this returns."""

    def drop(self, memory_ids: Sequence[str]) -> None: ...

    def search(self, vector: np.ndarray, limit: int, where: Where | None = None) -> list[VectorHit]:
        """The nearest memories by cosine, each with its best chunk; `vector` is normalized."""

    def means(self) -> tuple[list[str], np.ndarray]:
        """One vector of length one for each memory."""

    def hashes(self) -> Mapping[str, str]:
        """The hash that each memory was put with."""

    def exists(self) -> bool:
        """Whether what it keeps them in is still there."""

    def tend(self) -> None:
        """What is done when it is quiet."""

    def purge(self) -> None:
        """Leave nothing of dropped memories anywhere."""

    def close(self) -> None: ...

    def discard(self) -> None:
        """Close it, and leave nothing of it."""


class Meaning:
    def __init__(self, embedder: Embedder, cache: EmbedCache, vectors: VectorStore) -> None:
        self.embedder = embedder
        self.vectors = vectors
        self._waiting: dict[str, tuple[VectorEntry, list[str]]] = {}
        """entries that wait for their vectors, with the hashes of the chunks those belong to"""
        self._lock = threading.Lock()
        self._worker = EmbedWorker(embedder, cache, self._embedded)

    def put(self, note: Note, priority: int) -> None:
        pieces = chunks(note.memory)
        with self._lock:
            self._waiting[note.id] = (to_entry(note.memory, note.hash), [piece.hash for piece in pieces])
        self._worker.submit(note.id, pieces, priority)

    def drop(self, memory_ids: Sequence[str]) -> None:
        with self._lock:
            for memory_id in memory_ids:
                self._waiting.pop(memory_id, None)
            self.vectors.drop(memory_ids)
        for memory_id in memory_ids:
            self._worker.withdraw(memory_id)

    def search(self, text: str, limit: int, where: Where) -> list[VectorHit]:
        return self.vectors.search(self.embedder.embed_query(text), limit, where)

    def lag(self) -> int:
        return self._worker.lag()

    def seconds_left(self) -> float | None:
        return self._worker.seconds_left()

    def trouble(self) -> HelixError | None:
        """Why the embedding stands still, or why its vectors do not reach the disk; None while all goes on."""
        return self._worker.last_error or self.vectors.trouble

    def wait(self, timeout: float) -> bool:
        return self._worker.wait(timeout)

    def close(self) -> None:
        self._worker.stop()
        self.vectors.close()

    def discard(self) -> None:
        """Another model has taken over."""
        self._worker.stop()
        self.vectors.discard()

    def _embedded(self, memory_id: str, pieces: Sequence[Chunk], vectors: np.ndarray) -> None:
        with self._lock:
            entry, wanted = self._waiting.get(memory_id, (None, []))
            # Meanwhile the memory may have been dropped, or say something else.
            if entry is None or wanted != [piece.hash for piece in pieces]:
                return
            del self._waiting[memory_id]
            self.vectors.put([replace(entry, vectors=vectors)])


def to_entry(memory: Memory, content_hash: str) -> VectorEntry:
    """All that the vector index keeps of a memory, but for the vectors."""
    import numpy as np

    return VectorEntry.of(facets_of(memory), content_hash, np.zeros((0, 0), np.float32))
