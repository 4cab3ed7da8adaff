from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix.errors import IndexBroken
from helix.index.facets import Facets
from helix.index.filters import Reach, Where
from helix.index.vector_file import FILE_NAME
from helix.index.vector_matrix import Matrix, VectorEntry, VectorHit
from helix.index.vector_writer import RunJob, run_here
from helix.index.vectors import Vectors, vectors_folder
from tests.index.memories import DIMENSIONS, entry, unit_vectors

_DIGEST = "d" * 64
_DAY = datetime(2026, 6, 18, tzinfo=UTC)
_ENTRIES = [
    entry("a", 1, 3, row=Facets("a", kind="decision", tags=frozenset({"auth", "it's"}), created=_DAY)),
    entry("b", 2, 1, row=Facets("b", scope="project", project="billing")),
    entry(
        "c", 3, 2, row=Facets("c", "active", "session", "billing", session="s-1", tags=frozenset({"auth"}))
    ),
    entry("d", 4, 1, row=Facets("d", status="deleted")),
    entry("e", 5, 1, row=Facets("e", scope="project", project="o'brien")),
]
_FILTERS = [
    (None, "abcde"),
    (Where(), "abcde"),
    (Where(active_only=True), "abce"),
    (Where(reaches=()), ""),
    (Where(kinds=("decision", "unknown")), "a"),
    (Where(tags=("auth",)), "ac"),
    (Where(tags=("auth", "it's")), "a"),
    (Where(reaches=(Reach("global"), Reach("project", ("billing",)))), "abd"),
    (Where(reaches=(Reach("session", session="s-1"),)), "c"),
    (Where(reaches=(Reach("session", session="s-2"),)), ""),
    (Where(reaches=(Reach("project", ("o'brien",)),)), "e"),
    (Where(after=_DAY, before=_DAY + timedelta(days=1)), "a"),
    (Where(before=_DAY + timedelta(days=1_000)), "a"),
    (Where(after=_DAY + timedelta(seconds=1)), ""),
    (Where(among=frozenset({"b", "d", "not here"})), "bd"),
    (Where(among=frozenset()), ""),
]


def _open(folder: Path, *, in_memory: bool = True, run: RunJob | None = run_here) -> Vectors:
    """What is written is written here, unless a test is about the process that does it."""
    return Vectors(folder, _DIGEST, DIMENSIONS, resident_rows=10_000 if in_memory else -1, run=run)


def _ids(hits: list[VectorHit]) -> str:
    return "".join(sorted(hit.memory_id for hit in hits))


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("is_flushed", [True, False])
def test_filters_mean_the_same_in_memory_in_the_table_and_before_the_flush(
    tmp_path: Path, in_memory: bool, is_flushed: bool
) -> None:
    vectors = _open(tmp_path, in_memory=in_memory)
    vectors.put(_ENTRIES)
    if is_flushed:
        vectors.flush()
    for where, expected in _FILTERS:
        assert _ids(vectors.search(unit_vectors(1, 9)[0], 10, where)) == expected, where


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_hit_is_the_best_chunk_of_its_memory(tmp_path: Path, in_memory: bool) -> None:
    vectors = _open(tmp_path, in_memory=in_memory)
    vectors.put(_ENTRIES)
    vectors.flush()
    best = vectors.search(_ENTRIES[0].vectors[2], 2)
    assert (best[0].memory_id, best[0].ordinal) == ("a", 2)
    assert best[0].score == pytest.approx(1.0, abs=1e-3)
    assert best[1].memory_id != "a"


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_second_put_replaces_all_chunks_of_the_memory(tmp_path: Path, in_memory: bool) -> None:
    vectors = _open(tmp_path, in_memory=in_memory)
    vectors.put(_ENTRIES)
    vectors.flush()
    vectors.put([entry("a", 77, 1)])
    for _ in range(2):
        found = {hit.memory_id: hit for hit in vectors.search(_ENTRIES[0].vectors[2], 10)}
        assert found["a"].ordinal == 0
        assert found["a"].score < 0.99
        assert vectors.count() == 5
        vectors.flush()


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_dropped_memory_is_gone_at_once_and_stays_gone(tmp_path: Path, in_memory: bool) -> None:
    vectors = _open(tmp_path, in_memory=in_memory)
    vectors.put(_ENTRIES)
    vectors.flush()
    vectors.drop(["a", "never was"])
    assert _ids(vectors.search(unit_vectors(1, 9)[0], 10)) == "bcde"
    vectors.flush()
    assert set(_open(tmp_path, in_memory=in_memory).hashes()) == set("bcde")


