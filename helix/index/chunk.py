"""Cut a memory into the pieces that are embedded.

An ordinary memory is one chunk. A long one is cut at its headings and paragraphs, then at sentences, each chunk
under the note's title and the trail of headings above it, so that a passage can be understood on its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from helix.vault.note import Memory
from helix.vault.times import parse_time

# Another number means other chunks from the same note: vectors that were made before are made again.
CHUNK_FORMAT = 2
MAX_PASSAGE = 1_200
MAX_TEXT = 1_800  # bge reads 512 tokens, which is about as many characters of English
MAX_CHUNKS = 64

_OVERLAP = 120
_FRESH_SECTION_FROM = MAX_PASSAGE // 2  # a chunk this full ends where the next section begins
_LONGEST_LABEL = 180

_SEARCHED_AT_ONCE = 256 * 1024
_VAST = 512 * 1024

_MARK = re.compile(r"^ {0,3}(?:(?P<fence>```|~~~)|(?P<depth>#{1,6})[ \t]+(?P<name>[^\n]*))", re.MULTILINE)
_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_SPACE = re.compile(r"\s+")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


@dataclass(frozen=True)
class Chunk:
    ordinal: int
    text: str
    """what is embedded: title, date, tags, the trail of headings, the passage"""
    start: int
    end: int
    """where the passage stands in the body of the memory"""
    hash: str


class _Piece(NamedTuple):
    """A paragraph, or as much of one as fits."""

    start: int
    end: int
    trail: tuple[str, ...]
    opens_section: bool


def chunks(memory: Memory) -> list[Chunk]:
    """At least one and at most MAX_CHUNKS; their spans cover the body."""
    body = memory.body
    if len(body) <= MAX_PASSAGE:
        return [_chunk(memory, 0, 0, len(body), ())]
    groups = _widen(_pack(_pieces(body), body))
    return [_chunk(memory, ordinal, start, end, trail) for ordinal, (start, end, trail) in enumerate(groups)]


def spoken_date(memory: Memory) -> str:
    """The day it is about, in words, as a question would name it; empty when it has none."""
    moment = parse_time(memory.valid_from) or parse_time(memory.created_at)
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}" if moment else ""


def _chunk(memory: Memory, ordinal: int, start: int, end: int, trail: tuple[str, ...]) -> Chunk:
    head = [
        memory.title[:_LONGEST_LABEL],
        spoken_date(memory),
        ", ".join(memory.tags)[:_LONGEST_LABEL],
        " > ".join(name for name in trail if name != memory.title[:_LONGEST_LABEL])[:_LONGEST_LABEL],
    ]
    # A very long note has wider spans than a chunk can hold: its beginnings are embedded, words find the rest.
    passage = memory.body[start:end].strip()[:MAX_PASSAGE]
    text = "\n".join(filter(None, (*head, passage)))[:MAX_TEXT]
    return Chunk(ordinal, text, start, end, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())


def _pieces(body: str) -> Iterator[_Piece]:
    for start, end, trail in _sections(body):
        opens = True
        for left, right in _split(body, start, end):
            yield _Piece(left, right, trail, opens)
            opens = False


def _sections(body: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The stretches from heading to heading, each with its trail. A `#` in fenced code is no heading."""
    trail: list[tuple[int, str]] = []
    start = 0
    fence = ""
    for mark in _found(_MARK, body, 0, len(body)):
        if mark["fence"]:
            fence = mark["fence"] if not fence else "" if mark["fence"] == fence else fence
        elif not fence and mark["name"].strip():
            if mark.start() > start:
                yield start, mark.start(), tuple(name for _, name in trail)
                start = mark.start()
            depth = len(mark["depth"])
            # The closing marks are stripped and not matched: a pattern that tries each of them takes quadratic time.
            name = mark["name"].rstrip().rstrip(" \t#")
            trail = [
                *((level, above) for level, above in trail if level < depth),
                (depth, name[:_LONGEST_LABEL]),
            ]
    if len(body) > start:
        yield start, len(body), tuple(name for _, name in trail)


def _found(pattern: re.Pattern[str], body: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """A search holds the interpreter until it has found something: in a long note it looks at one part after another.

    What lies across the end of a part is not found; a chunk is then cut one sentence later.
    """
    while start < end:
        last = min(start + _SEARCHED_AT_ONCE, end)
        if last < end:
            last = body.rfind("\n", start, last) + 1 or last
        yield from pattern.finditer(body, start, last)
        start = last


def _split(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    # In a vast note a chunk has wider spans than can be embedded anyway: where in a paragraph it begins is no matter.
    is_vast = len(body) >= _VAST
    room = len(body) // MAX_CHUNKS if is_vast else MAX_PASSAGE - _OVERLAP
    for left, right in _cut(_PARAGRAPH_END, body, start, end):
        if right - left <= room:
            yield left, right
            continue
        for first, last in [(left, right)] if is_vast else _cut(_SENTENCE_END, body, left, right):
            while last - first > room:
                space = max(body.rfind(mark, first, first + room) for mark in " \t\n")
                middle = space + 1 if space > first else first + room
                yield first, middle
                first = middle
            yield first, last


def _cut(ending: re.Pattern[str], body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span in pieces, each with the ending that closes it."""
    left = start
    for match in _found(ending, body, start, end):
        if match.end() > left:
            yield left, match.end()
            left = match.end()
    if left < end:
        yield left, end


def _pack(pieces: Iterable[_Piece], body: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Neighbouring pieces together, as many as fit. A long note has millions of them: none is kept."""
    groups: list[_Piece] = []
    for piece in pieces:
        here = groups[-1] if groups else None
        size = piece.end - here.start if here else 0
        full = size > MAX_PASSAGE - _OVERLAP
        ripe = piece.opens_section and size - (piece.end - piece.start) >= _FRESH_SECTION_FROM
        if here and not full and not ripe:
            groups[-1] = _Piece(here.start, piece.end, here.trail, here.opens_section)
        else:
            groups.append(piece)
    spans: list[tuple[int, int, tuple[str, ...]]] = []
    for group in groups:
        start = group.start
        if spans and not group.opens_section:
            start = _reach_back(body, start, spans[-1][0])
        spans.append((start, group.end, group.trail))
    return spans


def _reach_back(body: str, start: int, passage_before: int) -> int:
    """Where a passage begins that repeats the last words before it, but never all of the passage before."""
    earliest = max(passage_before + 1, start - _OVERLAP)
    word = _SPACE.search(body, earliest, start)
    return word.end() if word else start


def _widen(groups: list[tuple[int, int, tuple[str, ...]]]) -> list[tuple[int, int, tuple[str, ...]]]:
    """No more than MAX_CHUNKS, by giving each as many neighbours as it takes."""
    share = -(-len(groups) // MAX_CHUNKS)
    return [
        (groups[first][0], groups[min(first + share, len(groups)) - 1][1], groups[first][2])
        for first in range(0, len(groups), share)
    ]
