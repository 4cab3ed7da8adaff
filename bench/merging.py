"""How long two texts take to merge, and how much memory, also when they are made to be hard."""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator

from helix.vault.paths import MAX_NOTE_BYTES
from helix.vault.text_merge import merge_text

Lines = list[str]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.merging", description=__doc__)
    parser.add_argument("--lines", type=int, nargs="*", default=[1_000, 10_000, 100_000, 1_000_000])
    options = parser.parse_args(argv)
    for count in options.lines:
        for name, base, one, two in _texts(count):
            for known in (base, None):
                seconds, held = _time(known, one, two)
                told = "known base" if known is not None else "no base"
                memory = _memory(known, one, two)
                print(
                    f"{count:9,} {name:18} {told:10} {seconds * 1000:7.0f} ms, other threads waited at most "
                    f"{held * 1000:4.0f} ms, {memory / 2**20:5.1f} MiB",
                    flush=True,
                )


def _texts(count: int) -> Iterator[tuple[str, str, str, str]]:
    """Two sides that each inserted, removed and appended a line; and some that share little."""
    rng = random.Random(1)
    short = [rng.choice("abcdefgh") for _ in range(count)]
    words = ["a", "b"]
    before = ["a"]
    while len(words) < count:
        words, before = words + before, words
    numbers = [f"{number:x}" for number in range(count)]
    for name, lines in {
        "equal lines": ["ok"] * count,
        "two lines in turn": ["ok", "no"] * (count // 2),
        "random short lines": short,
        "a Fibonacci word": words[:count],
        "distinct lines": numbers,
        "fences": ["```"] * count,
    }.items():
        yield name, _text(lines), _text(_edited(lines, 3, "x")), _text(["q", *_edited(lines, 4, "y")])
    yield "reversed", _text(numbers), _text(numbers[::-1]), _text(_edited(numbers, 3, "x"))
    yield "nothing in common", "", _text(numbers), _text([f"q{line}" for line in numbers])


def _edited(lines: Lines, part: int, word: str) -> Lines:
    at = len(lines) // part
    return [*lines[:at], word, *lines[at : 2 * at], *lines[2 * at + 1 :], word]


def _text(lines: Lines) -> str:
    text = "".join(f"{line}\n" for line in lines)[:MAX_NOTE_BYTES]
    return text[: text.rfind("\n") + 1]


def _time(base: str | None, one: str, two: str) -> tuple[float, float]:
    """Processor time of the merge, and the longest stretch of it in which no other thread could run."""
    done = threading.Event()
    longest = 0.0

    def watch() -> None:
        nonlocal longest
        last = time.process_time()
        while not done.wait(0.001):
            now = time.process_time()
            longest, last = max(longest, now - last), now

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.process_time()
    merge_text(base, one, two)
    took = time.process_time() - started
    done.set()
    watcher.join()
    return took, longest


def _memory(base: str | None, one: str, two: str) -> int:
    tracemalloc.start()
    merge_text(base, one, two)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main(sys.argv[1:])
