"""Conflict markers that git leaves in a file when a merge stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKER_LINE = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |\r?$)|^={7}\r?$", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


@dataclass(frozen=True)
class GitConflict:
    """The first conflict of a text."""

    line: int  # of the <<<<<<< marker, counted from 1
    ours: str
    theirs: str
    base: str | None  # only with git's diff3 and zdiff3 styles
    ours_label: str
    theirs_label: str


@dataclass(frozen=True)
class _Hunk:
    conflict: GitConflict
    end: int  # the index of the line after the >>>>>>> marker


def find_marker_line(text: str) -> int | None:
    """The first line that looks like any conflict marker: in YAML, no such line is valid."""
    found = _MARKER_LINE.search(text)
    return None if found is None else 1 + text.count("\n", 0, found.start())


def find_conflict(text: str) -> GitConflict | None:
    """The first complete conflict outside fenced code: a note about git may show one in a code block."""
    if "<<<<<<<" not in text:
        return None
    lines = _LINE.findall(text)
    return next((hunk.conflict for hunk in _hunks(lines)), None)


def take_sides(text: str) -> tuple[str, str]:
    """The whole text as it was on our side and on theirs; the same twice when there is no conflict."""
    lines = _LINE.findall(text)
    ours, theirs, done = [], [], 0
    for hunk in _hunks(lines):
        between = lines[done : hunk.conflict.line - 1]
        ours += [*between, hunk.conflict.ours]
        theirs += [*between, hunk.conflict.theirs]
        done = hunk.end
    return "".join(ours + lines[done:]), "".join(theirs + lines[done:])


def _hunks(lines: list[str]) -> Iterator[_Hunk]:
    fence = ""
    at = 0
    while at < len(lines):
        if fence or _label(lines[at], "<") is None:
            fence = _fence_after(lines[at], fence)
            at += 1
            continue
        hunk = _hunk(lines, at)
        if hunk is None:
            return  # the rest of the text completes no conflict, so it completes none that begins later
        yield hunk
        # A fence may be opened inside the conflict; our side decides what comes after it.
        for line in _LINE.findall(hunk.conflict.ours):
            fence = _fence_after(line, fence)
        at = hunk.end


def _hunk(lines: list[str], start: int) -> _Hunk | None:
    """The conflict whose <<<<<<< is the line at `start`. Inside, markers count even in fenced code."""
    sides: dict[str, list[str]] = {"ours": []}
    side = "ours"
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if side == "ours" and _label(line, "|") is not None:
            side = "base"
        elif side != "theirs" and line.rstrip("\r\n") == "=" * 7:
            side = "theirs"
        elif side == "theirs" and (theirs_label := _label(line, ">")) is not None:
            base = sides.get("base")
            conflict = GitConflict(
                line=start + 1,
                ours="".join(sides["ours"]),
                theirs="".join(sides.get("theirs", [])),
                base=None if base is None else "".join(base),
                ours_label=lines[start].rstrip("\r\n")[8:],
                theirs_label=theirs_label,
            )
            return _Hunk(conflict, at + 1)
        else:
            sides[side].append(line)
            continue
        sides[side] = []
    return None


def _label(line: str, sign: str) -> str | None:
    """What stands after the seven signs, or None when the line is no such marker."""
    text = line.rstrip("\r\n")
    if text[:7] != sign * 7 or text[7:8] not in ("", " "):
        return None
    return text[8:]


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open after `line`, when `fence` was open before it."""
    found = _FENCE.match(line.rstrip("\r\n"))
    if found is None:
        return fence
    signs = found[1]
    if not fence:
        return signs
    closes = signs.startswith(fence) and not line.strip().strip(signs[0])
    return "" if closes else fence
