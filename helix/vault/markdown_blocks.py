"""Where a markdown text has blocks that other lines must not get into: fenced code, tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

_MARKS = ("```", "~~~")


class BlockSpan(NamedTuple):
    start: int
    end: int


def is_fence(line: str) -> bool:
    return line.lstrip().startswith(_MARKS)


def fences(text: str) -> list[BlockSpan]:
    """The fenced blocks that are closed, fences included. One without an end is none: nobody meant all the rest."""
    spans: list[BlockSpan] = []
    opened, mark = 0, ""
    for start, end in _fence_lines(text):
        line = text[start:end].strip()
        length = len(line) - len(line.lstrip(line[0]))
        if not mark:
            if line[0] == "~" or "`" not in line[length:]:  # `` ```code``` `` is a phrase within a line
                opened, mark = start, line[:length]
        elif line.startswith(mark) and length == len(line):
            spans.append(BlockSpan(opened, end))
            mark = ""
    return spans


def tables(text: str) -> list[BlockSpan]:
    """Lines one after the other that begin with a bar."""
    spans: list[BlockSpan] = []
    at = 0 if text.startswith("|") else text.find("\n|") + 1
    while at < len(text) and text.startswith("|", at):
        end = text.find("\n", at) + 1 or len(text)
        if spans and spans[-1].end == at:
            spans[-1] = BlockSpan(spans[-1].start, end)
        else:
            spans.append(BlockSpan(at, end))
        at = end if text.startswith("|", end) else text.find("\n|", end) + 1 or len(text)
    return spans


def blocks(text: str) -> list[BlockSpan]:
    return sorted([*fences(text), *tables(text)])


def inside(spans: list[BlockSpan], at: int) -> BlockSpan | None:
    """The block that a cut at this offset would go through."""
    index = bisect_right(spans, at, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and spans[index].start < at < spans[index].end else None


def _fence_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines that begin with a fence, found without looking at the others: texts have millions of lines."""
    after = {mark: text.find(mark) for mark in _MARKS}
    while True:
        found = [at for at in after.values() if at >= 0]
        if not found:
            return
        at = min(found)
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
        if not text[start:at].strip():
            yield start, end
        for mark, position in after.items():
            if 0 <= position < end:
                after[mark] = text.find(mark, end)
