"""The models of a process: loaded once, however many vaults are searched with them."""

from __future__ import annotations

import functools
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self

from helix.errors import HelixError

if TYPE_CHECKING:
    from helix.index.embed import Embedder, EmbedderChoice
    from helix.index.embed_cache import EmbedCache
    from helix.index.rerank import Reranker

log = logging.getLogger(__name__)

CACHE_FILE = "embeddings.db"


class Models:
    """Imports nothing until somebody searches: numpy and what is behind it take longer than most commands to run."""

    def __init__(self, state_dir: Path, threads: int) -> None:
        """`state_dir` is that of all vaults; `threads` how many an embedder may take, 0 for as many as are free."""
        self._state_dir = state_dir
        self._threads = threads
        self._found: dict[str, EmbedderChoice] = {}
        self._loading: list[threading.Thread] = []
        self._cache: EmbedCache | None = None
        self._earlier_cache: Path | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            for thread in self._loading:
                thread.join()
            if self._cache is not None:
                self._cache.close()
            if "reranker" in vars(self):  # somebody asked for it
                self.reranker.close()

    @property
    def cache(self) -> EmbedCache:
        """Of the vectors that were worked out, for whichever vault."""
        from helix.index.embed_cache import EmbedCache

        with self._lock:
            if self._cache is None:
                self._cache = EmbedCache(self._state_dir / CACHE_FILE, earlier=self._earlier_cache)
            return self._cache

    @functools.cached_property
    def reranker(self) -> Reranker:
        from helix.index.rerank import Reranker

        return Reranker()

    def beside(self, state: Path) -> Models:
        """The same models, for a vault that keeps its vectors to itself."""
        return _WithOwnCache(self, state)

    def find(self, choice: str) -> EmbedderChoice:
        """The embedder of a choice of the setting `model`, or why there is none."""
        with self._lock:
            if choice not in self._found:
                self._found[choice] = self._open(choice)
            return self._found[choice]

    def _open(self, choice: str) -> EmbedderChoice:
        from helix.index.embed import find_embedder

        found = find_embedder(choice, self._state_dir / "models", self._threads)
        if found.embedder is not None:
            # Beside the opening of the stores: the first question should not have to wait for the model.
            thread = threading.Thread(target=_load, args=[found.embedder], name="helix-model")
            self._loading.append(thread)
            thread.start()
        return found


class _WithOwnCache(Models):
    """A vector that is there already tells that somebody has the very text: between workspaces nobody is told."""

    def __init__(self, shared: Models, state: Path) -> None:
        super().__init__(state, 0)
        self._shared = shared
        self._earlier_cache = (
            shared._state_dir / CACHE_FILE
        )  # before it was a workspace, its vectors went there

    @property
    def reranker(self) -> Reranker:
        return self._shared.reranker

    def find(self, choice: str) -> EmbedderChoice:
        return self._shared.find(choice)


def _load(embedder: Embedder) -> None:
    try:
        embedder.embed_query("warm up")
    except HelixError as error:
        # The first question meets the same one, and tells it.
        log.warning("the model cannot be loaded: %s", error.message)
