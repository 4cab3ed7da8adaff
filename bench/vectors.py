"""What the vector index costs: search with and without filters, a put, opening, memory, disk; LanceDB's own search."""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bench.figures import report, timed
from helix.index.facets import Facets
from helix.index.filters import Reach, Where
from helix.index.vector_file import FILE_NAME, VectorFile
from helix.index.vector_matrix import VectorEntry
from helix.index.vector_writer import run_here
from helix.index.vectors import Vectors

_DIMENSIONS = 384
_DIGEST = "b" * 64
_BEST = 100
_VISIBLE = Where(active_only=True, reaches=(Reach("global"), Reach("project", ("p3",))))
_NARROW = Where(active_only=True, tags=("t8",), kinds=("decision",))


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.vectors", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args(argv)
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            _measure(Path(folder), rows, options.queries)


def _measure(folder: Path, rows: int, queries: int) -> None:
    random = np.random.default_rng(rows)
    unit = _unit(random, rows)
    vectors = Vectors(folder, _DIGEST, _DIMENSIONS)
    entries = [_entry(number, unit[number : number + 1]) for number in range(rows)]
    print(f"{rows} rows: put and flushed in {timed(_put_all, vectors, entries):.1f} s")
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"  disk: {disk / rows:.0f} bytes a row")
    before = _resident()
    opened: list[Vectors] = []
    print(f"  opened in {timed(lambda: opened.append(Vectors(folder, _DIGEST, _DIMENSIONS))) * 1000:.0f} ms")
    print(f"  memory: about {max(0.0, _resident() - before):.0f} MB more")
    asked = _unit(random, queries)
    for name, where in (("no filter", None), ("what a project sees", _VISIBLE), ("a narrow filter", _NARROW)):
        report(f"  search, {name}", [timed(opened[0].search, query, 20, where) for query in asked])
    fresh = _unit(random, queries)
    report(
        "  one put, searchable",
        [
            timed(_put_and_find, opened[0], _entry(rows + number, fresh[number : number + 1]))
            for number in range(queries)
        ],
    )
    opened[0].flush()
    _compare(opened[0], folder, asked)
    few = asked[: min(queries, 30)]
    table = Vectors(folder, _DIGEST, _DIMENSIONS, resident_rows=0, run=run_here)
    for name, where in (("no filter", None), ("what a project sees", _VISIBLE)):
        report(f"  LanceDB exact, {name}", [timed(table.search, query, 20, where) for query in few])
    table.put([_entry(rows + queries, fresh[:1])])
    print(f"  written to the table and IVF_SQ built in {timed(table.flush):.1f} s")
    for name, where in (("no filter", None), ("what a project sees", _VISIBLE)):
        report(f"  LanceDB IVF_SQ, {name}", [timed(table.search, query, 20, where) for query in few])


def _compare(vectors: Vectors, folder: Path, asked: np.ndarray) -> None:
    """The mapped file beside a matrix of floats, in turns: the same answers, and processor time."""
    contents = VectorFile(folder / FILE_NAME, _DIGEST, _DIMENSIONS).contents()
    exact, ids = contents.vectors.astype(np.float32), np.array(contents.ids)
    found, own, theirs = 0, [], []
    for query in asked:
        started = time.thread_time()
        hits = vectors.search(query, _BEST)
        between = time.thread_time()
        scores = np.einsum("ij,j->i", exact, query)
        best = np.argpartition(scores, -_BEST)[-_BEST:]
        theirs.append(time.thread_time() - between)
        own.append(between - started)
        found += len({hit.memory_id for hit in hits} & set(ids[best].tolist()))
    ratio = statistics.median(own) / statistics.median(theirs)
    print(f"  recall at {_BEST}: {found / len(asked) / _BEST:.5f}")
    print(
        f"  processor time of a search for {_BEST}: {statistics.median(own) * 1000:.2f} ms, "
        f"{ratio:.2f} × that of one pass over floats"
    )


def _entry(number: int, vectors: np.ndarray) -> VectorEntry:
    row = Facets(
        f"mem_2026-06-18_some-slug_{number:06d}",
        status="active" if number % 10 else "deleted",
        scope="project" if number % 3 else "global",
        project=f"p{number % 20}",
        kind="decision" if number % 4 == 0 else "fact",
        tags=frozenset({f"t{number % 50}", "all"}),
        created=datetime(2025, 6, 18, tzinfo=UTC) + timedelta(days=number % 400),
    )
    return VectorEntry.of(row, f"{number:012x}", vectors)


def _put_all(vectors: Vectors, entries: list[VectorEntry]) -> None:
    for first in range(0, len(entries), 1_000):
        vectors.put(entries[first : first + 1_000])
    vectors.flush()


def _put_and_find(vectors: Vectors, entry: VectorEntry) -> None:
    vectors.put([entry])
    assert vectors.search(entry.vectors[0], 1)[0].memory_id == entry.memory_id


def _unit(random: np.random.Generator, rows: int) -> np.ndarray:
    made = random.standard_normal((rows, _DIMENSIONS)).astype(np.float32)
    unit: np.ndarray = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1:])
