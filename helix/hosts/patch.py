"""Changes to a text as places and replacements, and what a text looks like: its line ends, its indents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

# The lines of a comment in /* */ are often indented by one, before a star.
_STEP = re.compile(r"^([ \t]+)[^\s*/]", re.MULTILINE)


@dataclass(frozen=True)
class TextPatch:
    start: int
    end: int
    text: str


def apply(text: str, patches: Iterable[TextPatch]) -> str:
    out, done = [], 0
    for patch in sorted(patches, key=lambda patch: (patch.start, patch.end)):
        out += [text[done : patch.start], patch.text]
        done = patch.end
    return "".join([*out, text[done:]])


def difference(before: str, after: str) -> TextPatch:
    """The one place in which two texts differ: where it is in `before`, and what stands there in `after`."""
    most = min(len(before), len(after))
    start = _last_true(most, lambda count: before[:count] == after[:count])
    same = _last_true(
        most - start, lambda count: before[len(before) - count :] == after[len(after) - count :]
    )
    return TextPatch(start, len(before) - same, after[start : len(after) - same])


def _last_true(most: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `most` for which it holds; it holds for 0, and not again once it did not."""
    return bisect_right(range(1, most + 1), False, key=lambda count: not holds(count))


def newline_of(text: str) -> str:
    """That of the first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def step_of(text: str) -> str:
    """One step of indentation: a tab, or as many spaces as the first line that is indented has."""
    indent = _STEP.search(text)
    return "  " if indent is None else "\t" if indent[1].startswith("\t") else indent[1]


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_break(text: str, at: int) -> int:
    """Where the line break before the line of `at` begins."""
    end = line_start(text, at) - 1
    return max(end - 1 if text[end - 1 : end] == "\r" else end, 0)


def line_end(text: str, at: int) -> int:
    """The index after the line break of the line of `at`."""
    return (text.find("\n", at) + 1) or len(text)


def margin_at(text: str, at: int) -> str:
    """The white space with which the line of `at` begins."""
    start = line_start(text, at)
    return text[start : start + len(text[start:at]) - len(text[start:at].lstrip(" \t"))]


def begins_line(text: str, at: int) -> bool:
    """Whether nothing but white space stands before it on its line."""
    return not text[line_start(text, at) : at].strip()
