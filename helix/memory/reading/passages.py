"""The passage of a memory that answers a question: whole sentences, chosen by the question's words.

A word counts for more the fewer sentences of the note have it, a sentence for more when its neighbours and the heading
above it have words of the question too, or when it stands in the chunk that the vectors found. No model is asked: a
page of passages costs less than a millisecond. The figures were chosen on halves for tuning (`bench/evidence.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from helix.index.analyze import tokens
from helix.index.chunk import MAX_PASSAGE, chunks
from helix.memory.budget import cut
from helix.vault.note import Memory

_WHOLE = 240  # bytes, about 60 tokens: a note that is no longer is shown whole
_BLOCK = 400  # a longer block of code is taken apart into lines
_LONG = 16_000  # characters; of a longer note only the chunk that the vectors found is searched, if they found one
_LONGEST_SENTENCE = 1_200
_LONGEST = 100_000  # characters of a note that are searched

_AGAIN = 0.3  # what a word counts for that an earlier sentence of the passage has
_HEADING = 0.5  # what a word of the heading counts for in the sentences below it
_NEAR = 0.3  # of the worth of the sentence before and of that after
_CHUNK = 0.1  # for a sentence in the chunk that the vectors found
_LEAST = 0.1  # of the worth of the first sentence; what lies below is no part of the answer

_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}[ \t]")
# What begins a paragraph of its own without a blank line before it: an entry of a list, a row, a quotation.
_OPENS = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,3}[.)][ \t]|\||>)")
# Not before a small letter: `e.g. this` is one sentence.
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]*_`]*\s+(?=[^a-z\s])|[。！？]")


class Unit(NamedTuple):
    """What is never cut: a sentence, a line of code, a short block of it, a heading."""

    start: int
    end: int
    is_heading: bool = False


@dataclass(frozen=True)
class Passage:
    text: str
    is_whole: bool
    covered: float
    """how much of the question's words stands in it or in the title, from 0 to 1"""
    best: int = 0
    """where in the text of the memory the line stands that fits best; of a short one only if it is a document"""


def find_passage(memory: Memory, words: frozenset[str], ordinal: int | None, room: int) -> Passage:
    """What answers a question of these words, in about so many bytes; all of the text when it is short.

    `ordinal` is the chunk that the vectors found.
    """
    held = words & set(tokens(memory.title))
    body = memory.body.strip()
    if size_of(body) <= max(_WHOLE, room):
        best = _find_best(memory.body, words) if memory.kind == "document" else 0
        return Passage(body, True, _share(words, held.union(tokens(body))), best)
    first, body, span = _searched(memory, ordinal)
    parts = list(units(body))
    texts = [body[one.start : one.end] for one in parts]
    own = [words.intersection(tokens(text)) for text in texts]
    worth = _Worth(parts, own, words, span)
    best = first + _best(body, words, parts, worth)
    chosen = _choose(parts, [size_of(text) for text in texts], worth, room)
    # A sentence can be a file of JSON.
    text = cut(_joined(body, parts, chosen), _LONGEST_SENTENCE)
    return Passage(text, False, _share(words, held.union(*(own[at] for at in chosen))), best)


def _find_best(body: str, words: frozenset[str]) -> int:
    parts = list(units(body))
    own = [words.intersection(tokens(body[one.start : one.end])) for one in parts]
    return _best(body, words, parts, _Worth(parts, own, words, None))


def _best(body: str, words: frozenset[str], parts: Sequence[Unit], worth: _Worth) -> int:
    """Where the best sentence begins; of a block of code the line with the most of the question's words."""
    if not parts:
        return 0
    values = worth.values()
    unit = parts[max(range(len(parts)), key=lambda at: (not parts[at].is_heading, values[at], -at))]
    best, most, at = unit.start, 0, unit.start
    while at < unit.end:
        after = body.find("\n", at, unit.end) + 1 or unit.end
        if (found := len(words.intersection(tokens(body[at:after])))) > most:
            best, most = at, found
        at = after
    return best


def _share(words: frozenset[str], held: AbstractSet[str]) -> float:
    return len(words & held) / len(words) if words else 0.0


