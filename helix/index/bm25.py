"""BM25 over the postings of several parts of an index, as if they were one."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from helix.index.postings import Docs, Weights

K1 = 1.2
B = 0.75

Allowed = Callable[[str], bool]


class IndexPart(Protocol):
    """Documents with numbers from nought, some of them dead."""

    @property
    def ids(self) -> Sequence[str]: ...
    @property
    def lengths(self) -> NDArray[np.float64]: ...
    @property
    def alive(self) -> NDArray[np.bool_]: ...
    @property
    def has_dead(self) -> bool: ...
    def postings(self, word: str) -> tuple[Docs, Weights]:
        """The documents that hold a word, in the order of their numbers, and how much it weighs in each."""


Read = Callable[[IndexPart, str], tuple[Docs, Weights]]


class ScoredPart:
    """The documents of one part that hold any of the words."""

    def __init__(self, ids: Sequence[str], numbers: NDArray[np.intp], scores: NDArray[np.float64]) -> None:
        self.ids = ids
        self.numbers = numbers
        self.scores = scores


def find(
    parts: Sequence[IndexPart],
    read: Read,
    words: Iterable[str],
    without: Iterable[str],
    count: int,
    length: int,
    only: Sequence[Docs] | None = None,
) -> tuple[list[ScoredPart], dict[str, float]]:
    """Scores every living document with one of the words. `count` and `length` are those of all living documents, so
    that the same documents get the same scores however they are spread over parts. `only` names the documents of
    each part that may be found, if not all may. Returns also how much each word tells."""
    average = length / count if count and length else 1.0
    scores = [np.zeros(len(part.alive)) for part in parts]
    norms = [K1 * (1 - B) + part.lengths * (K1 * B / average) for part in parts]
    rarities: dict[str, float] = {}
    for word in dict.fromkeys(words):
        postings = [_living(part, *read(part, word)) for part in parts]
        frequency = sum(len(docs) for docs, _ in postings)
        rarities[word] = rare = rarity(count, frequency)
        for total, norm, (docs, weights) in zip(scores, norms, postings, strict=True):
            if len(docs):
                total[docs] += weights / (norm[docs] + weights) * (rare * (K1 + 1))
    for word in without:
        for part, total in zip(parts, scores, strict=True):
            total[read(part, word)[0]] = 0
    found = []
    for at, (part, total) in enumerate(zip(parts, scores, strict=True)):
        numbers = np.flatnonzero(total) if only is None else only[at][total[only[at]] > 0]
        if len(numbers):
            found.append(ScoredPart(part.ids, numbers, total[numbers]))
    return found, rarities


def rarity(count: int, frequency: int) -> float:
    """How much a word tells that `frequency` of `count` documents hold."""
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


def best_possible(rarities: Mapping[str, float]) -> float:
    """About the score of a document that is made of words of these rarities; one that no document holds counts too."""
    return (K1 + 1) * sum(rarities.values())


def best(found: Sequence[ScoredPart], limit: int, allowed: Allowed | None) -> list[tuple[str, float]]:
    """The best of them that are allowed; equal scores in the order of their ids."""
    if not found or limit <= 0:
        return []
    scores = np.concatenate([part.scores for part in found])
    wanted = limit
    while True:
        wanted = min(wanted, len(scores))
        threshold = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
        ranking = sorted(chain.from_iterable(_reaching(part, threshold) for part in found))
        kept = [(doc, -score) for score, doc in ranking if allowed is None or allowed(doc)]
        if len(kept) >= limit or len(ranking) == len(scores):
            return kept[:limit]
        wanted *= 8


def _reaching(part: ScoredPart, threshold: float) -> Iterator[tuple[float, str]]:
    """What sorts the best first, then by id."""
    at = part.scores >= threshold
    return zip((-part.scores[at]).tolist(), map(part.ids.__getitem__, part.numbers[at].tolist()), strict=True)


def _living(part: IndexPart, docs: Docs, weights: Weights) -> tuple[Docs, Weights]:
    if not part.has_dead:
        return docs, weights
    kept = part.alive[docs]
    return docs[kept], weights[kept]


class PostingsCache:
    """Postings that were read lately, up to a number of bytes. Segments never change, so nothing in it grows old."""

    _OVERHEAD = 400  # of two small arrays and a row, in bytes

    def __init__(self, size: int) -> None:
        self._room = size
        self._rows: OrderedDict[tuple[IndexPart, str], tuple[Docs, Weights]] = OrderedDict()

    def read(self, part: IndexPart, word: str) -> tuple[Docs, Weights]:
        key = (part, word)
        row = self._rows.get(key)
        if row is not None:
            self._rows.move_to_end(key)
            return row
        self._rows[key] = row = part.postings(word)
        self._room -= self._cost(row)
        while self._room < 0:
            self._room += self._cost(self._rows.popitem(last=False)[1])
        return row

    def forget(self, parts: Sequence[IndexPart]) -> None:
        for key in [key for key in self._rows if key[0] in parts]:
            self._room += self._cost(self._rows.pop(key))

    def _cost(self, row: tuple[Docs, Weights]) -> int:
        return row[0].nbytes + row[1].nbytes + self._OVERHEAD
