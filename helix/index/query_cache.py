"""The vectors of the latest questions: the same question is encoded once. In memory only, and of one model."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

MAX_QUERIES = 1_000  # 1.5 MB of vectors of 384 numbers
_LONGEST = 1_000  # characters; a whole note is compared with the others once, when it is written


class QueryCache:
    def __init__(self, max_queries: int = MAX_QUERIES) -> None:
        self._max = max_queries
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, np.ndarray] = OrderedDict()

    def find(self, text: str) -> np.ndarray | None:
        with self._lock:
            vector = self._vectors.get(text)
            if vector is not None:
                self._vectors.move_to_end(text)
            return vector

    def put(self, text: str, vector: np.ndarray) -> None:
        if len(text) > _LONGEST:
            return
        vector.setflags(write=False)  # it is handed to everybody who asks
        with self._lock:
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
            while len(self._vectors) > self._max:
                self._vectors.popitem(last=False)
