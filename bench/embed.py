"""What embedding costs: the model alone and through the worker, a query, a pair for the reranker."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.figures import report, timed
from helix.index.chunk import Chunk, chunks
from helix.index.embed import find_embedder
from helix.index.embed_cache import EmbedCache
from helix.index.rerank import Reranker
from helix.index.worker import FRESH, EmbedWorker
from helix.vault.note import Memory

_SENTENCE = (
    "the auth client retries three times with jitter before it gives up because the gateway drops idle "
    "connections after a minute we keep the limit low in staging and raise it for the nightly import job"
)
_WORDS = _SENTENCE.split()


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.embed", description=__doc__)
    parser.add_argument("--notes", type=int, default=200)
    parser.add_argument("--words", type=int, default=60, help="per note")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args(argv)
    found = find_embedder("bundled", Path("unused"), options.threads)
    assert found.embedder is not None, found.reason
    embedder = found.embedder
    print(f"first text, import and load included: {timed(embedder.embed, ['a text']) * 1000:.0f} ms")
    notes = [_note(number, options.words) for number in range(options.notes * 2)]

    # In turns, so that a busy machine is busy for both.
    raw = through = 0.0
    portion = max(1, options.notes // 5)
    with tempfile.TemporaryDirectory() as folder:
        cache = EmbedCache(Path(folder, "cache.db"))
        worker = EmbedWorker(embedder, cache, lambda memory_id, made, vectors: None)
        for first in range(0, options.notes, portion):
            some = notes[first : first + portion]
            raw += timed(embedder.embed, [made[0].text for made in some])
            others = notes[options.notes + first : options.notes + first + portion]
            through += timed(_through, worker, others)
        print(f"model alone: {options.notes / raw:.1f} notes/s")
        print(f"through the worker and the cache: {options.notes / through:.1f} notes/s, {raw / through:.0%}")
        again = timed(_through, worker, notes[options.notes :])
        print(f"the same notes again, all cached: {options.notes / again:.0f} notes/s")
        _fresh(worker, notes[: options.notes])
        worker.stop()

    report(
        "query",
        [timed(embedder.embed_query, f"why does {number} retry") for number in range(options.queries)],
    )
    reranker = Reranker(threads=options.threads)
    reranker.scores("warm up", ["text"])
    for length in (200, 500, 1_000):
        texts = [" ".join(random.choices(_WORDS, k=400))[:length] for _ in range(10)]
        report(
            f"rerank, per pair of {length} characters",
            [timed(reranker.scores, "why does the client retry", texts) / 10 for _ in range(3)],
        )
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _note(number: int, words: int) -> list[Chunk]:
    body = " ".join(random.Random(number).choices(_WORDS, k=words))
    title = f"Note {number}"
    return chunks(Memory(title, title, "fact", "global", None, "active", ("bench",), {}, body))


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
