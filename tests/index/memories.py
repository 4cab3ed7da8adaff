"""Memories, and an embedder that needs no model."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

import numpy as np

from helix.errors import EmbeddingFailed
from helix.index.facets import Facets
from helix.index.vector_matrix import VectorEntry
from helix.vault.note import Memory

DIMENSIONS = 16


def memory(body: str = "", **fields: object) -> Memory:
    said: dict[str, object] = {
        "id": "mem_1",
        "title": "A title",
        "kind": "fact",
        "scope": "global",
        "project": None,
        "status": "active",
        "tags": (),
        "edges": {},
        **fields,
    }
    return Memory(body=body, **said)  # type: ignore[arg-type]  # a test says only what it is about


def unit_vectors(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def entry(
    memory_id: str, seed: int, chunks: int = 1, content_hash: str = "", row: Facets | None = None
) -> VectorEntry:
    vectors = unit_vectors(chunks, seed)
    return VectorEntry.of(row or Facets(memory_id), content_hash or f"h{seed}", vectors)


class HashEmbedder:
    """Each text has its own direction; counts what it was asked, and fails or waits when told to."""

    name = "hashes"
    digest = hashlib.sha256(b"hashes").hexdigest()
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.rests = 0
        self.rested = threading.Event()
        self.failures = 0
        self.refuses = ""
        self.refuses_questions = False
        self.gate = threading.Event()
        self.gate.set()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        assert self.gate.wait(10)
        if self.failures > 0 or (self.refuses and any(self.refuses in text for text in texts)):
            self.failures -= 1
            raise EmbeddingFailed("told to fail")
        self.asked += texts
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        if self.refuses_questions:
            raise EmbeddingFailed("told to fail")
        return self._vector(text)

    def rest(self) -> None:
        self.rests += 1
        self.rested.set()

    def _vector(self, text: str) -> np.ndarray:
        row: np.ndarray = unit_vectors(1, int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))[0]
        return row
