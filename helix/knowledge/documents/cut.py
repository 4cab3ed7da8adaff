"""A long text into parts by its structure: at headings, pages and paragraphs, and only then within one.

A part says where it comes from by comments in its text, which readers of markdown do not show: `<!-- page 3 -->` where
a page begins, `<!-- line 120 -->` above lines that stand as they do in the file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from helix.knowledge.documents.converted import Stretch

LONGEST_PART = 12_000
"""characters, about 3,000 tokens"""
_RIPE = LONGEST_PART // 2
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_DEEPEST = 3
"""a heading below this level begins no part"""


@dataclass(frozen=True)
class Block:
    """A heading with what stands directly under it, a paragraph, a block of code."""

    text: str
    unit: str
    at: str
    """of lines the number of the first"""
    code: str = ""
    level: int = 0
    """of a heading; 0 for anything else"""
    name: str = ""


@dataclass
class Part:
    blocks: list[Block] = field(default_factory=list)
    size: int = 0

    @property
    def heading(self) -> str:
        return next((block.name for block in self.blocks if block.level), "")

    @property
    def unit(self) -> str:
        return self.blocks[0].unit

    @property
    def span(self) -> str:
        """`3-5`, or of a single one `3`."""
        first, last = self.blocks[0], self.blocks[-1]
        if first.unit != "line":
            return first.at if first.at == last.at else f"{first.at}-{last.at}"
        end = int(last.at) + last.text.rstrip("\n").count("\n")
        return first.at if int(first.at) == end else f"{first.at}-{end}"

    @property
    def body(self) -> str:
        text, here = "", None
        for block in self.blocks:
            if block.unit and block.unit != "line" and block.at != here:
                text = f"{text.rstrip()}\n\n" if text else text
                text += f"<!-- {block.unit} {_in_comment(block.at)} -->\n\n"
                here = block.at
            text += block.text
        if self.unit != "line":
            return text.strip() + "\n"
        code = self.blocks[0].code
        mark = f"<!-- line {self.blocks[0].at} -->\n"
        if not code:
            return mark + text.rstrip() + "\n"
        fence = "`" * max(3, 1 + max((len(found) for found in re.findall(r"`+", text)), default=0))
        return f"{mark}{fence}{code}\n{text.rstrip()}\n{fence}\n"


def cut(stretches: Sequence[Stretch]) -> list[Part]:
    parts: list[Part] = []
    for stretch in stretches:
        for block in _blocks(stretch):
            part = parts[-1] if parts else None
            if part is None or _begins_anew(part, block):
                part = Part()
                parts.append(part)
            part.blocks.append(block)
            part.size += len(block.text)
    return [part for part in parts if any(block.text.strip() for block in part.blocks)]


def _begins_anew(part: Part, block: Block) -> bool:
    if part.size + len(block.text) > LONGEST_PART or part.unit != block.unit:
        return part.size > 0
    is_structure = 0 < block.level <= _DEEPEST or (block.unit != "line" and block.at != part.blocks[-1].at)
    return is_structure and part.size >= _RIPE


def _blocks(stretch: Stretch) -> Iterator[Block]:
    first = int(stretch.at) if stretch.unit == "line" else 0
    for number, lines, level, name in _paragraphs(stretch):
        at = str(first + number) if stretch.unit == "line" else stretch.at
        for offset, text in _short_enough(lines):
            where = str(int(at) + offset) if stretch.unit == "line" else at
            yield Block(text, stretch.unit, where, stretch.code, level if offset == 0 else 0, name)


def _paragraphs(stretch: Stretch) -> Iterator[tuple[int, list[str], int, str]]:
    """Each with the number of its first line. A `#` in code is no heading."""
    lines: list[str] = []
    start, level, name, fence = 0, 0, "", stretch.code
    for number, line in enumerate(io.StringIO(stretch.text, newline="\n")):
        mark = None if stretch.code else _FENCE.match(line)
        heading = None if fence else _HEADING.match(line)
        is_after_gap = bool(lines) and not lines[-1].strip() and bool(line.strip())
        if lines and (heading or (is_after_gap and (stretch.code or not fence))):
            yield start, lines, level, name
            lines, start, level, name = [], number, 0, ""
        if mark:
            fence = mark[1][0] if not fence else "" if mark[1].startswith(fence) else fence
        if heading:
            level, name = len(heading[1]), heading[2].strip(" \t#\n")
        lines.append(line)
    if lines:
        yield start, lines, level, name


def _short_enough(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """A paragraph, or as much of it as a part holds; each piece with the number of its first line in it."""
    start, text = 0, ""
    for number, line in enumerate(lines):
        if text and len(text) + len(line) > LONGEST_PART:
            yield start, text
            start, text = number, ""
        while len(line) > LONGEST_PART:
            yield number, line[:LONGEST_PART]
            line = line[LONGEST_PART:]
        text = text or ""
        text += line
    if text:
        yield start, text


def _in_comment(name: str) -> str:
    return name.replace("--", "- -").replace(">", "")
