"""Postings: for a word, the documents that hold it and how much it weighs in each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

Docs = NDArray[np.intp]  # what numpy takes for an index without making a copy first
Weights = NDArray[np.float32]
Row = tuple[str, "array[int]", "array[float]"]

# On disk, as array("I") and array("f") have them: an index never leaves its machine.
NUMBER, WEIGHT = np.dtype(np.uintc), np.dtype(np.single)


class PostingsPool:
    """Collects postings by word. Whoosh's own sorts millions of tuples."""

    def __init__(self) -> None:
        self._words: dict[str, tuple[array[int], array[float]]] = {}

    def add(self, posting: tuple[str, bytes, int, float, bytes]) -> None:
        """For Whoosh's own road into the index, which takes one posting at a time."""
        _, word, number, weight, _ = posting
        self.add_words(number, {word.decode(): int(weight)})

    def add_words(self, number: int, weights: Mapping[str, int]) -> None:
        words = self._words
        for word, weight in weights.items():
            lists = words.get(word)
            if lists is None:
                words[word] = lists = (array("I"), array("f"))
            lists[0].append(number)
            lists[1].append(weight)

    def add_postings(self, word: str, numbers: NDArray[np.int64], weights: Weights) -> None:
        """Those with a negative number are dead."""
        kept = numbers >= 0
        docs, all_weights = self._words.setdefault(word, (array("I"), array("f")))
        docs.frombytes(numbers[kept].astype(NUMBER).tobytes())
        all_weights.frombytes(weights[kept].tobytes())

    def iter_postings(self) -> Iterator[Row]:
        # Code points and UTF-8 bytes sort alike, which is the order that the term table asks for.
        return ((word, *self._words[word]) for word in sorted(self._words) if self._words[word][0])

    def cleanup(self) -> None:
        self._words = {}
