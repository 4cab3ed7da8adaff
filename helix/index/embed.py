"""Texts in, vectors out, with the model that the settings name."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from helix.errors import EmbeddingFailed, ModelError
from helix.index.background import Background, usable_cores
from helix.index.encoder import Encoder, network_errors
from helix.index.models import BUNDLED, NONE, Model, get_model
from helix.index.query_cache import QueryCache
from helix.index.unit_rows import unit_rows

if TYPE_CHECKING:
    import numpy as np

WORDS_BY_CHOICE = "the setting `model` is `none`: search is by words only"
"""no trouble: the owner of the vault wants it so"""


class Embedder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str:
        """Names model, weights and tokenizer: vectors of two digests are never compared."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One normalized float32 row per text, in their order. In the background: nobody waits for it."""

    def embed_query(self, text: str) -> np.ndarray:
        """At once, on the thread that asks. The vector is shared and cannot be written to."""

    def rest(self) -> None:
        """There is nothing more to embed for now: give back the memory that only that needed."""


@dataclass(frozen=True)
class EmbedderChoice:
    embedder: Embedder | None
    reason: str
    """why there is none, in plain words; empty when there is one"""


def find_embedder(choice: str, models_dir: Path, threads: int = 0) -> EmbedderChoice:
    """The embedder that the settings name. Helix works without one: search is by words then."""
    if choice == NONE:
        return EmbedderChoice(None, WORDS_BY_CHOICE)
    needed = "onnxruntime" if choice == BUNDLED else "fastembed"
    if importlib.util.find_spec(needed) is None:
        return EmbedderChoice(None, f"the package {needed} is not installed: search is by words only")
    try:
        model = get_model(choice, models_dir)
    except ModelError as error:
        return EmbedderChoice(None, error.message)
    if choice == BUNDLED:
        return EmbedderChoice(BundledEmbedder(model, threads), "")
    from helix.index.pulled_models import FastEmbedder

    # All cores but one: it runs a text on several at once, and a question must not wait for them.
    return EmbedderChoice(FastEmbedder(model, threads or max(1, usable_cores() - 1)), "")


class BundledEmbedder:
    """Loads on the first text, and can be used by many threads."""

    def __init__(self, model: Model, threads: int = 0) -> None:
        """`threads` embed at once when nobody asks: 0 for as many as there are cores."""
        self.model = model
        self._lock = threading.Lock()
        self._loaded: Encoder | None = None
        self._background = Background(threads or usable_cores())
        self._queries = QueryCache()

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def digest(self) -> str:
        return self.model.digest()

    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        encoder = self._load()
        try:
            # One by one: docs/decisions/008-one-text-at-a-time.md
            rows = self._background.each(encoder.first, texts)
        except network_errors() as error:
            raise EmbeddingFailed(f"{self.name} could not embed a text: {error}") from error
        return unit_rows(np.stack(rows), self.model)

    def embed_query(self, text: str) -> np.ndarray:
        with self._background.asking():
            known = self._queries.find(text)
            if known is not None:
                return known
            encoder = self._load()
            try:
                row = encoder.first(text)
            except network_errors() as error:
                raise EmbeddingFailed(f"{self.name} could not embed the query: {error}") from error
        vector: np.ndarray = unit_rows(row[None], self.model)[0]
        self._queries.put(text, vector)
        return vector

    def rest(self) -> None:
        with self._lock:
            encoder = self._loaded
        if encoder is not None:
            encoder.rest()

    def _load(self) -> Encoder:
        with self._lock:
            if self._loaded is None:
                self._loaded = Encoder(self.model)
            return self._loaded
