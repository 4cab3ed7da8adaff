"""One hostile file costs little, and the rest of the vault is served as before."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from tests.follow.rig import Rig

LAUGHS = "---\na: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(40)) + "---\n"
HOSTILE = {
    "laughs.md": LAUGHS.encode(),
    "deep.md": b"---\na: " + b"[" * 60_000 + b"\n---\n",
    "python.md": b"---\na: !!python/object/apply:os.system [ls]\n---\n",
    "fat.md": b"---\n" + b"".join(b"k%d: v\n" % n for n in range(20_000)) + b"---\n",
    "number.md": b"---\nn: " + b"9" * 60_000 + b"\n---\ntext\n",
    "nul.md": b"---\nid: x\n---\n\0\0\0",
    "binary.md": bytes(range(256)) * 64,
}


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_a_body_of_100_mb_is_refused_without_being_read_and_the_others_are_served(rig: Rig) -> None:
    (rig.folder / "good.md").write_text("---\nid: good\n---\nText.\n")
    with (rig.folder / "huge.md").open("wb") as file:
        file.write(b"---\nid: huge\n---\n")
        file.truncate(100 * 1024 * 1024)
    _follow_cheaply(rig, seconds=0.2, memory=50 * 1024 * 1024)
    assert [row.id for row in rig.catalog.memories()] == ["good"]
    [problem] = rig.catalog.problems()
    assert (problem.path, problem.code) == ("huge.md", "note-too-large")
    assert "split" in problem.remedy


def test_a_vault_full_of_hostile_files_is_followed_and_each_is_explained(rig: Rig) -> None:
    (rig.folder / "good.md").write_text("---\nid: good\n---\nText.\n")
    for name, data in HOSTILE.items():
        (rig.folder / name).write_bytes(data)
    _follow_cheaply(rig, seconds=0.1 * len(HOSTILE), memory=50 * 1024 * 1024)
    assert rig.catalog.find("good") is not None
    problems = {problem.path: problem for problem in rig.catalog.problems()}
    assert set(problems) == set(HOSTILE) - {"number.md"}  # a long number is read as the text it is
    assert all(problem.reason and problem.remedy for problem in problems.values())
    assert all((rig.folder / name).read_bytes() == data for name, data in HOSTILE.items())


def _follow_cheaply(rig: Rig, *, seconds: float, memory: int) -> None:
    tracemalloc.start()
    started = time.process_time()
    rig.follow()
    spent, peak = time.process_time() - started, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Tracing every allocation makes Python several times slower.
    assert spent < 5 * seconds
    assert peak < memory
