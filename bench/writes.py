"""What a durable write costs, and what it withstands: kills at random moments, and a person who saves.

Then what a memory costs beside the durable write that is in it: checked, compared, written, taken in and found, by one
writer and by many at once, in a small vault and in a larger one. In process and without a model, which embeds later.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from unittest import mock

from bench.figures import judge
from bench.notes import Notes
from helix.vault import files as files_module
from helix.vault.files import Files, Write, Written
from helix.vault.hashes import content_hash
from helix.vault.paths import Root
from tests.memory.world import World, opened
from tests.vault import kills, races

_NOTE = b"A line of an ordinary note.\n" * 70  # about 2 KB
_BATCH = 64
_SAVES_PER_NOTE = 100
_WRITERS = 32
# A write of 20 ms where a bare durable one takes 4; of 150 among 32 writers. The rest of it is processor time.
_TIMES_BARE = 5.0
_TIMES_AMONG_MANY = 7.5
_TIMES_IN_A_LARGE_VAULT = 1.2
_PROCESSOR_MS = 10.0


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.writes", description=__doc__)
    parser.add_argument("--writes", type=int, default=500)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--saves", type=int, default=1000)
    parser.add_argument("--notes", type=int, nargs="*", default=[1000, 10_000], help="vaults to remember in")
    parser.add_argument("--memories", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        _costs(Path(folder), options.writes)
        _kills(Path(folder, "kills"), options.kills)
        _races(Path(folder, "races"), options.saves, "swap")
        with mock.patch.object(files_module, "_exchange", _unsupported):
            _races(Path(folder, "link"), options.saves, "no swap")
            with mock.patch.object(os, "link", _unsupported):
                _races(Path(folder, "plain"), options.saves, "no swap and no links")
        _memories(Path(folder), options.notes, options.memories)


def _costs(folder: Path, writes: int) -> None:
    files = Files(Root(folder))
    versions = [_NOTE + b"%d\n" % number for number in range(writes + 1)]
    files.write(Write("alone.md", versions[0], None))
    pairs = list(pairwise(versions))
    alone = [_timed(files.write, Write("alone.md", new, content_hash(old))) for old, new in pairs]
    _report("durable write, alone", alone)

    names = [f"{number}.md" for number in range(_BATCH)]
    files.commit([Write(name, versions[0], None) for name in names])
    batched = []
    for old, new in pairs[: max(1, writes // _BATCH)]:
        batch = [Write(name, new, content_hash(old)) for name in names]
        batched.append(_timed(_all_written, files, batch) / _BATCH)
    _report(f"durable write, per file in batches of {_BATCH}", batched)

    _report("os.replace without any sync", [_timed(_replace_without_sync, folder, data) for data in versions])


def _all_written(files: Files, batch: list[Write]) -> None:
    assert all(isinstance(outcome, Written) for outcome in files.commit(batch))


def _replace_without_sync(folder: Path, data: bytes) -> None:
    (folder / "plain.tmp").write_bytes(data)
    os.replace(folder / "plain.tmp", folder / "plain.md")


def _kills(folder: Path, count: int) -> None:
    folder.mkdir()
    tally = kills.run(folder, count, seed=2)
    print(
        f"kill -9: {tally.kills} kills ({tally.interrupted} left a temp), "
        f"{tally.acknowledged} acknowledged writes, torn {tally.torn}, lost {tally.lost}, "
        f"leftovers that could not be swept {tally.unexplained}"
    )


def _races(folder: Path, saves: int, how: str) -> None:
    for style in races.STYLES:
        tally = races.Tally()
        for number in range(max(1, saves // len(races.STYLES) // _SAVES_PER_NOTE)):
            place = folder / f"{style.__name__}-{number}"
            place.mkdir(parents=True)
            races.run(place, style, _SAVES_PER_NOTE, seed=number, tally=tally)
        print(
            f"race, {how}, {style.__name__}: {tally.saves} saves against {tally.writes} writes "
            f"({tally.stale} refused as stale), {tally.late_saves} late saves found, lost {tally.lost}"
        )


def _memories(folder: Path, sizes: list[int], count: int) -> None:
    found = [_remember(folder / f"vault-{size}", size, count) for size in sizes]
    for size, processor in zip(sizes[1:], found[1:], strict=True):
        ratio = processor / found[0]
        judge(f"processor time at {size} notes, beside {sizes[0]}", ratio, _TIMES_IN_A_LARGE_VAULT, "times")


def _remember(place: Path, size: int, count: int) -> float:
    """The milliseconds of processor time that one memory takes."""
    notes = Notes()
    for number in range(size):
        file = place / "vault" / notes.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(notes.data(number))
    texts = iter(range(10**6, 10**9))
    with opened(place, now=None) as world:
        bare = Files(Root(place / "vault"))
        alone, durable, processor = [], [], []
        for number in range(count):  # in turn, so that both see the same load
            text = notes.body(next(texts))
            before = time.thread_time()
            alone.append(_timed(_add, world, text))
            processor.append((time.thread_time() - before) * 1000)
            durable.append(_timed(bare.write, Write(f"bare/{number}.md", text.encode(), None)))
        bodies = [notes.body(next(texts)) for _ in range(count)]
        with ThreadPoolExecutor(_WRITERS) as pool:
            many = list(pool.map(lambda text: _timed(_add, world, text), bodies))
    print(f"remembering, {size} notes")
    _report("  a bare durable write of the same text", durable)
    _report("  a memory, one writer", alone)
    _report(f"  a memory, {_WRITERS} writers at once", many)
    one, of_many = statistics.median(alone), statistics.median(many)
    judge("a memory, beside the bare write", one / statistics.median(durable), _TIMES_BARE, "times")
    judge(f"one of {_WRITERS} writers, beside one alone", of_many / one, _TIMES_AMONG_MANY, "times")
    judge("processor time before the answer", statistics.median(processor), _PROCESSOR_MS, "ms")
    return statistics.median(processor)


def _add(world: World, text: str) -> None:
    assert world.add(text, project=f"p{random.randrange(10):03}")["status"] == "created"


def _unsupported(*arguments: object, **options: object) -> None:
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def _timed(act: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    act(*arguments)
    return time.perf_counter() - started


def _report(what: str, seconds: list[float]) -> None:
    p95 = sorted(seconds)[int(len(seconds) * 0.95)]
    print(f"{what}: p50 {statistics.median(seconds) * 1000:.2f} ms, p95 {p95 * 1000:.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
