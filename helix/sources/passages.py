"""A file cut into stretches of lines, at blank lines and headings where there are some."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from helix.sources.limits import LONGEST_LINE

_FEWEST, _MOST = 15, 45
"""lines"""
_ROOM = 3_000
"""characters"""
_HEADING = re.compile(
    r"#{1,6} |(?:export |pub |public |async |static )*(?:def|class|fn|func|function|type|struct|impl)\b"
)


class Span(NamedTuple):
    first: int
    """the number of a line, from 1"""
    last: int


def spans(lines: Sequence[str]) -> Iterator[Span]:
    first, size = 1, 0
    for number, line in enumerate(lines, 1):
        count = number - first
        is_break = not line.strip() or _HEADING.match(line) is not None
        if count and ((count >= _FEWEST and is_break) or count >= _MOST or size > _ROOM):
            yield Span(first, number - 1)
            first, size = number, 0
        size += min(len(line), LONGEST_LINE)
    if first <= len(lines) and any(line.strip() for line in lines[first - 1 :]):
        yield Span(first, len(lines))


def text_of(lines: Sequence[str], span: Span) -> str:
    return "\n".join(line[:LONGEST_LINE] for line in lines[span.first - 1 : span.last])
