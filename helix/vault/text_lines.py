"""Lines of a text and their ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Not str.splitlines: that also cuts at U+2028, form feeds and others, which are text within a line.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lines(text: str) -> Iterator[str]:
    return (found.group() for found in _LINE.finditer(text))


def plain(text: str) -> str:
    """Lines compare without their ends: a copy that came over Windows must not double every line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if ends_line(text) else text + "\n"


def ends_line(text: str) -> bool:
    return text[-1:] in ("\r", "\n", "")


def with_ends_of(first: str, merged: str, ends_open: bool) -> str:
    """The merged text; a line of the first side keeps its own line end, and new ones get the usual end of that side."""
    if ends_open and merged.endswith("\n") and not merged.endswith("\n\n"):
        merged = merged[:-1]
    if "\r" not in first:
        return merged
    usual = "\r\n" if "\r\n" in first else "\n" if "\n" in first else "\r"
    if first.count("\r\n") == first.count("\n") == first.count("\r") or usual == "\r":
        return merged.replace("\n", usual)
    own: dict[str, str] = {}
    for line in lines(first):
        text = line.rstrip("\r\n")
        if (end := line[len(text) :]) and end != usual:
            own.setdefault(text, end)
    pieces = [""]
    for line in lines(merged):
        text = line.removesuffix("\n")
        end = own.get(text, usual) if text != line else ""
        # "\r" and "\n" would read as one line end, were nothing between them.
        pieces.append(text + ("\r" if end == "\n" and not text and pieces[-1].endswith("\r") else end))
    return "".join(pieces)


def has_lines(text: str, part: str) -> bool:
    """Whether lines stand in a text one after the other."""
    return len(part) <= len(text) and f"\n{part}" in f"\n{text}"
