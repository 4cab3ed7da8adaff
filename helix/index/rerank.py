"""Reads query and text together: slower and finer than comparing vectors, so for the best few only."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from helix.errors import BadValue, EmbeddingFailed, ModelError
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
        return self._read(query, texts, threading.Event())

    def scores_within(self, query: str, texts: Sequence[str], seconds: float) -> list[float] | None:
        """The same, if they are there so soon. One that is not loaded is loaded meanwhile, for who asks next."""
        scored: Future[list[float] | None] = Future()
        given_up = threading.Event()

        def read() -> None:
            try:
                scored.set_result(self._read(query, texts, given_up))
            except ModelError:  # the ranking without it is an answer too
                scored.set_result(None)

        threading.Thread(target=read, name="helix-reread", daemon=True).start()
        try:
            return scored.result(seconds)
        except TimeoutError:
            given_up.set()
            return None

    def _read(self, query: str, texts: Sequence[str], given_up: threading.Event) -> list[float]:
        encoder = self._load()

        def score(text: str) -> float:
            # Nobody waits any more: the rest is not read.
            return 0.0 if given_up.is_set() else float(encoder.first(query, text[:_CHARACTERS]))

        try:
            with ThreadPoolExecutor(min(self._threads, len(texts)), "helix-rerank") as pool:
                return list(pool.map(score, texts))
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