def test_a_reopened_index_answers_exactly_as_before(tmp_path: Path) -> None:
    vectors = _open(tmp_path)
    vectors.put(_ENTRIES)
    before = [vectors.search(unit_vectors(1, seed)[0], 4) for seed in range(20)]
    vectors.flush()
    assert [vectors.search(unit_vectors(1, seed)[0], 4) for seed in range(20)] == before
    again = _open(tmp_path)
    assert [again.search(unit_vectors(1, seed)[0], 4) for seed in range(20)] == before
    assert again.hashes() == {one.memory_id: one.hash for one in _ENTRIES}


def test_what_a_crash_took_is_missing_from_the_hashes(tmp_path: Path) -> None:
    vectors = _open(tmp_path)
    vectors.put(_ENTRIES[:2])
    vectors.flush()
    vectors.put([*_ENTRIES[2:], entry("a", 8, content_hash="newer")])
    assert vectors.hashes()["a"] == "newer"
    survived = _open(tmp_path).hashes()
    assert survived == {one.memory_id: one.hash for one in _ENTRIES[:2]}


def test_many_flushes_leave_few_files_and_change_no_answer(tmp_path: Path) -> None:
    vectors = _open(tmp_path)
    for number in range(12):
        vectors.put([entry(f"m{number % 5}", number)])
        before = vectors.search(unit_vectors(1, 9)[0], 10)
        vectors.flush()
        assert vectors.search(unit_vectors(1, 9)[0], 10) == before
    assert sum(path.is_file() for path in tmp_path.rglob("*")) < 12
    assert _open(tmp_path).search(unit_vectors(1, 9)[0], 10) == before


def test_beyond_memory_an_index_is_built_and_answers_alike(tmp_path: Path) -> None:
    rows = unit_vectors(2_000, 5)
    entries = [
        VectorEntry.of(Facets(f"m{number}"), "h", rows[number : number + 1]) for number in range(2_000)
    ]
    vectors = _open(tmp_path, in_memory=False)
    vectors.put(entries)
    vectors.flush()
    for number in (0, 500, 1_999):
        assert vectors.search(rows[number], 3)[0].memory_id == f"m{number}"


def _break_table(folder: Path, how: str) -> None:
    """As a power cut does: LanceDB does not sync its files."""
    newest = min((folder / "chunks.lance" / "_versions").glob("*.manifest"))  # names count downwards
    for path in [newest] if how == "manifest" else (folder / "chunks.lance" / "data").glob("*.lance"):
        path.write_bytes(b"")


@pytest.mark.parametrize("how", ["manifest", "data"])
def test_a_broken_table_is_made_again_from_the_serving_file(tmp_path: Path, how: str) -> None:
    vectors = _open(tmp_path)
    vectors.put(_ENTRIES)
    vectors.flush()
    _break_table(tmp_path, how)
    again = _open(tmp_path)
    again.put([entry("f", 6)])
    again.flush()
    (tmp_path / FILE_NAME).unlink()
    assert set(_open(tmp_path).hashes()) == set("abcdef")


@pytest.mark.parametrize("damage", [None, 3, 40, 2_000, -1])
def test_a_serving_file_that_is_missing_or_damaged_is_made_again_from_the_table(
    tmp_path: Path, damage: int | None
) -> None:
    vectors = _open(tmp_path)
    vectors.put(_ENTRIES)
    vectors.flush()
    before = [vectors.search(unit_vectors(1, 9)[0], 10, where) for where, _ in _FILTERS]
    file = tmp_path / FILE_NAME
    data = bytearray(file.read_bytes())
    file.unlink()
    if damage is not None:
        data[damage] ^= 0xFF
        file.write_bytes(data if damage > 0 else data[:damage])
    again = _open(tmp_path)
    assert [again.search(unit_vectors(1, 9)[0], 10, where) for where, _ in _FILTERS] == before
    assert again.hashes() == vectors.hashes()


