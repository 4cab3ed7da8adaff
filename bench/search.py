"""What searching a vault costs, each figure beside its goal: taking in, a question, a write, a restart, memory, disk.

Few texts go through the model, or this would take an hour: those whose rate is measured, and the first of the notes
that are dropped in. The vectors of all others are made up (one of a real note, shaken): at 10,000 notes they lie in
the embedding cache beforehand, at 1,000 and 100,000 they are put into the vector index by its own door. Everything
else is as in life. Times are of the wall; where the processor's own time is printed beside, it tells a busy machine
from a slow program.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.figures import judge, report, timed
from bench.notes import Notes
from bench.restart import restart, under_load
from helix.compose import open_vault
from helix.config import Config
from helix.index.analyze import query_tokens
from helix.index.chunk import Chunk, chunks
from helix.index.embed import Embedder, find_embedder
from helix.index.embed_cache import EmbedCache
from helix.index.engine import Engine, Wording
from helix.index.filters import Where
from helix.index.meaning import to_entry
from helix.index.search import Question, Searcher
from helix.index.vectors import Vectors, vectors_folder
from helix.memory.followed_vault import FollowedVault
from helix.memory.search_engine import open_recall
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from helix.vault.vault_id import IDENTITY_FILE, new_identity, state_folder

_SIZES = (1_000, 10_000, 100_000)
_JUDGED = 10_000
_PATIENCE = 600.0
_SHAKEN = 0.3  # length of the noise that is added to the vector of a real note
_LIKENESSES = 50
_PORTION = 1_000


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
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES)
    parser.add_argument("--sample", type=int, default=300, help="notes that go through the model")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--writes", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    options = parser.parse_args(argv)
    slopes: list[Slope] = []
    for size in options.sizes:
        print(f"-- {size:,} notes", flush=True)
        # A process of its own for each size: what one leaves in memory is no figure of the next.
        with (
            tempfile.TemporaryDirectory(dir=options.folder) as place,
            ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool,
        ):
            slopes.append(pool.submit(_measure, Path(place), size, options).result())
    if len(slopes) > 1:
        _compare(slopes)


def _measure(place: Path, size: int, options: argparse.Namespace) -> Slope:
    notes, config = Notes(), _config(place)
    (config.vault / ".helix").mkdir(parents=True)
    (config.vault / IDENTITY_FILE).write_bytes(new_identity())
    embedder = find_embedder(config.model, place, config.embed_threads).embedder
    assert embedder is not None
    whole = size == _JUDGED
    if whole:
        _fill_cache(config, embedder, notes, range(options.sample, size))
        write_notes(place / "outside", notes, range(size))
    else:
        write_notes(config.vault, notes, range(size))
    questions = notes.questions(options.questions, size)
    with open_vault(config, must_follow=True) as helix:
        if not whole:
            print(f"read into the catalog: {_rate(size, timed(helix.catch_up))}", flush=True)
            fill_vectors(helix, embedder)
        started = time.perf_counter()
        with open_recall(helix) as recall:
            index = recall.index
            if whole:
                _drop(helix, index, place / "outside", size, options.sample)
                _embed(helix, index, embedder, notes, range(size, size + options.sample))
            else:
                assert index.wait_until_embedded(_PATIENCE)
                print(
                    f"words of all notes indexed, opening included: {_rate(size, time.perf_counter() - started)}",
                    flush=True,
                )
            search, encoding = _ask(recall.searcher, embedder, questions, is_judged=whole)
            if whole:
                _add(helix, index, notes, options.writes)
    resting = restart(place, questions, is_judged=whole)
    disk = _disk(config, size)
    peak = under_load(place, questions)
    print(
        f"memory: {resting:.0f} MB at rest after the first answer, at most {peak:.0f} MB with 9 threads at work"
    )
    return Slope(size, search, encoding, resting, disk)


def _config(place: Path) -> Config:
    return Config(vault=place / "vault", state_dir=place / "state", config_dir=place / "config")


def _fill_cache(config: Config, embedder: Embedder, notes: Notes, numbers: range) -> None:
    cache = EmbedCache(config.state_dir / "embeddings.db")
    made = _made_up(embedder)
    for first in range(numbers.start, numbers.stop, _PORTION):
        hashes = [_piece(notes, number).hash for number in numbers[first - numbers.start :][:_PORTION]]
        cache.put(embedder.digest, dict(zip(hashes, made, strict=False)))
    cache.close()


def fill_vectors(helix: FollowedVault, embedder: Embedder) -> None:
    folder = vectors_folder(state_folder(helix.config.state_dir, helix.config.vault), embedder.digest)
    vectors = Vectors(folder, embedder.digest, embedder.dimensions)
    made = _made_up(embedder)
    for row in helix.catalog.memories(include_hidden=True):
        note = helix.vault.read(row.path)
        vectors.put([replace(to_entry(note.memory, note.hash), vectors=next(made)[None, :])])
    vectors.flush()
    vectors.close()


def _made_up(embedder: Embedder) -> Iterator[np.ndarray]:
    """Near enough to real vectors that the answers are taken for answers."""
    notes, rng = Notes(), np.random.default_rng(1)
    real = embedder.embed([_piece(notes, number).text for number in range(_LIKENESSES)])
    while True:
        noise = rng.standard_normal((_PORTION, embedder.dimensions))
        noise *= _SHAKEN / np.linalg.norm(noise, axis=1, keepdims=True)
        made = real[rng.integers(0, len(real), _PORTION)] + noise
        yield from (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def _piece(notes: Notes, number: int) -> Chunk:
    [piece] = chunks(Note.parse(notes.path(number), notes.data(number)).memory)
    return piece


def write_notes(folder: Path, notes: Notes, numbers: range) -> None:
    for number in numbers:
        file = folder / notes.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(notes.data(number))


# Taking in


def _drop(helix: FollowedVault, index: Engine, outside: Path, size: int, sample: int) -> None:
    """Moved in as a folder: who writes the files is another process in real life, and costs Helix nothing."""
    follower = helix.follower()
    follower.start()
    try:
        follower.wait_until_started(60)
        _wait(lambda: follower.health().watcher == "watching")
        started, worked = time.perf_counter(), time.process_time()
        os.replace(outside / "projects", helix.config.vault / "projects")
        _wait(lambda: index.health().memories >= size)
        rate, work = size / (time.perf_counter() - started), size / (time.process_time() - worked)
        judge("a folder of notes moved in, until all are found by words", rate, 500, "notes/s", at_least=True)
        print(
            f"         ({work:,.0f} per second of processor time; the model embedded the first {sample} meanwhile, the "
            "vectors of the others were cached)",
            flush=True,
        )
        assert index.wait_until_embedded(_PATIENCE)
    finally:
        follower.stop()


def _embed(helix: FollowedVault, index: Engine, embedder: Embedder, notes: Notes, numbers: range) -> None:
    """The same texts through the model alone, half of them before and half after, so that a busy machine is busy for
    both."""
    texts = [_piece(notes, number).text for number in numbers]
    half = len(texts) // 2
    alone = timed(embedder.embed, texts[:half])
    started = time.perf_counter()
    write_notes(helix.config.vault, notes, numbers)
    helix.reconciler.reconcile()
    assert index.wait_until_embedded(_PATIENCE)
    through = time.perf_counter() - started
    alone += timed(embedder.embed, texts[half:])
    judge("embedded, from file to vector", 100 * alone / through, 80, "% of the model's rate", at_least=True)
    print(
        f"         ({len(texts)} notes: {_rate(len(texts), through)}, the model alone {_rate(len(texts), alone)})"
    )


# Asking and writing


def _ask(
    searcher: Searcher, embedder: Embedder, questions: list[str], *, is_judged: bool
) -> tuple[float, float]:
    searcher.search(Question("warm up"))
    encodings, searches, narrow, own, found = [], [], [], [], 0
    for number, question in enumerate(questions):
        worked = time.thread_time()
        # Each text once: what was encoded, or asked, a moment ago is remembered.
        encodings.append(timed(embedder.embed_query, f"when {question}"))
        spent = time.thread_time() - worked
        started, worked = time.perf_counter(), time.thread_time()
        found += len(searcher.search(Question(question)).hits)
        searches.append(time.perf_counter() - started)
        own.append(time.thread_time() - worked - spent)
        narrow.append(timed(searcher.search, Question(f"why {question} project:p{number % 10:03}")))
    report("encoding a question", encodings)
    report(f"search, {found / len(questions):.1f} memories found", searches)
    report("search in one project, by a filter", narrow)
    above = statistics.median(one - other for one, other in zip(searches, encodings, strict=True)) * 1000
    if is_judged:
        judge("search, p50 above encoding", above, 8, "ms")
        ratio = statistics.median(narrow) / statistics.median(searches)
        judge("search with a narrow filter", ratio, 1.1, "× without")
    else:
        print(f"search above encoding: p50 {above:.1f} ms")
    print(f"         (of processor time {statistics.median(own) * 1000:.1f} ms above encoding)", flush=True)
    return statistics.median(searches), statistics.median(encodings)


def _add(helix: FollowedVault, index: Engine, notes: Notes, writes: int) -> None:
    bare, through = [], []
    for number in range(writes):
        title, body = notes.title(-number - 2), notes.body(-number - 2)
        data = notes.data(-number - 2)
        bare.append(timed(_durable_write, helix.config.vault.parent / "bare", data))
        started = time.perf_counter()
        written = helix.store.add(
            NewMemory(body, title, scope="project", project="p000", tags=("bench", "written"))
        ).note
        words = query_tokens(f"{title} written")
        found = index.candidates(Wording("", words), Where(among=frozenset({written.id})), 20).found
        assert any(one.id == written.id and one.words for one in found)
        through.append(time.perf_counter() - started)
        assert index.wait_until_embedded(_PATIENCE)
    report("one bare durable write", bare)
    report("one memory written and found by words", through)
    above = statistics.median(through) - statistics.median(bare)
    judge("written and found, p50 above a bare write", above * 1000, 40, "ms")


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


def _compare(slopes: list[Slope]) -> None:
    print("-- larger and larger")
    by_size = {one.notes: one for one in slopes}
    if {_JUDGED, _SIZES[-1]} <= by_size.keys():
        ratio = by_size[_SIZES[-1]].search / by_size[_JUDGED].search
        judge(f"search, p50 at {_SIZES[-1]:,} notes", ratio, 1.5, f"× that at {_JUDGED:,}")
    less, more = slopes[-2:]
    grown = 1_000_000 - more.notes

    def at_a_million(of: Callable[[Slope], float]) -> float:
        return of(more) + grown * (of(more) - of(less)) / (more.notes - less.notes)

    search = at_a_million(lambda one: one.search - one.encoding)
    print(
        f"1,000,000 notes, on paper, from {less.notes:,} and {more.notes:,}: search {search * 1000:.0f} ms above "
        f"encoding, {at_a_million(lambda one: one.resident) / 1024:.1f} GB of memory, "
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
