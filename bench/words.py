"""What the keyword index costs: building, searching, and a single change."""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path

from helix.index.analyze import query_tokens
from helix.index.keywords import KeywordDoc, Keywords, WhooshKeywords

_VOCABULARY = 50_000
_WORDS_PER_NOTE = 120
_SYLLABLES = [
    "ka",
    "ro",
    "mi",
    "ten",
    "sol",
    "var",
    "de",
    "lu",
    "pax",
    "qui",
    "net",
    "or",
    "ba",
    "zy",
    "fen",
    "gor",
]


class Notes:
    """Notes of a made-up language with Zipf's distribution, the same ones every time."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._words = [_spell(number) for number in range(_VOCABULARY)]
        self._weights = list(accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))

    def __iter__(self) -> Iterator[KeywordDoc]:
        return (self.note(number) for number in range(self._count))

    def note(self, number: int) -> KeywordDoc:
        words = self.words(random.Random(number), _WORDS_PER_NOTE)
        lines = [" ".join(words[at : at + 12]).capitalize() + "." for at in range(0, len(words), 12)]
        return KeywordDoc(
            f"mem_2026-06-18_{words[0]}-{words[1]}_{number:05x}",
            " ".join(words[:5]),
            words[5:7],
            "\n".join(lines),
            f"{number:012x}",
        )

    def words(self, rng: random.Random, count: int) -> list[str]:
        return rng.choices(self._words, cum_weights=self._weights, k=count)

    def queries(self, count: int) -> list[list[str]]:
        rng = random.Random(-1)
        return [query_tokens(" ".join(self.words(rng, rng.randint(2, 6)))) for _ in range(count)]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.words", description=__doc__)
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2, help="that analyse during the build")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    options = parser.parse_args(argv)
    notes = Notes(options.notes)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        measure(WhooshKeywords, Path(folder), notes, options)


def measure(
    engine: Callable[[Path], Keywords], folder: Path, notes: Notes, options: argparse.Namespace
) -> None:
    generated = _timed(lambda: sum(1 for _ in notes))
    keywords = engine(folder)
    built = _timed(lambda: keywords.build(notes, processes=options.processes))
    print(
        f"build: {options.notes} notes in {built:.1f} s, {options.notes / built:.0f} notes/s"
        f" (of which making the notes up: {generated:.1f} s)"
    )
    keywords.close()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"disk: {size / 1e6:.1f} MB")
    opened = time.perf_counter()
    keywords = engine(folder)
    print(f"open: {(time.perf_counter() - opened) * 1000:.0f} ms")

    queries = notes.queries(options.queries)
    _report("query, cold", _searches(keywords, queries))
    _report("query, warm", _searches(keywords, queries))
    updates = [notes.note(options.notes + number) for number in range(options.updates)]
    _report("one update, searchable", [_timed(partial(_update, keywords, doc)) for doc in updates])
    _report(f"query, with {len(updates)} in the delta", _searches(keywords, queries))
    print(f"flush of {len(updates)}: {_timed(keywords.flush) * 1000:.0f} ms")
    alone = []
    for doc in updates[:35]:
        keywords.put([doc])
        alone.append(_timed(keywords.flush))
    _report("flush of one", alone)
    _report("query, 35 small segments, cold", _searches(keywords, queries))
    _report("query, 35 small segments, warm", _searches(keywords, queries))
    print(f"merge of small segments: {_timed(keywords.maintain) * 1000:.0f} ms")
    print(f"near-miss suggestions, first: {_timed(partial(keywords.terms_like, 'kromi')) * 1000:.0f} ms")
    words = [query[0] for query in queries[:30]]
    _report("near-miss suggestions", [_timed(partial(keywords.terms_like, word)) for word in words])
    keywords.close()
    print(f"memory, peak: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _searches(keywords: Keywords, queries: list[list[str]]) -> list[float]:
    return [_timed(partial(keywords.search, words, 20)) for words in queries]


def _update(keywords: Keywords, doc: KeywordDoc) -> None:
    keywords.put([doc])
    keywords.search(query_tokens(doc.title), 1)


def _spell(number: int) -> str:
    letters = ""
    while number or not letters:
        number, rest = divmod(number, len(_SYLLABLES))
        letters += _SYLLABLES[rest]
    return letters


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _report(what: str, seconds: list[float]) -> None:
    p95 = sorted(seconds)[int(len(seconds) * 0.95)]
    print(f"{what}: p50 {statistics.median(seconds) * 1000:.2f} ms, p95 {p95 * 1000:.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
