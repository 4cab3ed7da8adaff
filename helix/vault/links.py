"""Links and inline tags in the text of a memory, as Obsidian reads them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

MOST_IN_A_TEXT = 10_000
"""Links of each kind, and tags, that a text can have: the next ones are words. A note of a generator, or a hostile one,
has 400,000, and each would be a row of the catalog, an edge of the graph and a line of listings."""
EDGE_KINDS = ("supersedes", "depends_on", "contradicts", "refines", "relates_to")

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_BACKTICKS = re.compile(r"`+")
# What follows the target begins with its own mark: two runs that could share letters take quadratic time.
WIKILINK = re.compile(r"!?\[\[([^\[\]|#^\n]+)(?:[|#^][^\[\]\n]*)?\]\]")
# `](to the note.md "title")`: brackets in a name come in pairs, or the name stands between angle brackets.
_MARKDOWN_LINK = re.compile(
    r"\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*))[^()\n]{0,300}\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_TAG = re.compile(r"(?<![^\s(])#([\w/-]*[^\W\d][\w/-]*)")


def wikilinks(text: str) -> list[str]:
    """The targets of the links in a text, each once, in order of appearance. Code is not text."""
    return _unique(match[1].strip() for line in _prose(text, "[[") for match in WIKILINK.finditer(line))


def markdown_links(text: str, path: str) -> list[str]:
    """The notes that `[shown](to.md)` links in the text of the note at `path` lead to, without their ending.

    A place that is written with a slash is told as its path in the vault. A bare name stays one: as in Obsidian it may
    be a file in any folder.
    """
    targets = (
        _note_at(match[1] or match[2] or "", path)
        for line in _prose(text, "](")
        for match in _MARKDOWN_LINK.finditer(line)
    )
    return _unique(target for target in targets if target is not None)


def property_links(values: Iterable[object]) -> list[str]:
    """The targets of the wikilinks that stand alone in a property, or in a list there."""
    items = (item for value in values for item in (value if isinstance(value, list) else [value]))
    texts = (item.strip() for item in items if isinstance(item, str) and "[[" in item)
    return _unique(match.group(1).strip() for text in texts if (match := WIKILINK.fullmatch(text)))


def inline_tags(text: str) -> list[str]:
    """The `#tags` in a text, without the mark. As in Obsidian, a tag needs at least one letter."""
    return _unique(match[1].strip("/") for line in _prose(text, "#") for match in _TAG.finditer(line))


def to_link(memory_id: str) -> str:
    return f"[[{memory_id}]]"


def from_link(value: object) -> str | None:
    """The id in `[[id]]`, `[[id|shown]]` or a bare `id`; None for anything else."""
    if not isinstance(value, str) or not value.strip():
        return None
    match = WIKILINK.fullmatch(value.strip())
    return match.group(1).strip() if match else value.strip()


def _note_at(destination: str, path: str) -> str | None:
    """The note that a link names; None for a web page, a heading of the same note, a picture, or a place outside."""
    if _SCHEME.match(destination):
        return None
    target = unquote(destination.partition("#")[0].partition("?")[0]).strip()
    stem, ending = posixpath.splitext(target)
    if ending.lower() in (".md", ".markdown"):
        target = stem
    elif ending[1:].isalpha():
        return None
    if "/" not in target:
        return target or None
    folder = "" if target.startswith("/") else posixpath.dirname(path)
    inside = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if inside.startswith("..") or inside == "." else inside


def _prose(text: str, mark: str) -> Iterator[str]:
    """The lines with this mark outside code blocks, with inline code blanked."""
    if mark not in text:
        return  # most notes have none, and one may have four million lines
    fence = ""
    for line in text.splitlines():
        opens = _FENCE.match(line) if "`" in line or "~" in line else None
        if fence:
            if opens and opens.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opens:
            fence = opens.group(1)
        elif mark in line:
            yield _without_code(line) if "`" in line else line


def _without_code(line: str) -> str:
    """The line with its inline code blanked: from a run of backticks to the next run of the same length.

    In one pass: a pattern that says the same takes minutes for a hostile line.
    """
    runs = [match.span() for match in _BACKTICKS.finditer(line)]
    closing: dict[int, int] = {}
    following: dict[int, int] = {}
    for index in reversed(range(len(runs))):
        length = runs[index][1] - runs[index][0]
        if length in following:
            closing[index] = following[length]
        following[length] = index
    kept, done, index = [], 0, 0
    while index < len(runs):
        if index in closing:
            kept.append(line[done : runs[index][0]])
            index = closing[index]
            done = runs[index][1]
        index += 1
    return " ".join([*kept, line[done:]])


def _unique(items: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for item in items:
        if item:
            found[item] = None
            if len(found) == MOST_IN_A_TEXT:
                break
    return list(found)
