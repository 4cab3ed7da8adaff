"""Where a passage of a document stands in its file: `/papers/retries.pdf#page=3`, `/notes/runbook.md#L120`.

The note of a document says which file it is of; comments in its text say where a page begins, or which line of the
file the next one is. Where there is neither, the heading above the passage is the place.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from helix.vault.note import Note

_MARK = re.compile(r"^<!-- (page|slide|sheet|cell|line) (.{1,200}?) -->$", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def citation_of(note: Note, start: int) -> str | None:
    """None for what is not of a document; `start` is where in the text of the note the passage begins."""
    memory = note.memory
    uri = str((memory.source or {}).get("uri") or "")
    if memory.kind != "document" or not uri:
        return None
    body = memory.body
    # What a passage begins with may be the mark itself, or blank lines before its first words.
    start += len(body[start:]) - len(body[start:].lstrip())
    marks = [found for found in _MARK.finditer(body) if found.start() <= start]
    if marks and marks[-1][1] == "line":
        return f"{_file(uri)}#L{_line(body, marks[-1].end(), start, marks[-1][2])}"
    if marks:
        return f"{_file(uri)}#{marks[-1][1]}={marks[-1][2]}"
    above = [found[1] for found in _HEADING.finditer(body) if found.start() <= start]
    return f"{_file(uri)}#{above[-1]}" if above else _file(uri)


def _line(body: str, mark: int, start: int, first: str) -> int:
    """The mark stands right above its line, or above the fence of a block of code."""
    fence = 1 if body.startswith(("\n```", "\n~~~"), mark) else 0
    between = body.count("\n", mark, max(start, mark)) - 1 - fence
    return (int(first) if first.isdecimal() else 1) + max(0, between)


def _file(uri: str) -> str:
    split = urlsplit(uri)
    return unquote(split.path) if split.scheme in ("file", "document") else uri
