"""The difference of two texts as `diff -u` writes it, in time that grows with their length whatever they say.

difflib takes the square of the number of lines where a few different ones are repeated over and over.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from helix.vault.line_diff import diff_lines

_AROUND = 3
# Stands where the last line has no newline. Half a pair of surrogates is in no text that was decoded.
_NO_NEWLINE = "\ud800\n"

_Change = tuple[int, int, int, int]
"""lines `start` to `end` of the old text became `other` to `other_end` of the new one"""


def unified_diff(old: bytes, new: bytes, old_label: str, new_label: str) -> str:
    before, after = _whole_lines(old), _whole_lines(new)
    hunks = diff_lines(before, after)
    if not hunks:
        return ""
    olds, news = _lines(before), _lines(after)
    old_at, new_at = (list(accumulate(map(len, lines), initial=0)) for lines in (olds, news))
    changes = [
        (
            bisect_left(old_at, hunk.start),
            bisect_left(old_at, hunk.end),
            bisect_left(new_at, hunk.other),
            bisect_left(new_at, hunk.other_end),
        )
        for hunk in hunks
    ]
    out = [f"--- {_label(old_label)}\n", f"+++ {_label(new_label)}\n"]
    for group in _groups(changes):
        out += _written(group, olds, news)
    return "".join(out).replace(_NO_NEWLINE, "\n\\ No newline at end of file\n")


def _whole_lines(content: bytes) -> str:
    text = content.decode(errors="replace")
    return text if not text or text.endswith("\n") else text + _NO_NEWLINE


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def _label(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "?", text)  # a file name may hold a newline; a header may not


def _groups(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Those that stand so near to each other that the lines around them touch."""
    group: list[_Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * _AROUND:
            yield group
            group = []
        group.append(change)
    yield group


def _written(group: Sequence[_Change], olds: Sequence[str], news: Sequence[str]) -> Iterator[str]:
    start = max(group[0][0] - _AROUND, 0)
    end = min(group[-1][1] + _AROUND, len(olds))
    other = group[0][2] - (group[0][0] - start)
    other_end = group[-1][3] + (end - group[-1][1])
    yield f"@@ -{_range(start, end)} +{_range(other, other_end)} @@\n"
    at = start
    for change in group:
        yield from (f" {line}" for line in olds[at : change[0]])
        yield from (f"-{line}" for line in olds[change[0] : change[1]])
        yield from (f"+{line}" for line in news[change[2] : change[3]])
        at = change[1]
    yield from (f" {line}" for line in olds[at:end])


def _range(start: int, end: int) -> str:
    """Lines are counted from one; an empty range is named by the line before it."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"
