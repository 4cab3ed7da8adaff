"""Changing a TOML text in one place and leaving every other byte as it is.

tomllib reads the values; where they stand is found here, statement by statement, in a text that is known to
be TOML. A server is a table of its own, `[mcp_servers.helix]`, at the end of the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from helix.errors import HostFileError
from helix.hosts.entry_text import spell_toml, spell_toml_key, spell_toml_table
from helix.hosts.patch import TextPatch, apply, line_end, newline_of

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEYS = re.compile(rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*")
_ONE_KEY = re.compile(_KEY)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_TOKEN = re.compile(
    r'''"""(?s:(?:\\.|[^\\])*?)"{3,5}(?!")|\'\'\'(?s:.*?)'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[^"'#]'''
)
_LINE = re.compile(r"line (\d+)")


@dataclass(frozen=True)
class _Statement:
    """A `[header]` or a `key = value`, with the whole path of its key; `value` is the place of the latter's."""

    start: int
    end: int
    path: tuple[str, ...]
    value: tuple[int, int] | None

    def is_of(self, keys: Sequence[str]) -> bool:
        return self.path[: len(keys)] == tuple(keys)


class TomlText:
    def parse(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = _LINE.search(str(error))
            reason = str(error).partition(" (at ")[0]
            raise HostFileError(reason, line=int(line[1]) if line else text.count("\n") + 1) from error

    def put(self, text: str, keys: Sequence[str], value: Any) -> str:
        statements = list(_statements(text))
        if ours := [one for one in statements if one.is_of(keys)]:
            if ours[0].value is not None and ours[0].path == tuple(keys):
                return apply(text, [TextPatch(*ours[0].value, spell_toml(value))])
            begun = _without(text, ours)
            at = ours[0].start if ours[0].value is None else len(begun)
            return begun[:at] + _table(begun[:at], keys, value, newline_of(text)) + begun[at:]
        if braces := _find_braces(statements, keys):
            return _put_inline(text, braces, keys[len(braces.path) :], value)
        return text + _table(text, keys, value, newline_of(text))

    def take(self, text: str, keys: Sequence[str], made: Sequence[list[str]]) -> str:
        statements = list(_statements(text))
        ours = [one for one in statements if one.is_of(keys)]
        if not ours and (braces := _find_braces(statements, keys)):
            return _take_inline(text, braces, keys[len(braces.path) :])
        if not ours:
            raise HostFileError(f"{'.'.join(keys)} is not there")
        start = ours[0].start
        text = _without(text, ours)
        if not text[start:].strip():  # the blank line that parted it from the table before
            text = text[:start].rstrip("\r\n") + newline_of(text) if text[:start].strip() else ""
        return text


def _table(before: str, keys: Sequence[str], value: Any, newline: str) -> str:
    """With a blank line before it, unless it comes first."""
    gap = "" if not before or before.endswith("\n") else newline
    gap += newline if before.strip() and not (before + gap).endswith(("\n\n", "\n\r\n")) else ""
    return gap + spell_toml_table(keys, value, newline)


def _find_braces(statements: Sequence[_Statement], keys: Sequence[str]) -> _Statement | None:
    """The `key = { … }` that holds what the keys lead to."""
    return next(
        (one for one in statements if one.value and one.path == tuple(keys[: len(one.path)]) != tuple(keys)),
        None,
    )


def _put_inline(text: str, braces: _Statement, keys: Sequence[str], value: Any) -> str:
    inside = _inside(text, braces)
    if present := [one for one in inside if one.path == tuple(keys) and one.value]:
        return apply(text, [TextPatch(*(present[0].value or (0, 0)), spell_toml(value))])
    start, end = braces.value or (0, 0)
    assignment = f"{'.'.join(map(spell_toml_key, keys))} = {spell_toml(value)}"
    if not inside:
        return apply(text, [TextPatch(start + 1, end - 1, f" {assignment} ")])
    return apply(text, [TextPatch(inside[-1].end, inside[-1].end, f", {assignment}")])


def _take_inline(text: str, braces: _Statement, keys: Sequence[str]) -> str:
    inside = _inside(text, braces)
    kept = [one for one in inside if not one.is_of(keys)]
    start, end = braces.value or (0, 0)
    if len(kept) == len(inside):
        raise HostFileError(f"{'.'.join((*braces.path, *keys))} is not there")
    if not kept:
        return apply(text, [TextPatch(start + 1, end - 1, "")])
    inner = ", ".join(text[one.start : one.end] for one in kept)
    return apply(text, [TextPatch(inside[0].start, inside[-1].end, inner)])


def _inside(text: str, braces: _Statement) -> list[_Statement]:
    """What stands between braces, each with its own place and no more."""
    start, end = braces.value or (0, 0)
    if text[start] != "{":
        raise HostFileError(f"{'.'.join(braces.path)} should be a table", line=text.count("\n", 0, start) + 1)
    statements, at = [], start + 1
    while (at := _skip(text, at)) < end - 1:
        keys = _KEYS.match(text, at)
        if keys is None:
            raise HostFileError("braces that cannot be told apart", line=text.count("\n", 0, at) + 1)
        begin = _skip(text, text.index("=", keys.end()) + 1)
        last = _value_end(text, begin, ends=",}")
        statements.append(_Statement(at, last, _path(keys[0]), (begin, last)))
        at = _skip(text, last)
        at += text[at] == ","
    return statements


def _without(text: str, statements: Sequence[_Statement]) -> str:
    return apply(text, [TextPatch(one.start, one.end, "") for one in statements])


def _statements(text: str) -> Iterator[_Statement]:
    table: tuple[str, ...] = ()
    at = 0
    while (at := _skip(text, at)) < len(text):
        start = text.rfind("\n", 0, at) + 1
        if text[at] == "[":
            keys = _KEYS.search(text, at)
            if keys is None:
                raise HostFileError("a table without a name", line=text.count("\n", 0, at) + 1)
            table = _path(keys[0])
            at = line_end(text, keys.end())
            yield _Statement(start, at, table, None)
            continue
        keys = _KEYS.match(text, at)
        if keys is None:
            raise HostFileError("a line that cannot be told apart", line=text.count("\n", 0, at) + 1)
        begin = text.index("=", keys.end()) + 1
        begin += len(text[begin:]) - len(text[begin:].lstrip(" \t"))
        end = _value_end(text, begin)
        at = line_end(text, end)
        yield _Statement(start, at, (*table, *_path(keys[0])), (begin, end))


def _value_end(text: str, at: int, ends: str = "\n") -> int:
    depth, last = 0, at
    while at < len(text) and (token := _TOKEN.match(text, at)):
        sign = token[0]
        if sign in ends and depth == 0:
            break
        depth += (sign in "[{") - (sign in "]}")
        at = token.end()
        if not sign.isspace() and not sign.startswith("#"):
            last = at
    return last


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _path(keys: str) -> tuple[str, ...]:
    def plain(key: str) -> str:
        return key if key[0] not in "\"'" else str(tomllib.loads(f"key = {key}")["key"])

    return tuple(plain(key) for key in _ONE_KEY.findall(keys))
