"""Editing a list in place: what stays keeps its own text, what goes takes only its own lines along."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from helix.vault.key_positions import Span, ValuePosition, line_end, line_start
from helix.vault.yaml_load import Value
from helix.vault.yaml_text import spell

_GAP = re.compile(r"-( +)(?=\S)")


@dataclass(frozen=True)
class Patch:
    start: int
    end: int
    text: str


def rewrite_inline(text: str, span: Span, olds: list[Span], news: list[int | str]) -> Patch:
    """Items in brackets or braces: each of `news` is the number of an old item, or the text of a new one."""
    start, end = span
    opened = min(at for at in (text.find("[", start, end), text.find("{", start, end)) if at >= 0)
    if not olds or not news:
        return Patch(opened + 1, end - 1, ", ".join(str(new) for new in news))
    gaps = [text[one[1] : other[0]] for one, other in pairwise(olds)]
    usual = gaps[0] if gaps and "#" not in gaps[0] else ", "
    out = text[opened + 1 : olds[0][0]]
    for position, new in enumerate(news):
        if position:
            out += gaps[new - 1] if isinstance(new, int) and new else usual
        out += text[slice(*olds[new])] if isinstance(new, int) else new
    return Patch(opened + 1, end - 1, out + text[olds[-1][1] : end - 1])


def change_inline_list(text: str, place: ValuePosition, old: list[Value], new: list[Value]) -> list[Patch]:
    items = place.items or ()
    reuse = _reuse(text, items, old, flow=True)
    news: list[int | str] = []
    for operation, i1, i2, j1, j2 in _operations(old, new):
        news += range(i1, i2) if operation == "equal" else map(reuse, new[j1:j2])
    return [rewrite_inline(text, place.span, [item.span for item in items], news)]


def change_block_list(
    text: str, place: ValuePosition, old: list[Value], new: list[Value], newline: str
) -> list[Patch]:
    items = place.items or ()
    firsts = [_dash_line(text, item, place.column) for item in items]
    ends = [line_end(text, item.span[1]) for item in items]
    gap = _GAP.match(text, firsts[0] + place.column)
    dash = " " * place.column + "-" + (gap[1] if gap else " ")
    reuse = _reuse(text, items, old, flow=False)
    patches = []
    for operation, i1, i2, j1, j2 in _operations(old, new):
        if operation == "equal":
            continue
        # A comment above a replaced item stays above; a new item follows the one before it.
        at = firsts[i1] if i1 == 0 or i1 < i2 else ends[i1 - 1]
        patches.append(Patch(at, at, "".join(f"{dash}{reuse(item)}{newline}" for item in new[j1:j2])))
        patches += [Patch(firsts[i], ends[i], "") for i in range(i1, i2)]
    return patches


def _operations(old: list[Value], new: list[Value]) -> Sequence[tuple[str, int, int, int, int]]:
    # repr tells 1, 1.0, true and "1" apart
    return SequenceMatcher(None, [*map(repr, old)], [*map(repr, new)]).get_opcodes()


def _reuse(
    text: str, items: tuple[ValuePosition, ...], old: list[Value], flow: bool
) -> Callable[[Value], str]:
    """How a new item is spelled: as it was, when it only moved."""
    sources = {
        repr(value): text[slice(*item.span)]
        for item, value in zip(items, old, strict=True)
        if item.shape == "inline" and "\n" not in text[slice(*item.span)]
    }
    return lambda value: sources.get(repr(value)) or spell(value, flow=flow)


def _dash_line(text: str, item: ValuePosition, column: int) -> int:
    """The start of the line on which the item's dash stands; the item may begin on a later one."""
    start = line_start(text, item.span[0])
    while start and text[start : start + column + 1] != " " * column + "-":
        start = line_start(text, start - 1)
    return start
