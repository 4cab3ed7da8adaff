from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from helix.index.embed_cache import EmbedCache
from helix.memory.shared_models import Models
from tests.index.memories import unit_vectors

_A, _B = "a" * 64, "b" * 64


def _hashes(count: int) -> list[str]:
    return [f"{number:064x}" for number in range(count)]


def test_what_was_put_is_found_by_model_and_chunk(tmp_path: Path) -> None:
    cache = EmbedCache(tmp_path / "cache.db")
    hashes = _hashes(1_200)
    vectors = unit_vectors(1_200)
    cache.put(_A, dict(zip(hashes, vectors, strict=True)))
    found = cache.find(_A, hashes)
    assert np.allclose(np.stack([found[one] for one in hashes]), vectors, atol=1e-3)
    assert found[hashes[0]].dtype == np.float32
    assert cache.find(_B, hashes) == {}


def test_it_outlives_the_process(tmp_path: Path) -> None:
    first = EmbedCache(tmp_path / "cache.db")
    first.put(_A, {_A: unit_vectors(1)[0]})
    first.close()
    assert _A in EmbedCache(tmp_path / "cache.db").find(_A, [_A])


def test_over_its_size_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    cache = EmbedCache(tmp_path / "cache.db", max_bytes=100_000, clock=lambda: now[0])
    old = _hashes(500)
    cache.put(_A, dict(zip(old, unit_vectors(500), strict=True)))
    now[0] += timedelta(days=2)
    cache.find(_A, old[:10])
    newer = [f"{number:064x}" for number in range(1_000, 4_000)]
    for first in range(0, len(newer), 100):
        cache.put(_A, {one: unit_vectors(1)[0] for one in newer[first : first + 100]})
    assert len(cache) < 1_500
    assert cache.find(_A, old[10:]) == {}


def test_a_torn_cache_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"not a database at all, but long enough to be read as a header" * 20)
    cache = EmbedCache(tmp_path / "cache.db")
    cache.put(_A, {_A: unit_vectors(1)[0]})
    assert len(cache) == 1


def test_the_embeddings_of_an_erased_memory_are_dropped_for_every_model_and_state(tmp_path: Path) -> None:
    cache = EmbedCache(tmp_path / "cache.db")
    kept, before, moved = _hashes(3)
    owners = {kept: "mem_kept", before: "mem_erased", moved: "mem_kept"}
    for digest in (_A, _B):
        cache.put(digest, {one: unit_vectors(1)[0] for one in owners}, owners)
        cache.find(digest, [moved], {moved: "mem_erased"})  # the same text, in another memory now
    cache.drop(["mem_erased"])
    assert [set(cache.find(digest, list(owners))) for digest in (_A, _B)] == [{kept}, {kept}]


def test_a_workspace_keeps_its_vectors_to_itself_and_erases_those_from_before_too(tmp_path: Path) -> None:
    with Models(tmp_path, 1) as shared, shared.beside(tmp_path / "vaults" / "web") as own:
        shared.cache.put(_A, {_A: unit_vectors(1)[0]}, {_A: "mem_of_before"})
        own.cache.put(_A, {_B: unit_vectors(1)[0]}, {_B: "mem_of_now"})
        assert own.cache.find(_A, [_A]) == shared.cache.find(_A, [_B]) == {}
        assert own.cache.drop(["mem_of_before", "mem_of_now"])
        assert len(own.cache) == len(shared.cache) == 0
        assert own.find("none") is shared.find("none")
        assert own.reranker is shared.reranker
