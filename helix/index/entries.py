"""From a text to what the keyword index keeps of it."""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

from helix.index.analyze import tokens

_TITLE_WEIGHT = 3
_TAG_WEIGHT = 2
_BATCH = 250  # documents that travel to another process together


@dataclass(frozen=True)
class KeywordDoc:
    """A text to be found by its words. Titles and tags weigh more than the body."""

    id: str
    title: str = ""
    tags: Sequence[str] = ()
    body: str = ""
    hash: str = ""
    """names the text this was made of; comes back in `hashes`"""


@dataclass(frozen=True)
class WordEntry:
    """A document as it is kept: what it is called, which text it was made of, and how much each word weighs in it."""

    id: str
    hash: str
    weights: Mapping[str, int]

    @property
    def length(self) -> int:
        return sum(self.weights.values())


def to_entry(doc: KeywordDoc) -> WordEntry:
    """One field for all that is searched: a word in the title counts as several in the body."""
    weights = Counter(tokens(doc.body))
    for text, weight in ((doc.title, _TITLE_WEIGHT), (" ".join(doc.tags), _TAG_WEIGHT)):
        for word in tokens(text):
            weights[word] += weight
    return WordEntry(doc.id, doc.hash, dict(weights))


def to_entries(docs: Iterable[KeywordDoc], processes: int) -> Iterator[WordEntry]:
    """Analyses in other processes, if asked to; the order stays."""
    if processes < 2:
        yield from map(to_entry, docs)
        return
    # `spawn`, because a daemon has threads, and a forked copy of a thread's lock is never released.
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        rest = iter(docs)
        under_way: deque[tuple[list[KeywordDoc], Future[list[WordEntry]]]] = deque()
        try:
            while batch := list(islice(rest, _BATCH)):
                under_way.append((batch, Future()))
                under_way[-1] = (batch, pool.submit(_to_entries, batch))
                if len(under_way) > 4 * processes:
                    yield from under_way[0][1].result()
                    under_way.popleft()
            while under_way:
                yield from under_way[0][1].result()
                under_way.popleft()
        except BrokenProcessPool:  # the system killed a helper, for its memory perhaps: the rest is done here
            for batch, _ in under_way:
                yield from _to_entries(batch)
            yield from map(to_entry, rest)


def _to_entries(docs: Sequence[KeywordDoc]) -> list[WordEntry]:
    return [to_entry(doc) for doc in docs]