@pytest.mark.parametrize("how", ["manifest", "data"])
def test_when_neither_can_be_read_the_index_is_reported_as_broken(tmp_path: Path, how: str) -> None:
    vectors = _open(tmp_path)
    vectors.put(_ENTRIES)
    vectors.flush()
    _break_table(tmp_path, how)
    (tmp_path / FILE_NAME).write_bytes(b"")
    with pytest.raises(IndexBroken) as caught:
        _open(tmp_path)
    assert caught.value.code == "index-broken"


def test_the_vectors_of_another_model_are_refused(tmp_path: Path) -> None:
    vectors = _open(tmp_path)
    vectors.put(_ENTRIES)
    vectors.flush()
    for _ in range(2):
        with pytest.raises(IndexBroken, match="another model"):
            Vectors(tmp_path, "e" * 64, DIMENSIONS, run=run_here)
        (tmp_path / FILE_NAME).unlink(missing_ok=True)
    assert vectors_folder(tmp_path, _DIGEST) == tmp_path / "vectors-dddddddddddd"


@pytest.mark.parametrize("in_memory", [True, False])
def test_writers_searchers_and_flushes_do_not_disturb_each_other(tmp_path: Path, in_memory: bool) -> None:
    vectors = _open(tmp_path, in_memory=in_memory)
    vectors.put([entry("constant", 1)])
    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(_rewrite, vectors, first) for first in (0, 100)]
        while not all(future.done() for future in writing):
            vectors.flush()
            assert vectors.search(unit_vectors(1, 1)[0], 5)[0].memory_id == "constant"
        for future in writing:
            future.result()
    vectors.flush()
    again = _open(tmp_path, in_memory=in_memory)
    assert again.hashes() == vectors.hashes()
    assert again.count() == 11
    assert len(again.search(unit_vectors(1, 9)[0], 50)) == 11


def _rewrite(vectors: Vectors, first: int) -> None:
    for turn in range(30):
        vectors.put(
            [entry(f"m{first + number}", 1_000 * turn + number + 2, 1 + turn % 3) for number in range(5)]
        )
        if turn % 7 == 0:
            vectors.drop([f"m{first}"])
            vectors.put([entry(f"m{first}", turn + 2)])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 4), st.sampled_from(("x", "y"))), max_size=40
    )
)
def test_any_sequence_of_puts_and_drops_leaves_what_a_fresh_matrix_holds(
    steps: list[tuple[str, int, str]],
) -> None:
    worked = Matrix(DIMENSIONS)
    expected: dict[str, VectorEntry] = {}
    for number, (memory_id, chunks, tag) in enumerate(steps):
        if chunks == 0:
            worked.drop(memory_id)
            expected.pop(memory_id, None)
        else:
            expected[memory_id] = entry(
                memory_id, number, chunks, row=Facets(memory_id, tags=frozenset({tag}))
            )
            worked.put([expected[memory_id]])
    fresh = Matrix(DIMENSIONS)
    fresh.put(expected.values())
    query = unit_vectors(1, 99)[0]
    assert worked.count == fresh.count
    for where in (None, Where(tags=("x",))):
        left, right = worked.search(query, 8, where), fresh.search(query, 8, where)
        assert [(hit.memory_id, hit.ordinal) for hit in left] == [
            (hit.memory_id, hit.ordinal) for hit in right
        ]
        assert np.allclose([hit.score for hit in left], [hit.score for hit in right], atol=1e-6)


def test_one_memory_with_many_good_chunks_does_not_crowd_out_the_others() -> None:
    matrix = Matrix(DIMENSIONS)
    query = unit_vectors(1, 1)[0]
    matrix.put(
        [VectorEntry.of(Facets("long"), "h", np.tile(query, (64, 1))), entry("other", 2), entry("third", 3)]
    )
    assert len(matrix.search(query, 3, None)) == 3