def size_of(text: str) -> int:
    """In bytes: four are about one token, in most scripts."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _searched(memory: Memory, ordinal: int | None) -> tuple[int, str, tuple[int, int] | None]:
    """The part of the text that is searched, where it begins, and where in it the vectors found something."""
    body = memory.body
    if ordinal is None or len(body) <= MAX_PASSAGE:
        return 0, body[:_LONGEST], None
    pieces = chunks(memory)
    piece = pieces[min(ordinal, len(pieces) - 1)]
    if len(body) > _LONG:
        return piece.start, body[piece.start : piece.end][:_LONGEST], None
    return 0, body, (piece.start, piece.end)


def _choose(parts: Sequence[Unit], sizes: Sequence[int], worth: _Worth, room: int) -> list[int]:
    """The best sentence, others that add to it, and then what stands beside them, as long as there is room."""
    free = {at for at, one in enumerate(parts) if not one.is_heading} or set(range(len(parts)))
    chosen: set[int] = set()
    used, first = 0, 0.0
    while free:
        values = worth.values()
        best = max(free, key=lambda at: (values[at], -at))
        if chosen and (values[best] < _LEAST * first or used + sizes[best] > room):
            break
        first = first or values[best]
        chosen.add(best)
        free.remove(best)
        used += sizes[best]
        worth.cover(best)
    _widen(chosen, free, sizes, room - used)
    return sorted(chosen)


class _Worth:
    """What each sentence is worth beside those that are chosen."""

    def __init__(
        self,
        parts: Sequence[Unit],
        own: Sequence[frozenset[str]],
        words: frozenset[str],
        span: tuple[int, int] | None,
    ) -> None:
        """`own` are the words of the question that each of them has."""
        self._own = own
        found = Counter(word for each in own for word in each)
        self._weights = {word: log(1 + len(parts) / (1 + found[word])) for word in words}
        self._whole = sum(self._weights.values()) or 1.0
        self._above = list(_headings(parts, own))
        self._in_chunk = [
            _CHUNK if span is not None and span[0] <= unit.start < span[1] else 0.0 for unit in parts
        ]
        self._covered: set[str] = set()
        self._alone = [self._value(at) for at in range(len(parts))]

    def values(self) -> list[float]:
        alone = self._alone
        around = zip([0.0, *alone], alone, [*alone[1:], 0.0], self._in_chunk, strict=False)
        return [value + _NEAR * (before + after) + chunk for before, value, after, chunk in around]

    def cover(self, at: int) -> None:
        fresh = self._own[at] - self._covered
        self._covered |= fresh
        for other, own in enumerate(self._own):
            if fresh and not (fresh.isdisjoint(own) and fresh.isdisjoint(self._above[other])):
                self._alone[other] = self._value(other)

    def _value(self, at: int) -> float:
        own, above = self._own[at], self._above[at]
        if not own and not above:
            return 0.0
        weights, covered = self._weights, self._covered
        value = sum(weights[word] * (_AGAIN if word in covered else 1.0) for word in own)
        value += sum(_HEADING * weights[word] for word in above - own if word not in covered)
        return value / self._whole


def _headings(parts: Sequence[Unit], own: Sequence[frozenset[str]]) -> Iterator[frozenset[str]]:
    """For each sentence the words of the heading above it."""
    above: frozenset[str] = frozenset()
    for unit, words in zip(parts, own, strict=True):
        if unit.is_heading:
            above = words
        yield frozenset() if unit.is_heading else above


def _widen(chosen: set[int], free: set[int], sizes: Sequence[int], room: int) -> None:
    """The sentences after and before those that are chosen, first those beside the first."""
    grown = True
    while grown:
        beside = (near for at in sorted(chosen) for near in (at + 1, at - 1))
        fitting = next((near for near in beside if near in free and sizes[near] <= room), None)
        grown = fitting is not None
        if fitting is not None:
            chosen.add(fitting)
            free.remove(fitting)
            room -= sizes[fitting]


def _joined(body: str, parts: Sequence[Unit], chosen: Sequence[int]) -> str:
    text = ""
    before = None
    for at in chosen:
        unit = parts[at]
        if before is None:
            text = body[unit.start : unit.end]
        elif at == before + 1:
            text += body[parts[before].end : unit.end]
        else:
            gap = "\n…\n" if body[unit.start - 1] == "\n" else " … "
            text = f"{text.rstrip()}{gap}{body[unit.start : unit.end]}"
        before = at
    return text.strip()


def units(text: str) -> Iterator[Unit]:
    paragraph = at = block = 0
    fence = ""
    while at < len(text):
        after = text.find("\n", at) + 1 or len(text)
        mark = _FENCE.match(text, at, after)
        if fence:
            if mark and mark[1] == fence:
                yield from _code(text, block, after)
                fence, paragraph = "", after
        elif mark:
            yield from _sentences(text, paragraph, at)
            fence, block = mark[1], at
        elif _HEADING_LINE.match(text, at, after):
            yield from _sentences(text, paragraph, at)
            yield Unit(at, after, True)
            paragraph = after
        elif text[at:after].isspace():
            yield from _sentences(text, paragraph, at)
            paragraph = after
        elif _OPENS.match(text, at, after):
            yield from _sentences(text, paragraph, at)
            paragraph = at
        at = after
    yield from _code(text, block, at) if fence else _sentences(text, paragraph, at)


def _sentences(text: str, start: int, end: int) -> Iterator[Unit]:
    if start == end or text[start:end].isspace():
        return
    at = start
    for mark in _SENTENCE_END.finditer(text, start, end):
        if at < mark.end() < end:
            yield Unit(at, mark.end())
            at = mark.end()
    yield Unit(at, end)


def _code(text: str, start: int, end: int) -> Iterator[Unit]:
    if end - start <= _BLOCK:
        yield Unit(start, end)
        return
    at = start
    while at < end:
        after = text.find("\n", at, end) + 1 or end
        if not text[at:after].isspace():
            yield Unit(at, after)
        at = after
