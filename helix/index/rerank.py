"""Reads query and text together: slower and finer than comparing vectors, so for the best few only."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from helix.errors import BadValue, EmbeddingFailed
from helix.index.background import usable_cores
from helix.index.encoder import Encoder, give_back_memory, network_errors
from helix.index.models import Model, bundled_reranker

MAX_PAIRS = 20
IDLE = 300.0  # seconds; most never ask for it, and it is as large as the model that search needs

_CHARACTERS = 1_000  # about 256 tokens; the time per pair grows with the length


class Reranker:
    """Loads when it is asked, and lets the model go when nobody has asked for a while."""

    def __init__(self, model: Model | None = None, threads: int = 0, *, idle: float = IDLE) -> None:
        self._model = model
        self._threads = threads or max(1, usable_cores() - 1)
        self._idle = idle
        self._lock = threading.Lock()
        self._loaded: Encoder | None = None
        self._used_at = 0.0
        self._timer: threading.Timer | None = None

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text, higher is better; they compare only within one query."""
        if len(texts) > MAX_PAIRS:
            raise BadValue(f"{len(texts)} texts are too many to rerank; {MAX_PAIRS} at most")
        if not texts:
            return []
        encoder = self._load()
        threads = min(self._threads, len(texts))
        try:
            with ThreadPoolExecutor(threads, "helix-rerank") as pool:
                return list(pool.map(lambda text: float(encoder.first(query, text[:_CHARACTERS])), texts))
        except network_errors() as error:
            raise EmbeddingFailed(f"the reranker could not read a text: {error}") from error

    def close(self) -> None:
        with self._lock:
            self._loaded = None
            if self._timer is not None:
                self._timer.cancel()

    def _load(self) -> Encoder:
        with self._lock:
            self._used_at = time.monotonic()
            if self._loaded is None:
                self._loaded = Encoder(self._model or bundled_reranker())
                self._look_in(self._idle)
            return self._loaded

    def _look_in(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._let_go_if_idle)
        self._timer.daemon = True
        self._timer.start()

    def _let_go_if_idle(self) -> None:
        with self._lock:
            if self._loaded is None:
                return
            left = self._used_at + self._idle - time.monotonic()
            if left > 0:
                self._look_in(left)
                return
            self._loaded = None  # whoever still reads with it keeps it until then
        give_back_memory()
