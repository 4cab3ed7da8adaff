"""Three-way merge of two texts by lines, in which no new line is ever lost.

Written here, not taken from a package: the one on the index is under the GPL, and the rules differ from
diff3's. Where both sides changed the same place, both versions stay in the text, in a fixed order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

COLLISION = (
    "> [!warning] Two versions of the next lines met here. Keep what is right; delete the rest and this line."
)

# Not str.splitlines: that also cuts at U+2028, form feeds and others, which are text within a line.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def merge_text(base: str | None, first: str, second: str) -> str:
    """The text that holds what both sides added and lacks what one side removed from `base`.

    Without a base every line of both sides stays. Line ends follow `first`.
    """
    if first == second or base == second:
        return first
    if base == first:
        return second
    first_lines, second_lines = _LINE.findall(first), _LINE.findall(second)
    ours, theirs = _keys(first_lines), _keys(second_lines)
    merged = None
    if base is not None:
        known = _keys(_LINE.findall(base))
        merged = _three_way(known, ours, theirs)
        if {line for line in {*ours, *theirs}.difference(known) if line.strip()}.difference(merged):
            merged = None
    if merged is None:
        merged = _union(ours, theirs)
    ends_open = not _ends_line(first) and not _ends_line(second)
    return _join(merged, first_lines, "\r\n" if "\r\n" in first else "\n", ends_open)


def without_collisions(text: str) -> str:
    """The text without the lines that warn of two versions; both versions stay."""
    lines, kept = _LINE.findall(text), []
    for place, line in enumerate(lines):
        after_warning = place > 0 and lines[place - 1].rstrip("\r\n") == COLLISION
        if line.rstrip("\r\n") != COLLISION and not (after_warning and not line.strip()):
            kept.append(line)
    return "".join(kept)


def _three_way(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    in_ours, in_theirs = _matches(base, ours), _matches(base, theirs)
    merged: list[str] = []
    at_base = at_ours = at_theirs = 0
    for index, line in enumerate(base):
        if index in in_ours and index in in_theirs:
            merged += _merge_gap(
                base[at_base:index], ours[at_ours : in_ours[index]], theirs[at_theirs : in_theirs[index]]
            )
            merged.append(line)
            at_base, at_ours, at_theirs = index + 1, in_ours[index] + 1, in_theirs[index] + 1
    return merged + _merge_gap(base[at_base:], ours[at_ours:], theirs[at_theirs:])


def _merge_gap(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Merge the lines between two lines that all three texts share."""
    if ours == theirs or base == theirs:
        return list(ours)
    if base == ours:
        return list(theirs)
    # A line of the base that is missing on one side was removed there, and stays removed.
    dropped = {line for line in base if line not in ours or line not in theirs}
    merged = _union(
        [line for line in ours if line not in dropped], [line for line in theirs if line not in dropped]
    )
    if _has_own(ours, theirs, base) and _has_own(theirs, ours, base) and any(line.strip() for line in base):
        return merged if COLLISION in merged else [COLLISION, "", *merged]
    return merged


def _has_own(side: Sequence[str], other: Sequence[str], base: Sequence[str]) -> bool:
    return any(line.strip() and line not in other and line not in base for line in side)


def _union(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Every line of both, in order; a line that both have, but in different places, stands once."""
    present = {line for line in ours if line.strip()}
    merged: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        merged += ours[a:b]
        if tag in ("insert", "replace"):
            merged += [line for line in theirs[c:d] if line not in present]
    return merged


def _matches(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    blocks = SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _keys(lines: Sequence[str]) -> list[str]:
    """Lines compare without their ends: a copy that came over Windows must not double every line."""
    return [line.rstrip("\r\n") for line in lines]


def _ends_line(text: str) -> bool:
    return text[-1:] in ("\r", "\n", "")


def _join(lines: Sequence[str], originals: Sequence[str], newline: str, ends_open: bool) -> str:
    """Text from merged lines; a line of the first side keeps its own line end."""
    own_end = {line.rstrip("\r\n"): line for line in reversed(originals) if _ends_line(line)}
    text = "".join(own_end.get(line, line + newline) for line in lines)
    return text.rstrip("\r\n") if ends_open and lines and lines[-1].strip() else text
