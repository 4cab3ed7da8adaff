from __future__ import annotations

import numpy as np

from helix.index.query_cache import QueryCache


def test_what_was_not_asked_for_longest_goes_first() -> None:
    cache = QueryCache(2)
    for text in ("one", "two"):
        cache.put(text, np.ones(4, np.float32))
    assert cache.find("one") is not None
    cache.put("three", np.ones(4, np.float32))
    assert cache.find("two") is None
    assert cache.find("one") is not None
    assert cache.find("three") is not None


def test_a_whole_note_is_not_kept() -> None:
    cache = QueryCache()
    cache.put("x" * 5_000, np.ones(4, np.float32))
    assert cache.find("x" * 5_000) is None
