"""The one block of a file that is ours, between two lines that say so; everything else is the person's.

The first line carries a hash of what was written, so that an edit by hand is seen on any machine that has the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helix.errors import HostFileError
from helix.harnesses.rules import digest
from helix.hosts.patch import newline_of

_BEGIN = "<!-- helix:rules:begin {hash} (made from notes by `helix harness sync`; change the notes) -->"
_END = "<!-- helix:rules:end -->"
_ANY = re.compile(r"<!--\s*helix:rules:", re.IGNORECASE)
_FIRST = re.compile(r"<!-- helix:rules:begin ([0-9a-f]{16}) [^\r\n]*-->")


@dataclass(frozen=True)
class RulesBlock:
    start: int
    end: int
    """after the last character of the closing line, before its line break"""
    hash: str
    """as its first line says it"""
    text: str

    @property
    def is_edited(self) -> bool:
        return digest(self.text) != self.hash


def find_block(text: str) -> RulesBlock | None:
    """Raises HostFileError where the lines that say what is ours do not say it clearly."""
    places = [found.start() for found in _ANY.finditer(text)]
    if not places:
        return None
    first, last = places[0], places[-1]
    opening = _FIRST.match(text, first)
    if opening is None or not _stands_alone(text, first, opening.end()):
        raise _damaged(text, first, "the line that begins the block of Helix is damaged")
    if len(places) == 1:
        raise _damaged(text, first, "the block of Helix has no line that ends it")
    if len(places) > 2:
        raise _damaged(text, places[2], "there is more than one block of Helix")
    if not text.startswith(_END, last) or not _stands_alone(text, last, last + len(_END)):
        raise _damaged(text, last, "the line that ends the block of Helix is damaged")
    inner = text[opening.end() : last].removeprefix("\r").removeprefix("\n")
    inner = inner.removesuffix("\n").removesuffix("\r")
    return RulesBlock(first, last + len(_END), opening[1], inner)


def put_block(text: str, content: str, head: str = "") -> str:
    """Where the block stands already, or at the end."""
    newline = newline_of(text)
    spelled = "\n".join([_BEGIN.format(hash=digest(content)), content, _END]).replace("\n", newline)
    block = find_block(text)
    if block is not None:
        return text[: block.start] + spelled + text[block.end :]
    if not text:
        return f"{head}{spelled}\n"
    gap = newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{spelled}{newline}"


def without_block(text: str) -> str:
    """With the blank line before it and the break after it, as `put_block` adds them."""
    block = find_block(text)
    if block is None:
        return text
    before, after = text[: block.start], re.sub(r"\A\r?\n", "", text[block.end :])
    return re.sub(r"\r?\n\Z", "", before) + after if re.search(r"\n\r?\n\Z", before) else before + after


def _stands_alone(text: str, start: int, end: int) -> bool:
    begins = start == 0 or text[start - 1] == "\n"
    return begins and (end == len(text) or text.startswith(("\n", "\r\n"), end))


def _damaged(text: str, at: int, what: str) -> HostFileError:
    return HostFileError(
        f"{what}; put the two lines back, or delete everything from the one to the other",
        line=text.count("\n", 0, at) + 1,
    )
