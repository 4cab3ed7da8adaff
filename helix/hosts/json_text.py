"""Where everything stands in a JSON text, with comments and trailing commas where the host allows them.

The standard library's parser tells values and no places; this one tells both.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from helix.errors import HostFileError

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*(?s:.*?)\*/")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[^\s,:\[\]{}\"/]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LITERALS = {"true": True, "false": False, "null": None}
_DEEPEST = 200


@dataclass(frozen=True)
class JsonNode:
    """A value and its place; `children` is None for what is neither an object nor an array."""

    start: int
    end: int
    value: Any
    children: tuple[Child, ...] | None = None

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    def find(self, key: str | int) -> Child | None:
        children = self.children or ()
        if isinstance(key, int):
            return children[key] if key < len(children) else None
        return next((child for child in children if child.key == key), None)


@dataclass(frozen=True)
class Child:
    """A member of an object or an item of an array; `start` is that of its key, `comma` the comma after it."""

    key: str | None
    start: int
    node: JsonNode
    comma: int | None


def scan(text: str, *, lenient: bool) -> JsonNode | None:
    """The value that the text holds; None when it holds none. `lenient` is JSON with comments."""
    scanner = _Scanner(text, lenient)
    start = scanner.blank(0)
    if start == len(text):
        return None
    root = scanner.value(start, 0)
    if (end := scanner.blank(root.end)) < len(text):
        raise scanner.wrong(end, "there is something after the end of the document")
    return root


def comments_end(text: str, at: int, end: int) -> int:
    """The end of the last comment that begins on the line of `at`, before `end`; `at` when there is none."""
    last = at
    while True:
        while at < end and text[at] in " \t":
            at += 1
        comment = _COMMENT.match(text, at, end)
        if comment is None:
            return last
        last = at = comment.end()


class _Scanner:
    def __init__(self, text: str, lenient: bool) -> None:
        self._text = text
        self._lenient = lenient

    def wrong(self, at: int, reason: str) -> HostFileError:
        return HostFileError(reason, line=self._text.count("\n", 0, at) + 1)

    def blank(self, at: int) -> int:
        while True:
            if blank := _BLANK.match(self._text, at):
                at = blank.end()
            if not self._text.startswith("/", at):
                return at
            comment = _COMMENT.match(self._text, at)
            if comment is None:
                raise self.wrong(at, "a comment that does not end, or a stray slash")
            if not self._lenient:
                raise self.wrong(at, "this host reads plain JSON, and this is a comment")
            at = comment.end()

    def value(self, at: int, depth: int) -> JsonNode:
        sign = self._text[at : at + 1]
        if depth > _DEEPEST:
            raise self.wrong(at, f"nested deeper than {_DEEPEST}")
        if sign == "{":
            return self._container(at, depth, "}")
        if sign == "[":
            return self._container(at, depth, "]")
        if sign == '"':
            return self._string(at)
        word = _WORD.match(self._text, at)
        if word and word[0] in _LITERALS:
            return JsonNode(at, word.end(), _LITERALS[word[0]])
        if word and _NUMBER.fullmatch(word[0]):
            return JsonNode(at, word.end(), self._loads(at, word[0]))
        raise self.wrong(at, f"a value should stand here, not {self._shown(at)}")

    def _container(self, opening: int, depth: int, closing: str) -> JsonNode:
        children: list[Child] = []
        at = self.blank(opening + 1)
        while not self._text.startswith(closing, at):
            if children and children[-1].comma is None:
                raise self.wrong(at, f"a comma or {closing} should stand here, not {self._shown(at)}")
            child = self._child(at, depth, is_member=closing == "}")
            children.append(child)
            at = self.blank(child.node.end if child.comma is None else child.comma + 1)
        if children and children[-1].comma is not None and not self._lenient:
            raise self.wrong(children[-1].comma, "this host reads plain JSON, and this comma is one too many")
        values = [child.node.value for child in children]
        value = values if closing == "]" else {child.key: child.node.value for child in children}
        return JsonNode(opening, at + 1, value, tuple(children))

    def _child(self, at: int, depth: int, *, is_member: bool) -> Child:
        start, key = at, None
        if is_member:
            if not self._text.startswith('"', at):
                raise self.wrong(at, f"a key in double quotes should stand here, not {self._shown(at)}")
            name = self._string(at)
            key, at = name.value, self.blank(name.end)
            if not self._text.startswith(":", at):
                raise self.wrong(at, f"a colon should stand here, not {self._shown(at)}")
            at = self.blank(at + 1)
        node = self.value(at, depth + 1)
        after = self.blank(node.end)
        return Child(key, start, node, after if self._text.startswith(",", after) else None)

    def _string(self, at: int) -> JsonNode:
        string = _STRING.match(self._text, at)
        if string is None:
            raise self.wrong(at, "a text that does not end on its line, or has control characters in it")
        return JsonNode(at, string.end(), self._loads(at, string[0]))

    def _loads(self, at: int, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise self.wrong(at, f"{text[:40]} cannot be read: {error}") from error

    def _shown(self, at: int) -> str:
        return (
            repr(self._text[at : at + 12].split("\n")[0]) if at < len(self._text) else "the end of the file"
        )
