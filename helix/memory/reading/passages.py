"""The passage of a memory that answers a question: whole sentences, chosen by the question's words.

A word counts for more the fewer sentences of the note have it, a sentence for more when its neighbours and the heading
above it have words of the question too, or when it stands in the chunk that the vectors found. No model is asked: a
page of passages costs less than a millisecond. The figures were chosen on halves for tuning (`bench/evidence.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from helix.index.analyze import tokens
from helix.index.chunk import chunks
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
_LEAST = 0.3  # of the worth of the first sentence; what lies below is no part of the answer

_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}[ \t]")
# What begins a paragraph of its own without a blank line before it: an entry of a list, a row, a quotation.
_OPENS = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,3}[.)][ \t]|\||>)")
# Not before a small letter: `e.g. this` is one sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]*_`]*\s+(?=[^a-z\s])|(?<=[。！？])")


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


def find_passage(memory: Memory, words: Sequence[str], ordinal: int | None, room: int) -> Passage:
    """What answers a question of these words, in about so many bytes; all of the text when it is short.

    `ordinal` is the chunk that the vectors found.
    """
    body = memory.body.strip()
    if size_of(body) <= max(_WHOLE, room):
        return Passage(body, True, _covered(words, frozenset(tokens(f"{memory.title}\n{body}"))))
    body, span = _searched(memory, ordinal)
    parts = list(units(body))
    held = [frozenset(tokens(body[one.start : one.end])) for one in parts]
    chosen = _choose(body, parts, held, words, span, room)
    known = frozenset(tokens(memory.title)).union(*(held[at] for at in chosen))
    text = _joined(body, parts, chosen)
    # A sentence can be a file of JSON.
    return Passage(cut(text, _LONGEST_SENTENCE), False, _covered(words, known))


def size_of(text: str) -> int:
    """In bytes: four are about one token, in most scripts."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _covered(words: Sequence[str], held: frozenset[str]) -> float:
    return sum(word in held for word in words) / len(words) if words else 0.0


def _searched(memory: Memory, ordinal: int | None) -> tuple[str, tuple[int, int] | None]:
    """The part of the text that is searched, and where in it the vectors found something."""
    body = memory.body
    pieces = chunks(memory) if ordinal is not None else []
    if ordinal is None or not 0 < len(pieces) > ordinal:
        return body[:_LONGEST], None
    piece = pieces[ordinal]
    if len(body) > _LONG:
        return body[piece.start : piece.end][:_LONGEST], None
    return body, (piece.start, piece.end)


def _choose(
    body: str,
    parts: Sequence[Unit],
    held: Sequence[frozenset[str]],
    words: Sequence[str],
    span: tuple[int, int] | None,
    room: int,
) -> list[int]:
    """The best sentence, others that add to it, and then what stands beside them, as long as there is room."""
    worth = _Worth(parts, held, words, span)
    left = [at for at, one in enumerate(parts) if not one.is_heading] or list(range(len(parts)))
    sizes = [size_of(body[one.start : one.end]) for one in parts]
    chosen: set[int] = set()
    used, first = 0, 0.0
    while left:
        best = max(left, key=worth.of)
        value = worth.of(best)
        if chosen and (value < _LEAST * first or used + sizes[best] > room):
            break
        first = first or value
        chosen.add(best)
        left.remove(best)
        used += sizes[best]
        worth.cover(best)
    _widen(chosen, left, sizes, room - used)
    return sorted(chosen)


class _Worth:
    """What each sentence is worth beside those that are chosen."""

    def __init__(
        self,
        parts: Sequence[Unit],
        held: Sequence[frozenset[str]],
        words: Sequence[str],
        span: tuple[int, int] | None,
    ) -> None:
        asked = frozenset(words)
        self._own = [one & asked for one in held]
        count = len(parts)
        self._weights = {word: log(1 + count / (1 + sum(word in one for one in self._own))) for word in asked}
        self._whole = sum(self._weights.values()) or 1.0
        self._above = list(_headings(parts, self._own))
        self._in_chunk = [
            _CHUNK if span is not None and span[0] <= one.start < span[1] else 0.0 for one in parts
        ]
        self._covered: set[str] = set()
        self._values = [self._alone(at) for at in range(count)]

    def of(self, at: int) -> float:
        before = self._values[at - 1] if at else 0.0
        after = self._values[at + 1] if at + 1 < len(self._values) else 0.0
        return self._values[at] + _NEAR * (before + after) + self._in_chunk[at]

    def cover(self, at: int) -> None:
        fresh = self._own[at] - self._covered
        self._covered |= fresh
        for other, own in enumerate(self._own):
            if not fresh.isdisjoint(own) or not fresh.isdisjoint(self._above[other]):
                self._values[other] = self._alone(other)

    def _alone(self, at: int) -> float:
        own, weights, covered = self._own[at], self._weights, self._covered
        value = sum(weights[word] * (_AGAIN if word in covered else 1.0) for word in own)
        value += sum(_HEADING * weights[word] for word in self._above[at] - own if word not in covered)
        return value / self._whole


def _headings(parts: Sequence[Unit], own: Sequence[frozenset[str]]) -> Iterator[frozenset[str]]:
    """For each sentence the words of the heading above it."""
    above: frozenset[str] = frozenset()
    for one, words in zip(parts, own, strict=True):
        if one.is_heading:
            above = words
        yield frozenset() if one.is_heading else above


def _widen(chosen: set[int], left: list[int], sizes: Sequence[int], room: int) -> None:
    """The sentences after and before those that are chosen, first those beside the first."""
    free = set(left)
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
        one = parts[at]
        if before is None:
            text = body[one.start : one.end]
        elif at == before + 1:
            text += body[parts[before].end : one.end]
        else:
            gap = "\n…\n" if body[one.start - 1] == "\n" else " … "
            text = f"{text.rstrip()}{gap}{body[one.start : one.end]}"
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
