"""A quick pass over rough vectors finds exactly what a comparison of all vectors finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helix.index import vector_file
from helix.index.embed import Embedder
from helix.index.facets import Facets
from helix.index.filters import Where
from helix.index.vector_file import FILE_NAME, VectorFile
from helix.index.vector_matrix import Matrix, VectorEntry, VectorHit
from helix.index.vector_rows import VectorRows
from helix.index.vector_snapshot import VectorSnapshot
from tests.index.memories import unit_vectors

_DIGEST = "d" * 64


def _both(folder: Path, chunks: list[np.ndarray]) -> tuple[VectorSnapshot, Matrix]:
    """The same memories in a file and in memory, a third of them hidden or dropped."""
    entries = [
        VectorEntry.of(
            Facets(f"m{number:05}", kind=f"kind{number % 7}", tags=frozenset({f"t{number % 9}"})),
            "h",
            rows.astype(np.float16),
        )
        for number, rows in enumerate(chunks)
    ]
    dimensions = chunks[0].shape[1]
    vector_file.write(folder, VectorRows.of(entries, dimensions), _DIGEST, is_resident=True)
    snapshot, matrix = VectorSnapshot(VectorFile(folder / FILE_NAME, _DIGEST, dimensions)), Matrix(dimensions)
    matrix.put(entries)
    for entry in entries[::3]:
        assert snapshot.hide(entry.memory_id)
        matrix.drop(entry.memory_id)
    return snapshot, matrix


_NARROW = Where(kinds=("kind2",))
_WIDE = Where(kinds=("kind1", "kind2", "kind3", "kind4", "kind5"))
_SAME = 1e-6  # two sums of the same numbers differ by less, and by more than nothing


def _assert_alike(snapshot: VectorSnapshot, matrix: Matrix, questions: np.ndarray) -> None:
    for where in (None, _NARROW, _WIDE, Where(tags=("t3", "t4"))):
        for question in questions:
            for limit in (1, 10, 100):
                left, right = snapshot.search(question, limit, where), matrix.search(question, limit, where)
                assert np.allclose(_scores(left), _scores(right), rtol=0, atol=_SAME)
                last = min(_scores(right), default=0.0) + _SAME
                assert _above(left, last) == _above(right, last)


def _scores(hits: list[VectorHit]) -> list[float]:
    return [hit.score for hit in hits]


def _above(hits: list[VectorHit], score: float) -> set[str]:
    return {hit.memory_id for hit in hits if hit.score > score + _SAME}


@pytest.mark.parametrize("dimensions", [16, 384])
@pytest.mark.parametrize("spread", [1.0, 0.05])
def test_made_up_vectors_are_found_as_by_comparing_all(
    tmp_path: Path, dimensions: int, spread: float
) -> None:
    """Also where they lie close together, so that many are nearly as good as the last that there is room for."""
    rng = np.random.default_rng(3)
    centres = unit_vectors(5, 1, dimensions)
    chunks = []
    for number in range(2_000):
        rows = centres[number % 5] + spread * unit_vectors(1 + number % 3, number, dimensions)
        chunks.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    questions = np.concatenate([unit_vectors(5, 8, dimensions), centres[rng.integers(0, 5, 3)]])
    _assert_alike(*_both(tmp_path, chunks), questions)


@pytest.mark.model
def test_real_vectors_are_found_as_by_comparing_all(tmp_path: Path, bundled: Embedder) -> None:
    things = ["broker", "cache", "token", "invoice", "deploy", "index", "queue", "login"]
    texts = [f"The {one} of the {other} is slow" for one in things for other in things]
    rows = bundled.embed(texts)
    snapshot, matrix = _both(tmp_path, [row[None, :] for row in rows])
    _assert_alike(
        snapshot, matrix, np.stack([bundled.embed_query(text) for text in ("slow cache", "who pays?")])
    )


def test_the_means_are_those_of_the_memories_that_are_visible(tmp_path: Path) -> None:
    snapshot, matrix = _both(tmp_path, [unit_vectors(1 + number % 4, number) for number in range(50)])
    left, right = dict(zip(*snapshot.means(), strict=True)), dict(zip(*matrix.means(), strict=True))
    assert left.keys() == right.keys()
    assert all(np.allclose(left[name], right[name], atol=1e-6) for name in left)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    entries = [
        VectorEntry.of(
            Facets(name, tags=frozenset(tags), project=name), f"hash of {name}", unit_vectors(2, 1)
        )
        for name, tags in (("ünïcode", ["a/b"]), ("", []), ("it's", ["x", "y"]))
    ]
    rows = VectorRows.of(entries, 16)
    vector_file.write(tmp_path, rows, _DIGEST, is_resident=True)
    read = VectorFile(tmp_path / FILE_NAME, _DIGEST, 16).contents()
    assert (read.ids, read.hashes, read.created, read.filed) == (
        rows.ids,
        rows.hashes,
        rows.created,
        rows.filed,
    )
    assert np.array_equal(read.vectors, rows.vectors)
    assert np.array_equal(read.counts, rows.counts)
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0
