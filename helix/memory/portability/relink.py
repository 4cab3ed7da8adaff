"""Links between imported notes lead to their new ids, and still show the words they showed."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_WIKILINK = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#^\n]+)(?P<part>[#^][^\[\]|\n]*)?(?:\|(?P<shown>[^\[\]\n]*))?\]\]"
)


def relink(text: str, ids: Mapping[str, str]) -> str:
    """`[[Target]]` becomes `[[id|Target]]` where `ids` knows the target. Code stays as it is."""
    if not ids or "[[" not in text:
        return text
    lines, fence = [], ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and "[[" in line:
            # Inline code lies between backticks: every second piece.
            pieces = line.split("`")
            line = "`".join(
                piece if place % 2 else _WIKILINK.sub(lambda match: _renamed(match, ids), piece)
                for place, piece in enumerate(pieces)
            )
        lines.append(line)
    return "".join(lines)


def _renamed(match: re.Match[str], ids: Mapping[str, str]) -> str:
    target, part = match["target"].strip(), match["part"] or ""
    if target not in ids:
        return match[0]
    shown = match["shown"] or f"{target}{part}"
    return f"{match['embed']}[[{ids[target]}{part}|{shown}]]"
