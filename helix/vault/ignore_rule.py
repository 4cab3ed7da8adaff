"""One line of a `.helixignore`: a pattern of gitignore, matched in linear time.

The line becomes a regular expression that never tries a second way. What stands between two stars is taken where it
first occurs and not looked for again (an atomic group): a later place can never fit where the first does not. The same
holds for the folders between two double stars. So a line costs at most its own length for each letter of a name.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

# As long as any name of a file; a path of many folders may be longer, and a pattern for it has a star.
LONGEST_RULE = 512
# Git takes `[z-a]` for a z; who wrote it meant something else.
REVERSED = "a range ends before it begins"

_STAR = "*"
_FOLDERS = "**"
_ANY = "[^/]"
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \t", "cntrl": "\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~",
    "lower": "a-z", "print": " -~", "punct": re.escape(string.punctuation), "space": "\t-\r ", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True)
class Rule:
    hides: bool
    """otherwise it brings back what an earlier rule hides"""
    of_folders: bool
    """it knows folders only"""
    of_names: bool
    """it is held against the name alone, in whatever folder"""
    _pattern: re.Pattern[str]

    def knows(self, path: str, name: str, *, is_folder: bool) -> bool:
        if self.of_folders and not is_folder:
            return False
        return self._pattern.match(name if self.of_names else path) is not None


def parse_rule(line: str) -> Rule | None:
    """None for a line that says nothing; ValueError for one that can hide nothing."""
    text = _trimmed(line)
    if not text:
        return None
    if len(text) > LONGEST_RULE:
        raise ValueError(f"a rule has at most {LONGEST_RULE} characters")
    hides = not text.startswith("!")
    text = text if hides else text[1:]
    of_folders = text.endswith("/")
    text = text.removesuffix("/")
    if not text:
        raise ValueError("there is nothing in it")
    of_names = "/" not in text
    pattern = _translate(text.removeprefix("/"), of_names=of_names)
    return Rule(hides, of_folders, of_names, re.compile(pattern, re.DOTALL))


def _trimmed(line: str) -> str:
    """Without the blanks at its end, but for one that a backslash keeps."""
    end = len(line.rstrip(" "))
    kept = len(line[:end]) - len(line[:end].rstrip("\\"))
    return line[: end + 1] if kept % 2 and end < len(line) else line[:end]


def _translate(text: str, *, of_names: bool) -> str:
    """The stretches of folders between double stars, each taken where it first fits."""
    stretches: list[list[str]] = [[]]
    parts = _parts(text)
    for index, part in enumerate(parts):
        if part == [_FOLDERS] and of_names:
            return r".*\Z"
        if part == [_FOLDERS]:
            if index == len(parts) - 1:
                return _joined(stretches, ends_open=True)
            if stretches[-1] or len(stretches) == 1:
                stretches.append([])
        else:
            stretches[-1].append(_segment(part))
    return _joined(stretches, ends_open=False)


def _joined(stretches: list[list[str]], *, ends_open: bool) -> str:
    anywhere = f"(?:{_ANY}+/)*"
    first, *others = stretches
    pattern = "".join(f"{segment}/" for segment in first)
    if ends_open:
        pattern += "".join(
            f"(?>{anywhere}?{''.join(f'{one}/' for one in other)})" for other in others if other
        )
        return pattern + r".+\Z"
    if not others:
        return pattern.removesuffix("/") + r"\Z"
    for other in others[:-1]:
        pattern += f"(?>{anywhere}?{''.join(f'{one}/' for one in other)})"
    return pattern + anywhere + "/".join(others[-1]) + r"\Z"


def _segment(part: list[str]) -> str:
    """The name of one folder or file, whole."""
    runs = [""]
    for atom in part:
        if atom in (_STAR, _FOLDERS):
            runs.append("")
        else:
            runs[-1] += atom
    first, *others = runs
    if not others:
        return first
    middle = "".join(f"(?>{_ANY}*?{run})" for run in others[:-1] if run)
    return f"(?>{first}{middle}{_ANY}*{others[-1]}(?=/|\\Z))"


def _parts(text: str) -> list[list[str]]:
    """What stands between the slashes, letter by letter: each a small pattern of its own, a star or a double star.

    Two stars and more are a double star only when nothing else stands between the slashes.
    """
    parts: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter == "\\":
            if at == len(text):
                raise ValueError("it ends with a backslash")
            letter = text[at]
            at += 1
            if letter != "/":
                parts[-1].append(re.escape(letter))
                continue
        if letter == "/":
            parts.append([])
        elif letter == "*":
            start = at - 1
            while at < len(text) and text[at] == "*":
                at += 1
            alone = not parts[-1] and (at == len(text) or text[at] == "/" or text.startswith("\\/", at))
            parts[-1].append(_FOLDERS if alone and at - start > 1 else _STAR)
        elif letter == "?":
            parts[-1].append(_ANY)
        elif letter == "[":
            atom, at = _class(text, at)
            parts[-1].append(atom)
        else:
            parts[-1].append(re.escape(letter))
    return parts


def _class(text: str, at: int) -> tuple[str, int]:
    """A set in brackets as git reads it, and where it ends."""
    negated = at < len(text) and text[at] in "!^"
    at += negated
    items = ""
    before = ""  # the letter that a range may begin with
    first = True
    while True:
        if at >= len(text):
            raise ValueError("a bracket is not closed")
        letter = text[at]
        if letter == "]" and not first:
            break
        first = False
        if letter == "\\":
            at += 1
            if at >= len(text):
                raise ValueError("a bracket is not closed")
            before = text[at]
            items += re.escape(before)
        elif letter == "-" and before and at + 1 < len(text) and text[at + 1] != "]":
            at += 1
            if text[at] == "\\":
                at += 1
                if at >= len(text):
                    raise ValueError("a bracket is not closed")
            if before > text[at]:
                raise ValueError(REVERSED)
            items += f"{re.escape(before)}-{re.escape(text[at])}"
            before = ""
        elif letter == "[" and text.startswith(":", at + 1):
            end = text.find("]", at + 2)
            if end < 0:
                raise ValueError("a bracket is not closed")
            if end > at + 2 and text[end - 1] == ":":
                name = text[at + 2 : end - 1]
                if name not in _CLASSES:
                    raise ValueError(f"there is no class {name}")
                items += _CLASSES[name]
                before, at = "", end
            else:
                items += re.escape(letter)
                before = letter
        else:
            items += re.escape(letter)
            before = letter
        at += 1
    return (f"[^/{items}]" if negated else f"(?:(?!/)[{items}])"), at + 1
