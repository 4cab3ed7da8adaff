"""The process that writes vectors: what it leaves behind, and what is left when it does not come to its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helix.errors import IndexBroken, StorageError
from helix.index.vector_file import FILE_NAME
from helix.index.vector_rows import VectorRows
from helix.index.vector_writer import WriteJob, WriterProcess, run_here
from helix.index.vectors import Vectors
from tests.index.memories import DIMENSIONS, entry, unit_vectors

_DIGEST = "d" * 64
_APART = """
import sys
from pathlib import Path
from helix.index.vectors import Vectors
from tests.index.memories import entry, unit_vectors
vectors = Vectors(Path(sys.argv[1]), "d" * 64, 16)
vectors.put([entry("a", 1), entry("b", 2, 3)])
vectors.flush()
assert (vectors.pending(), vectors.count()) == (0, 2)
assert vectors.search(unit_vectors(1, 1)[0], 1)[0].memory_id == "a"
vectors.drop(["a"])
vectors.purge()
loaded = {"lancedb", "pyarrow", "pandas"} & set(sys.modules)
assert not loaded, loaded
"""
# Ends like one that is killed, at the step that is named.
_KILLED = """
import os, sys
from pathlib import Path
from helix.index import vector_file, vector_table, vector_writer
from helix.index.vector_rows import VectorRows
from tests.index.memories import entry
def die(*arguments, **options):
    os._exit(9)
def then_die(step):
    def run(*arguments, **options):
        step(*arguments, **options)
        die()
    return run
table, replace = vector_table.VectorTable, os.replace
match sys.argv[2]:
    case "before the table": table.overwrite = die
    case "in the table": table._clean = die
    case "after the table": table.overwrite = then_die(table.overwrite)
    case "before the file": os.replace = die
    case "after the file": os.replace = then_die(replace)
