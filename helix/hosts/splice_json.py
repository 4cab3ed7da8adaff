"""Changing a JSON text in one place and leaving every other byte as it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from helix.errors import HostFileError
from helix.hosts.entry_text import nested
from helix.hosts.json_text import Child, JsonNode, comments_end, scan
from helix.hosts.patch import (
    TextPatch,
    apply,
    begins_line,
    line_break,
    line_start,
    margin_at,
    newline_of,
    step_of,
)


class JsonText:
    def __init__(self, *, lenient: bool) -> None:
        self._lenient = lenient

    def parse(self, text: str) -> dict[str, Any]:
        try:
            value = json.loads(text)  # many times faster; ~/.claude.json can be megabytes long
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        root = self._root(text)  # comments and trailing commas, or what is wrong
        return {} if root is None else dict(root.value)

    def put(self, text: str, keys: Sequence[str], value: Any) -> str:
        """With `value` under `keys`, in the place of what is there, or after everything else."""
        root = self._root(text)
        if root is None:
            return _first(text, nested(keys, value))
        node, known = _follow(text, root, keys)
        if known == len(keys):
            return apply(text, [_replaced(text, root, node, value)])
        _must_be_object(text, node, keys[:known])
        return apply(text, _added(text, root, node, keys[known], nested(keys[known + 1 :], value)))

    def append(self, text: str, keys: Sequence[str], item: Any) -> str:
        """With one more item in the list under `keys`, which is made if there is none."""
        root = self._root(text)
        node, known = (None, 0) if root is None else _follow(text, root, keys)
        if root is None or node is None or known < len(keys):
            return self.put(text, keys, [item])
        if not isinstance(node.value, list):
            raise HostFileError(f"{'.'.join(keys)} should be a list", line=_line(text, node.start))
        return apply(text, _added(text, root, node, None, item))

    def take(self, text: str, keys: Sequence[str | int], made: Sequence[list[str]]) -> str:
        """Without what is under `keys`, and without the containers in `made` that it leaves empty.

        A number counts the items of a list.
        """
        path = self._path(text, keys)
        while len(path) > 1 and len(path[-1][0].children or ()) == 1 and list(keys[: len(path) - 1]) in made:
            path = path[:-1]
        node, child = path[-1]
        return apply(text, _removed(text, node, child))

    def _path(self, text: str, keys: Sequence[str | int]) -> list[tuple[JsonNode, Child]]:
        node = self._root(text)
        path: list[tuple[JsonNode, Child]] = []
        for key in keys:
            child = None if node is None else node.find(key)
            if node is None or child is None:
                raise HostFileError(f"{'.'.join(map(str, keys))} is not there")
            path.append((node, child))
            node = child.node
        return path

    def _root(self, text: str) -> JsonNode | None:
        root = scan(text, lenient=self._lenient)
        if root is not None:
            _must_be_object(text, root, ())
        return root


def _follow(text: str, node: JsonNode, keys: Sequence[str]) -> tuple[JsonNode, int]:
    """As far down as the keys lead, and how many of them that were."""
    for known, key in enumerate(keys):
        same = [child for child in node.children or () if child.key == key]
        if len(same) > 1:
            raise HostFileError(
                f"the key {key!r} is there twice; keep one of them", line=_line(text, same[1].start)
            )
        if not same:
            return node, known
        node = same[0].node
        if known < len(keys) - 1:
            _must_be_object(text, node, keys[: known + 1])
    return node, len(keys)


def _must_be_object(text: str, node: JsonNode, keys: Sequence[str]) -> None:
    if not node.is_object:
        name = ".".join(keys) or "the document"
        raise HostFileError(f"{name} should be an object in braces", line=_line(text, node.start))


def _first(text: str, value: Any) -> str:
    """The document of a text that has none: nothing, or comments."""
    newline = newline_of(text)
    begun = text if text.strip() else ""
    return (
        begun
        + (newline if begun and not begun.endswith("\n") else "")
        + _to_json(value, "  ", newline, "")
        + newline
    )


def _to_json(value: Any, step: str, newline: str, margin: str) -> str:
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", newline + margin)


def _tight(text: str, value: Any) -> str:
    """On one line, and without spaces in a text that has none."""
    separators = (", ", ": ") if '": ' in text or '":' not in text else (",", ":")
    return json.dumps(value, ensure_ascii=False, separators=separators)


def _replaced(text: str, root: JsonNode, node: JsonNode, value: Any) -> TextPatch:
    if _on_one_line(text, root, node):
        return TextPatch(node.start, node.end, _tight(text, value))
    margin = margin_at(text, node.start)
    return TextPatch(node.start, node.end, _to_json(value, step_of(text), newline_of(text), margin))


def _added(text: str, root: JsonNode, node: JsonNode, key: str | None, value: Any) -> list[TextPatch]:
    """After the last child and the comment beside it, in the manner of the children that are there."""
    one_line = _on_one_line(text, root, node)
    newline, step, outer = newline_of(text), step_of(text), margin_at(text, node.start)
    last = node.children[-1] if node.children else None
    margin = margin_at(text, last.start) if last and begins_line(text, last.start) else outer + step
    label = "" if key is None else _tight(text, {key: 0})[1:-2]
    child = label + (_tight(text, value) if one_line else _to_json(value, step, newline, margin))
    if last is None:
        return [
            _only(
                text, node, child, "" if one_line else newline + margin, "" if one_line else newline + outer
            )
        ]
    end = last.node.end if last.comma is None else last.comma + 1
    at = comments_end(text, end, node.end - 1)
    gap = (" " if ", " in text or ": " in text else "") if one_line else newline + margin
    if last.comma is not None:  # the person likes a comma after the last one, too
        return [TextPatch(at, at, f"{gap}{child},")]
    return [TextPatch(end, end, ","), TextPatch(at, at, gap + child)]


def _only(text: str, node: JsonNode, child: str, before: str, after: str) -> TextPatch:
    start, end = node.start + 1, node.end - 1
    inner = text[start:end]
    if not inner.strip():
        return TextPatch(start, end, before + child + after)
    at = start + len(inner.rstrip())  # after the comments in it
    if not before:
        return TextPatch(at, at, child)
    return TextPatch(at, at, before + child + ("" if "\n" in text[at:end] else after))


def _removed(text: str, node: JsonNode, child: Child) -> list[TextPatch]:
    children = node.children or ()
    index = children.index(child)
    end = child.node.end if child.comma is None else child.comma + 1
    if len(children) == 1 and not (text[node.start + 1 : child.start] + text[end : node.end - 1]).strip():
        return [TextPatch(node.start + 1, node.end - 1, "")]
    patches = []
    if index and child.comma is None:
        before = children[index - 1]
        patches = [TextPatch(before.comma, before.comma + 1, "")] if before.comma is not None else []
    start = child.start
    if begins_line(text, start) and (index or len(children) == 1):
        start = max(line_break(text, start), node.start + 1)
    elif begins_line(text, start):
        start = line_start(text, start)
        rest = text[end : children[1].start]
        end += (rest.find("\n") + 1) if "\n" in rest and not rest[: rest.find("\n")].strip() else 0
    elif index:
        start -= len(text[:start]) - len(text[:start].rstrip(" \t"))
    elif len(children) > 1:
        rest = text[end : children[1].start]
        end += 0 if rest.strip() else len(rest)
    return [*patches, TextPatch(start, end, "")]


def _on_one_line(text: str, root: JsonNode, node: JsonNode) -> bool:
    """Whether what is added belongs on the line of the others."""
    about = node if node.children else root
    return bool(about.children) and "\n" not in text[about.start : about.end]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
