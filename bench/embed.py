"""What embedding costs: the model alone and through the worker, a question with and without it, and the memory."""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.figures import judge, report, timed
from helix.index.chunk import Chunk, chunks
from helix.index.embed import BundledEmbedder, Embedder
from helix.index.embed_cache import EmbedCache
from helix.index.encoder import Encoder
from helix.index.models import bundled_embedder
from helix.index.rerank import Reranker
from helix.index.worker import FRESH, EmbedWorker
from helix.vault.note import Memory

_SENTENCE = (
    "the auth client retries three times with jitter before it gives up because the gateway drops idle "
    "connections after a minute we keep the limit low in staging and raise it for the nightly import job"
)
_WORDS = _SENTENCE.split()

# In a process of its own, so that only what is named is in it.
_MEMORY = """
import sys
from bench.embed import _resident, _note
import numpy
bare = _resident()
from helix.index.embed import BundledEmbedder
from helix.index.models import bundled_embedder
embedder = BundledEmbedder(bundled_embedder())
embedder.embed_query("why does it retry")
ready = _resident()
embedder.embed([_note(number, 300)[0].text for number in range(20)])
busy = _resident()
embedder.rest()
print(bare, ready, busy, _resident())
"""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.embed", description=__doc__)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--words", type=int, default=130, help="per note")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args(argv)
    _memory()
    embedder = BundledEmbedder(bundled_embedder(), options.threads)
    print(f"first question, import and load included: {timed(embedder.embed_query, 'a text') * 1000:.0f} ms")
    notes = [_note(number, options.words) for number in range(options.notes * 2)]
    with tempfile.TemporaryDirectory() as folder:
        cache = EmbedCache(Path(folder, "cache.db"))
        worker = EmbedWorker(embedder, cache, lambda memory_id, made, vectors: None)
        _work(worker, notes)
        again = timed(_through, worker, notes[options.notes :])
        print(f"the same notes again, all cached: {options.notes / again:.0f} notes/s")
        _questions(worker, embedder, options.queries)
        _fresh(worker, notes[: options.notes])
        worker.stop()
        cache.close()
    _reranking(options.threads)


def _memory() -> None:
    done = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True)
    bare, ready, busy, rested = (int(figure) for figure in done.stdout.split())
    print(
        f"memory: Python with numpy {bare} MB, with the model ready {ready}, embedding {busy}, after {rested}"
    )
    judge("memory of the model at rest, above a bare Python with numpy", rested - bare, 95, "MB")


def _work(worker: EmbedWorker, notes: list[list[Chunk]]) -> None:
    """In turns, so that a busy machine is busy for both."""
    encoder = Encoder(bundled_embedder())
    half = len(notes) // 2
    portion = max(1, half // 5)
    alone, through, waited = [], [], 0.0
    for first in range(0, half, portion):
        some = notes[first : first + portion]
        started = time.process_time()
        for made in some:
            encoder.first(made[0].text)
        alone.append((time.process_time() - started) / len(some))
        others = notes[half + first : half + first + portion]
        started = time.process_time()
        waited += timed(_through, worker, others)
        through.append((time.process_time() - started) / len(others))
    print(f"a note, processor time of the model alone: {statistics.median(alone) * 1000:.1f} ms")
    print(
        f"a note through the worker and the cache: {statistics.median(through) * 1000:.1f} ms of processor time, "
        f"{waited / half * 1000:.1f} ms of wall time"
    )
    ratios = [one / other for one, other in zip(through, alone, strict=True)]
    judge(
        "processor time through the worker, of that of the model alone", statistics.median(ratios), 1.15, "x"
    )


def _questions(worker: EmbedWorker, embedder: Embedder, count: int) -> None:
    """In turns again; the pause between two is that of a client which reads the answer."""
    figures: dict[str, list[tuple[float, float]]] = {"quiet": [], "beside embedding": []}
    for turn in range(4):
        asked = range(turn * count // 4, (turn + 1) * count // 4)
        figures["quiet"] += [_question(embedder, f"why does {number} retry") for number in asked]
        for number in range(400):
            worker.submit(f"turn{turn}-{number}", _note(10_000 * (turn + 1) + number, 130))
        figures["beside embedding"] += [
            _question(embedder, f"who raised the limit of {number}") for number in asked
        ]
        for number in range(400):
            worker.withdraw(f"turn{turn}-{number}")
        assert worker.wait(60)
    for what, seconds in figures.items():
        report(f"a question, {what}", [wall for wall, _ in seconds])
        report("  of it processor time", [own for _, own in seconds])
    medians = [statistics.median(wall for wall, _ in seconds) for seconds in figures.values()]
    judge("a question beside embedding, of one without", medians[1] / medians[0], 1.3, "x")
    repeated = [timed(embedder.embed_query, "why does 1 retry") for _ in range(count)]
    judge("a question asked before, of a new one", statistics.median(repeated) / medians[0], 0.05, "x")


def _question(embedder: Embedder, text: str) -> tuple[float, float]:
    time.sleep(0.005)
    own = time.thread_time()
    wall = timed(embedder.embed_query, text)
    return wall, time.thread_time() - own


def _reranking(threads: int) -> None:
    reranker = Reranker(threads=threads)
    reranker.scores("warm up", ["text"])
    for length in (200, 500, 1_000):
        texts = [" ".join(random.choices(_WORDS, k=400))[:length] for _ in range(10)]
        report(
            f"rerank, per pair of {length} characters",
            [timed(reranker.scores, "why does the client retry", texts) / 10 for _ in range(3)],
        )
    reranker.close()


def _note(number: int, words: int) -> list[Chunk]:
    body = " ".join(random.Random(number).choices(_WORDS, k=words))
    title = f"Note {number}"
    return chunks(Memory(title, title, "fact", "global", None, "active", ("bench",), {}, body))


def _resident() -> int:
    """MB of this process, now."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("/proc does not say")


def _through(worker: EmbedWorker, notes: list[list[Chunk]]) -> None:
    for number, made in enumerate(notes):
        worker.submit(str(number), made)
    assert worker.wait(3_600)


def _fresh(worker: EmbedWorker, notes: list[list[Chunk]]) -> None:
    """How long a fresh note waits while the worker is busy with many."""
    unseen = [[Chunk(0, made[0].text + " once more", 0, 0, made[0].hash[::-1])] for made in notes]
    for number, made in enumerate(unseen[1:]):
        worker.submit(f"bulk{number}", made)
    done = threading.Event()
    started = time.perf_counter()
    worker._on_done = lambda memory_id, made, vectors: done.set() if memory_id == "fresh" else None
    worker.submit("fresh", unseen[0], FRESH)
    assert done.wait(600)
    print(f"a fresh note behind {len(notes)} others: {(time.perf_counter() - started) * 1000:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