job = vector_writer.WriteJob(sys.argv[1], "d" * 64, 16, 10_000, ["a"])
vector_writer.run_here(job, VectorRows.of([entry("b", 20, 2), entry("c", 3)], 16))
"""


def _open(folder: Path) -> Vectors:
    return Vectors(folder, _DIGEST, DIMENSIONS, run=run_here)


def _run(code: str, *arguments: str) -> int:
    return subprocess.run([sys.executable, "-c", code, *arguments], check=False).returncode


def test_a_process_that_searches_and_writes_vectors_loads_no_lancedb(tmp_path: Path) -> None:
    assert _run(_APART, str(tmp_path)) == 0
    assert set(_open(tmp_path).hashes()) == {"b"}
    (tmp_path / FILE_NAME).unlink()
    assert set(_open(tmp_path).hashes()) == {"b"}, "the table has it too"


@pytest.mark.parametrize(
    "step", ["before the table", "in the table", "after the table", "before the file", "after the file"]
)
@pytest.mark.parametrize("is_file_lost", [False, True])
def test_killed_at_any_step_it_loses_nothing_and_brings_nothing_back(
    tmp_path: Path, step: str, is_file_lost: bool
) -> None:
    vectors = _open(tmp_path)
    vectors.put([entry("a", 1), entry("b", 2), entry("kept", 5)])
    vectors.flush()
    assert _run(_KILLED, str(tmp_path), step) == 9
    if is_file_lost:
        (tmp_path / FILE_NAME).unlink()
    again = _open(tmp_path)
    # One state or the other, and the rest as a start puts it, which compares hashes with the catalog.
    old, new = {"a": "h1", "b": "h2", "kept": "h5"}, {"b": "h20", "c": "h3", "kept": "h5"}
    assert again.hashes() in (old, new)
    again.drop(["a"])
    again.put([entry("b", 20, 2), entry("c", 3)])
    for _ in range(2):
        assert again.hashes() == new
        assert {hit.memory_id for hit in again.search(unit_vectors(1, 1)[0], 10)} == set(new)
        again.flush()
    assert _open(tmp_path).hashes() == new
    (tmp_path / FILE_NAME).unlink()
    assert _open(tmp_path).hashes() == new


def test_what_a_process_wrote_that_nobody_waited_for_does_not_come_back(tmp_path: Path) -> None:
    vectors = _open(tmp_path)
    vectors.put([entry("a", 1)])
    vectors.flush()
    # The daemon before was killed; its process went on, and the memory was deleted meanwhile.
    late = WriteJob(str(tmp_path), _DIGEST, DIMENSIONS, 10_000, [])
    run_here(late, VectorRows.of([entry("late", 2)], DIMENSIONS))
    vectors.put([entry("b", 3)])
    vectors.flush()
    assert set(vectors.hashes()) == {"a", "b"}
    assert {hit.memory_id for hit in vectors.search(unit_vectors(1, 2)[0], 10)} == {"a", "b"}
    vectors.flush()
    assert set(_open(tmp_path).hashes()) == {"a", "b"}


def test_a_process_that_takes_too_long_is_ended_and_what_waits_stays_searchable(tmp_path: Path) -> None:
    vectors = Vectors(tmp_path, _DIGEST, DIMENSIONS, run=WriterProcess(limit=0.05))
    vectors.put([entry("a", 1)])
    with pytest.raises(StorageError, match="longer than"):
        vectors.flush()
    assert vectors.pending() == 1
    assert vectors.search(unit_vectors(1, 1)[0], 1)[0].memory_id == "a"


def test_trouble_is_told_tried_again_later_and_forgotten_when_it_is_over(tmp_path: Path) -> None:
    now = 0.0
    failures = [StorageError("the disk is full"), IndexBroken("cannot be read")]

    def run(job: WriteJob, fresh: VectorRows) -> None:
        if failures:
            raise failures.pop(0)
        run_here(job, fresh)

    vectors = Vectors(tmp_path, _DIGEST, DIMENSIONS, run=run, clock=lambda: now)
    vectors.put([entry("a", 1, 1_000)])
    vectors.tend()
    assert "full" in str(vectors.trouble)
    vectors.tend()
    assert len(failures) == 1, "not at once"
    now = 61.0
    vectors.tend()
    assert "read" in str(vectors.trouble)
    now = 1_000.0
    vectors.tend()
    assert vectors.trouble is None
    assert vectors.pending() == 0


def test_a_few_rows_wait_until_it_is_quiet_and_worth_it(tmp_path: Path) -> None:
    now = 0.0
    vectors = Vectors(tmp_path, _DIGEST, DIMENSIONS, run=run_here, clock=lambda: now)
    vectors.put([entry("a", 1, 99)])
    now = 100.0
    vectors.tend()
    assert vectors.pending() == 1, "too few"
    vectors.put([entry("b", 2)])
    vectors.tend()
    assert vectors.pending() == 2, "not quiet"
    now = 161.0
    vectors.tend()
    assert vectors.pending() == 0
    vectors.put([entry("c", 3)])
    vectors.close()
    assert set(_open(tmp_path).hashes()) == {"a", "b"}, "it is in the embedding cache"
    now += 3_601
    vectors.tend()
    assert set(_open(tmp_path).hashes()) == {"a", "b", "c"}


def test_an_erased_memory_leaves_every_file(tmp_path: Path) -> None:
    vectors = _open(tmp_path)
    vectors.put([entry("secret", 1), entry("other", 2)])
    vectors.flush()
    needle = entry("secret", 1).vectors.astype("float16").tobytes()
    assert _held(tmp_path, needle)
    assert _held(tmp_path, b"secret")
    vectors.drop(["secret"])
    vectors.purge()
    assert not _held(tmp_path, needle)
    assert not _held(tmp_path, b"secret")
    assert set(vectors.hashes()) == {"other"}


def _held(folder: Path, needle: bytes) -> bool:
    return any(needle in file.read_bytes() for file in folder.rglob("*") if file.is_file())
