from __future__ import annotations

import numpy as np
import pytest

from helix.index.facets import Facets
from helix.index.map_layout import Layout, lay_out
from helix.index.vector_matrix import Matrix, VectorEntry

TOPICS = 6


def some(count: int, seed: int = 1) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Vectors about a few topics, and the topic of each."""
    random = np.random.default_rng(seed)
    topics = random.integers(0, TOPICS, count)
    vectors = random.normal(size=(TOPICS, 64))[topics] + 0.6 * random.normal(size=(count, 64))
    unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return [f"mem_{number}" for number in range(count)], unit, topics


def places(layout: Layout) -> dict[str, tuple[float, float]]:
    return {one: (float(x), float(y)) for one, (x, y) in zip(layout.ids, layout.points, strict=True)}


def test_what_is_about_the_same_lies_together_and_within_the_square() -> None:
    ids, vectors, topics = some(400)
    layout = lay_out(ids, vectors, {})
    assert np.abs(layout.points).max() <= 1
    assert layout.points.std(axis=0).min() > 0.1
    kept = []
    for place, point in enumerate(layout.points):
        away = ((layout.points - point) ** 2).sum(axis=1)
        nearest = np.argsort(away)[1:11]
        kept.append(float((topics[nearest] == topics[place]).mean()))
    assert sum(kept) / len(kept) > 0.95
    # A cluster is about one topic.
    for group in range(layout.groups.max() + 1):
        counts = np.bincount(topics[layout.groups == group], minlength=TOPICS)
        assert counts.max() >= 0.9 * counts.sum()


def test_the_same_vectors_make_the_same_map() -> None:
    ids, vectors, _ = some(200)
    one, other = lay_out(ids, vectors, {}), lay_out(ids, vectors, {})
    assert np.array_equal(one.points, other.points)
    assert np.array_equal(one.groups, other.groups)


def test_points_stay_about_where_they_were_while_the_vault_grows() -> None:
    ids, vectors, _ = some(400)
    before = lay_out(ids[:300], vectors[:300], {})
    first = before.points
    for count in (320, 340, 360, 380, 400):
        before = lay_out(ids[:count], vectors[:count], places(before))
    moved = np.linalg.norm(before.points[:300] - first, axis=1)
    assert np.median(moved) < 0.1
    assert abs(float(before.points[:300].std()) - float(first.std())) < 0.1


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 17])
def test_few_memories_have_a_map_too(count: int) -> None:
    ids, vectors, _ = some(max(count, 1))
    layout = lay_out(ids[:count], vectors[:count], {})
    assert layout.points.shape == (count, 2)
    assert len(layout.groups) == count
    assert np.isfinite(layout.points).all()


def test_memories_that_all_say_the_same_break_nothing() -> None:
    vectors = np.tile(np.eye(1, 32, dtype=np.float32), (30, 1))
    layout = lay_out([f"mem_{number}" for number in range(30)], vectors, {})
    assert np.isfinite(layout.points).all()
    assert np.abs(layout.points).max() <= 1


def test_a_memory_is_the_mean_of_its_chunks() -> None:
    matrix = Matrix(2)
    assert matrix.means()[0] == []
    for name, rows in (("a", [[1, 0], [0, 1]]), ("b", [[0, 1]]), ("c", [[1, 0]])):
        matrix.put([VectorEntry.of(Facets(name), "h", np.array(rows))])
    matrix.drop("b")
    ids, means = matrix.means()
    assert dict(zip(ids, means.round(3).tolist(), strict=True)) == {
        "a": pytest.approx([0.707, 0.707]), "c": [1.0, 0.0],
    }  # fmt: skip
