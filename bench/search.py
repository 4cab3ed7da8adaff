"""What searching a vault costs, each beside its floor: taking notes in, a question, a write, a restart, memory, disk.

Few texts go through the model, or this would take an hour: the first notes, and those whose rate is measured. The
vectors of all others are made up (one of a real note, shaken) and lie in the cache beforehand.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.figures import report, timed
from bench.notes import Notes
from helix.compose import Helix, open_helix, open_recall
from helix.config import Config
from helix.index.analyze import query_tokens
from helix.index.chunk import Chunk, chunks
from helix.index.embed import Embedder, find_embedder
from helix.index.embed_cache import EmbedCache
from helix.index.index import Index
from helix.index.search import Asked
from helix.memory.recall import Recall
from helix.vault.birth import NewMemory
from helix.vault.note import Note
from helix.vault.vault_id import IDENTITY_FILE, new_identity, state_folder

_LARGE = 100_000
_SMALL = 1_000
_PATIENCE = 1_800.0
_SHAKEN = 0.3  # length of the noise that is added to the vector of a real note
_LIKENESSES = 50
_RESTARTS = 3
_IMPORTS = (
    "import helix.compose, helix.index.embed, helix.index.embed_cache, helix.index.index, helix.memory.recall\n"
    "import lancedb, pyarrow, fastembed, onnxruntime\n"
)
_LOADS = (
    "from pathlib import Path\n"
    "helix.index.embed.find_embedder('bundled', Path('unused')).embedder.embed_query('retry policy')\n"
)


@dataclass(frozen=True)
class Slope:
    """What one size came to, for the estimate of a larger one."""

    notes: int
    search: float
    encoding: float
    resident: float
    disk: float


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.search", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--sample", type=int, default=300, help="notes that go through the model")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--writes", type=int, default=60)
    parser.add_argument("--large", action="store_true", help=f"also search {_LARGE:,} notes")
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    options = parser.parse_args(argv)
    slopes = []
    for size in (_SMALL, options.notes, *([_LARGE] if options.large else [])):
        print(f"-- {size:,} notes", flush=True)
        # A process of its own for each size: what one leaves in memory is no figure of the next.
        with (
            tempfile.TemporaryDirectory(dir=options.folder) as place,
            ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        ):
            whole = size == options.notes
            slopes.append(pool.submit(_measure, Path(place), size, options, whole).result())
    _on_paper(slopes)


def _measure(place: Path, size: int, options: argparse.Namespace, whole: bool) -> Slope:
    notes, config = Notes(), _config(place)
    (config.vault / ".helix").mkdir(parents=True)
    (config.vault / IDENTITY_FILE).write_bytes(new_identity())
    embedder = find_embedder(config.model, place, config.embed_threads).embedder
    assert embedder is not None
    _fill_cache(config, embedder, notes, range(options.sample if whole else 0, size))
    if not whole:
        _write(config.vault, notes, range(size))
    with open_helix(config, must_follow=True) as helix:
        if not whole:
            print(f"read into the catalog: {_rate(size, timed(helix.catch_up))}")
        started = time.perf_counter()
        with open_recall(helix) as (recall, index):
            if whole:
                _drop(helix, index, notes, size, options.sample)
                _embed(helix, index, embedder, notes, range(size, size + options.sample))
            else:
                assert index.wait_until_embedded(_PATIENCE)
                print(f"indexed, vectors from the cache: {_rate(size, time.perf_counter() - started)}")
            search, encoding = _ask(recall, embedder, notes.questions(options.questions, size))
            if whole:
                _add(helix, index, notes, options.writes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    resting = _restart(place)
    print(f"memory: {resting:.0f} MB after the first answer, at most {peak:.0f} MB while all this went on")
    return Slope(size, search, encoding, resting, _disk(config, size))


def _config(place: Path) -> Config:
    return Config(vault=place / "vault", state_dir=place / "state", config_dir=place / "config")


def _fill_cache(config: Config, embedder: Embedder, notes: Notes, numbers: range) -> None:
    """Near enough to real vectors that the answers are taken for answers."""
    real = embedder.embed([_piece(notes, number).text for number in range(_LIKENESSES)])
    rng = np.random.default_rng(1)
    cache = EmbedCache(config.state_dir / "embeddings.db")
    for first in range(numbers.start, numbers.stop, 1_000):
        some = range(first, min(first + 1_000, numbers.stop))
        noise = rng.standard_normal((len(some), embedder.dimensions))
        noise *= _SHAKEN / np.linalg.norm(noise, axis=1, keepdims=True)
        made = real[rng.integers(0, len(real), len(some))] + noise
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        hashes = [_piece(notes, number).hash for number in some]
        cache.put(embedder.digest, dict(zip(hashes, made.astype(np.float32), strict=True)))
    cache.close()


def _piece(notes: Notes, number: int) -> Chunk:
    [piece] = chunks(Note.parse(notes.path(number), notes.data(number)).memory)
    return piece


def _write(folder: Path, notes: Notes, numbers: range) -> None:
    for number in numbers:
        file = folder / notes.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(notes.data(number))


# Taking in


def _drop(helix: Helix, index: Index, notes: Notes, size: int, sample: int) -> None:
    """Moved in as a folder: who writes the files is another process in real life, and costs Helix nothing."""
    outside = helix.config.vault.parent / "outside"
    _write(outside, notes, range(size))
    follower = helix.follower()
    follower.start()
    try:
        follower.wait_until_started(60)
        _wait(lambda: follower.health().watcher == "watching")
        started = time.perf_counter()
        os.replace(outside / "projects", helix.config.vault / "projects")
        _wait(lambda: index.keywords.count() >= size)
        print(
            f"moved into the folder: all found by words at {_rate(size, time.perf_counter() - started)}, while the "
            f"model embedded {sample} of them (vectors of the others from the cache)",
            flush=True,
        )
        assert index.wait_until_embedded(_PATIENCE)
    finally:
        follower.stop()


def _embed(helix: Helix, index: Index, embedder: Embedder, notes: Notes, numbers: range) -> None:
    """The same texts through the model alone, half of them before and half after, so that a busy machine is busy for
    both."""
    texts = [_piece(notes, number).text for number in numbers]
    half = len(texts) // 2
    alone = timed(embedder.embed, texts[:half])
    started = time.perf_counter()
    _write(helix.config.vault, notes, numbers)
    helix.reconciler.reconcile()
    assert index.wait_until_embedded(_PATIENCE)
    through = time.perf_counter() - started
    alone += timed(embedder.embed, texts[half:])
    print(
        f"embedded, from file to vector: {_rate(len(texts), through)}; the model alone {_rate(len(texts), alone)}: "
        f"{alone / through:.0%}",
        flush=True,
    )


# Asking and writing


def _ask(recall: Recall, embedder: Embedder, questions: list[str]) -> tuple[float, float]:
    recall.search(Asked("warm up"))
    encodings, searches, found = [], [], 0
    for question in questions:
        encodings.append(timed(embedder.embed_query, question))
        started = time.perf_counter()
        found += len(recall.search(Asked(question)).found)
        searches.append(time.perf_counter() - started)
    report("encoding a question", encodings)
    report(f"search, {found / len(questions):.1f} memories found", searches)
    above = statistics.median(one - other for one, other in zip(searches, encodings, strict=True))
    print(f"search above encoding: p50 {above * 1000:.1f} ms", flush=True)
    return statistics.median(searches), statistics.median(encodings)


def _add(helix: Helix, index: Index, notes: Notes, writes: int) -> None:
    bare, through = [], []
    for number in range(writes):
        title, body = notes.title(-number - 2), notes.body(-number - 2)
        data = notes.data(-number - 2)
        bare.append(timed(_durable_write, helix.config.vault.parent / "bare", data))
        started = time.perf_counter()
        written = helix.memories.add(
            NewMemory(body, title, scope="project", project="p000", tags=("bench", "written"))
        )
        assert written.id in dict(index.keywords.search(query_tokens(f"{title} written"), 20))
        through.append(time.perf_counter() - started)
        assert index.wait_until_embedded(_PATIENCE)
    report("one bare durable write", bare)
    report("one memory written and found by words", through)
    above = statistics.median(through) - statistics.median(bare)
    print(f"written and found, above a bare write: p50 {above * 1000:.1f} ms", flush=True)


def _durable_write(folder: Path, data: bytes) -> None:
    folder.mkdir(exist_ok=True)
    temp, file = folder / "note.tmp", folder / "note.md"
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(handle, data)
    os.fsync(handle)
    os.close(handle)
    os.replace(temp, file)
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


# Starting again


def _restart(place: Path) -> float:
    """In turns with a process that only imports, and one that loads the model as well. Returns MB at rest."""
    codes = {
        "a process that only imports": _IMPORTS,
        "… and loads the model for one question": _IMPORTS + _LOADS,
        "restart to the first answer": f"import bench.search\nbench.search.answer({str(place)!r})",
    }
    seconds: dict[str, list[float]] = {name: [] for name in codes}
    resident: dict[str, float] = {}
    for _ in range(_RESTARTS):
        for name, code in codes.items():
            started = time.perf_counter()
            child = subprocess.Popen(
                [sys.executable, "-c", f"{code}\nimport bench.search\nbench.search.tell_resident()"],
                stdout=subprocess.PIPE,
                text=True,
            )
            said = child.stdout.readline() if child.stdout is not None else ""
            seconds[name].append(time.perf_counter() - started)
            child.wait()
            resident[name] = float(said)
    for name, measured in seconds.items():
        print(f"{name}: {statistics.median(measured):.2f} s, {resident[name]:.0f} MB")
    imports, loaded, answered = (statistics.median(measured) for measured in seconds.values())
    print(
        f"restart: {answered / imports:.2f} × imports alone, {answered / loaded:.2f} × with the model",
        flush=True,
    )
    return list(resident.values())[-1]


def answer(place: str) -> None:
    with open_helix(_config(Path(place)), must_follow=True) as helix:
        helix.catch_up()
        with open_recall(helix) as (recall, _):
            assert recall.search(Asked(Notes().title(3))).found
            tell_resident()


def tell_resident() -> None:
    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[1])
    print(pages * resource.getpagesize() / 1024**2, flush=True)


# Sizes


def _disk(config: Config, notes: int) -> float:
    state = state_folder(config.state_dir, config.vault)
    places = {
        "words": [state / "keywords"],
        "vectors": list(state.glob("vectors-*")),
        "catalog": list(state.glob("catalog.db*")),
        "ancestry": list(state.glob("ancestry.db*")),
        "cache": list(config.state_dir.glob("embeddings.db*")),
    }
    sizes = {name: sum(map(_bytes, paths)) / notes for name, paths in places.items()}
    parts = ", ".join(f"{name} {size:,.0f}" for name, size in sizes.items())
    print(
        f"disk, bytes per note: {parts}; the notes themselves {_bytes(config.vault) / notes:,.0f}", flush=True
    )
    return sum(sizes.values())


def _bytes(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def _on_paper(slopes: list[Slope]) -> None:
    less, more = slopes[-2:]
    grown = 1_000_000 - more.notes

    def at_a_million(of: Callable[[Slope], float]) -> float:
        return of(more) + grown * (of(more) - of(less)) / (more.notes - less.notes)

    search = at_a_million(lambda one: one.search - one.encoding)
    print(
        f"-- 1,000,000 notes, on paper, from {less.notes:,} and {more.notes:,}: search "
        f"{search * 1000:.0f} ms above encoding, {at_a_million(lambda one: one.resident) / 1024:.1f} GB of memory, "
        f"{more.disk * 1e6 / 1024**3:.1f} GB of disk"
    )


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:,.0f} notes/s" if count > 20 * seconds else f"{count / seconds:.1f} notes/s"


def _wait(what: Callable[[], bool]) -> None:
    deadline, tick = time.monotonic() + _PATIENCE, threading.Event()
    while not what():
        if time.monotonic() > deadline:
            sys.exit("waited in vain")
        tick.wait(0.02)


if __name__ == "__main__":
    main(sys.argv[1:])
