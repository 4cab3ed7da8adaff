"""What differs between two texts, by lines, in time that grows with their length whatever they say.

Equal beginnings and ends are set aside first. Lines that stand once in both texts anchor the rest; between
anchors the shortest way of edits is looked for. Both give up in time: what is left then counts as changed,
which makes a merge coarser and never wrong.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from helix.vault.markdown_blocks import fences, is_fence

# Of both texts together. Two notes of 4 MB have that many lines when a line has 30 letters. With more the differing
# middle is one change: the memory for a closer look has to be bounded.
_MOST_LINES = 250_000
_MOST_EDITS = 128
_STEPS_PER_LINE = 24
_CHUNK = 1 << 16
TELLING = 12
"""letters and digits; equal lines with fewer are chance: `sleep 30`, `return`"""
_LETTER = re.compile(r"[^\W_]")


class Hunk(NamedTuple):
    """`start` to `end` of the old text is `other` to `other_end` of the new one; all are starts of lines."""

    start: int
    end: int
    other: int
    other_end: int


def diff_lines(old: str, new: str) -> list[Hunk]:
    """The hunks by which the texts differ, in order. Every line of both ends with a newline."""
    head = _shared_head(old, new)
    tail = _shared_tail(old, new, head)
    end, other_end = len(old) - tail, len(new) - tail
    if head == end and head == other_end:
        return []
    removed, added = old[head:end], new[head:other_end]
    if not removed or not added or removed.count("\n") + added.count("\n") > _MOST_LINES:
        return [Hunk(head, end, head, other_end)]
    numbers: dict[str, int] = {}
    before, offsets = _numbered(old, head, end, numbers)
    after, other_offsets = _numbered(new, head, other_end, numbers)
    return [
        Hunk(offsets[a], offsets[b], other_offsets[c], other_offsets[d])
        for a, b, c, d in _hunks(_partners(before, after), len(after))
    ]


def _numbered(
    text: str, start: int, end: int, numbers: dict[str, int]
) -> tuple[Sequence[int], Sequence[int]]:
    """The lines as numbers, equal ones with equal numbers, and the offsets between them.

    A fence that opens is not one that closes, and `sleep 30` in a code block is not `sleep 30` outside.
    """
    lines = text[start:end].split("\n")[:-1]
    offsets = array("q", accumulate((len(line) + 1 for line in lines), initial=start))
    symbols = array("q", (numbers.setdefault(line, len(numbers)) for line in lines))
    for span in fences(text):
        if start < span.end and span.start < end:
            for index in range(bisect_left(offsets, span.start), bisect_left(offsets, min(span.end, end))):
                line = lines[index]
                if weigh(line, 0, len(line), TELLING) < TELLING:
                    opens, closes = offsets[index] == span.start, offsets[index + 1] == span.end
                    role = "opens" if opens else "closes" if closes else "in"
                    symbols[index] = numbers.setdefault(f"{role}\n{line}", len(numbers))
    return symbols, offsets


def weigh(text: str, start: int, end: int, enough: int) -> int:
    """How many letters and digits stand there, counted up to `enough`. Fences weigh nothing, with their language."""
    weight = 0
    while start < end and weight < enough:
        line_end = min(text.find("\n", start, end) + 1 or end, start + _CHUNK)
        if not is_fence(text[start : min(line_end, start + 80)]):
            weight += sum(1 for _ in islice(_LETTER.finditer(text, start, line_end), enough - weight))
        start = line_end
    return weight


def _shared_head(old: str, new: str) -> int:
    """Length of the equal lines at the start."""
    at, most = 0, min(len(old), len(new))
    while at < most and old[at : at + _CHUNK] == new[at : at + _CHUNK]:
        at += _CHUNK
    at = min(at, most)
    step = _CHUNK
    while step:
        if at + step <= most and old[at : at + step] == new[at : at + step]:
            at += step
        step //= 2
    return at if at == len(old) == len(new) else old.rfind("\n", 0, at) + 1


def _shared_tail(old: str, new: str, head: int) -> int:
    """Length of the equal lines at the end, which are not those at the start."""
    back, most = 0, min(len(old), len(new)) - head
    step = _CHUNK
    while step:
        after, other_after = len(old) - back, len(new) - back
        if back + step <= most and old[after - step : after] == new[other_after - step : other_after]:
            back += step
        else:
            step //= 2
    start, other = len(old) - back, len(new) - back
    if _begins_line(old, start) and _begins_line(new, other):
        return back
    return len(old) - (old.find("\n", start) + 1 or len(old))


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _partners(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """For each line of the old text the place of the equal line in the new one, or -1. Places only grow."""
    partner = [-1] * len(a)
    steps = _STEPS_PER_LINE * (len(a) + len(b)) + 10_000
    todo = [(0, len(a), 0, len(b))]
    while todo:
        a0, a1, b0, b1 = todo.pop()
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            partner[a0] = b0
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            partner[a1] = b1
        if a0 == a1 or b0 == b1 or steps < 0:
            continue
        steps -= a1 - a0 + b1 - b0
        if anchors := _anchors(a, a0, a1, b, b0, b1):
            for i, j in anchors:
                partner[i] = j
                todo.append((a0, i, b0, j))
                a0, b0 = i + 1, j + 1
            todo.append((a0, a1, b0, b1))
        else:
            steps -= _match_shortest(a, a0, a1, b, b0, b1, partner, steps)
    return partner


def _anchors(a: Sequence[int], a0: int, a1: int, b: Sequence[int], b0: int, b1: int) -> list[tuple[int, int]]:
    """The longest row of lines that stand once here in both texts, and in the same order."""
    in_b = _once(b, b0, b1)
    pairs = [(i, in_b[line]) for line, i in _once(a, a0, a1).items() if i >= 0 and in_b.get(line, -1) >= 0]
    pairs.sort()
    ends: list[int] = []  # the least end of a row of each length
    last: list[int] = []  # the pair at that end
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [index]
    row: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _once(lines: Sequence[int], start: int, end: int) -> dict[int, int]:
    """Where each line stands that stands once; -1 for those that stand more often."""
    positions: dict[int, int] = {}
    for index in range(start, end):
        line = lines[index]
        positions[line] = -1 if line in positions else index
    return positions


def _match_shortest(
    a: Sequence[int], a0: int, a1: int, b: Sequence[int], b0: int, b1: int, partner: list[int], steps: int
) -> int:
    """Match along the shortest way of edits (Myers), if it is short enough; returns the steps it took."""
    size, other = a1 - a0, b1 - b0
    if abs(size - other) > _MOST_EDITS:
        return 0
    reached = {1: 0}
    trail: list[dict[int, int]] = []
    taken = 0
    for edits in range(_MOST_EDITS + 1):
        trail.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            goes_down = diagonal == -edits or (
                diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]
            )
            x = reached[diagonal + 1] if goes_down else reached[diagonal - 1] + 1
            came = x
            y = x - diagonal
            while x < size and y < other and a[a0 + x] == b[b0 + y]:
                x, y = x + 1, y + 1
            taken += 1 + x - came
            reached[diagonal] = x
            if x >= size and y >= other:
                _walk_back(trail, a0, b0, size, other, partner)
                return taken
        if taken > steps:
            return taken
    return taken


def _walk_back(
    trail: Sequence[dict[int, int]], a0: int, b0: int, size: int, other: int, partner: list[int]
) -> None:
    x, y = size, other
    for edits in range(len(trail) - 1, -1, -1):
        reached = trail[edits]
        diagonal = x - y
        goes_down = diagonal == -edits or (
            diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]
        )
        earlier = diagonal + 1 if goes_down else diagonal - 1
        x0 = reached[earlier] if edits else 0
        y0 = x0 - earlier if edits else 0
        start = (x0 if goes_down else x0 + 1) if edits else 0
        while x > start and y > 0:
            x, y = x - 1, y - 1
            partner[a0 + x] = b0 + y
        x, y = x0, y0


def _hunks(partner: Sequence[int], size: int) -> list[tuple[int, int, int, int]]:
    hunks: list[tuple[int, int, int, int]] = []
    at = other = 0
    for index, mate in enumerate((*partner, size)):
        if mate < 0:
            continue
        if index > at or mate > other:
            hunks.append((at, index, other, mate))
        at, other = index + 1, mate + 1
    return hunks
