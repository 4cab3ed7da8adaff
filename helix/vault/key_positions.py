"""Where the keys and values of a frontmatter stand in its text.

ruamel.yaml composes the nodes; only their marks are used. It is slow and reads a little differently from
libyaml, so it serves edits alone, and every edit is proved afterwards by reading the result back.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from helix.errors import EditRefused

Span: TypeAlias = tuple[int, int]

_LINE_ENDS = "\n\r\x85\u2028\u2029"  # as libyaml sees them: an old Mac's, and Unicode's
_LINE = re.compile(f"([^{_LINE_ENDS}]*)(?:\r\n|[{_LINE_ENDS}]|\\Z)")
_COLON = re.compile(r"[ \t]*:")
_BLOCK_HEADER = re.compile(r"(?:[!&]\S*[ \t]+)*[|>][-+0-9]*")


@dataclass(frozen=True)
class ValuePosition:
    """A value: `span` is its own text, without the comment and the blank lines that follow it."""

    span: Span
    shape: str  # "empty", "inline" (a scalar or a collection in brackets), "block-text" or "block"
    quotes: str  # the quotation mark of a quoted scalar
    column: int
    items: tuple[ValuePosition, ...] | None  # of a list
    in_brackets: bool


@dataclass(frozen=True)
class KeyEntry:
    """A key of the root mapping with its value; `colon` is the index after the colon, if there is one."""

    key: Span
    colon: int | None
    value: ValuePosition

    @property
    def end(self) -> int:
        return max(self.value.span[1], self.colon or self.key[1])


@dataclass(frozen=True)
class YamlRoot:
    span: Span
    in_brackets: bool
    column: int
    entries: dict[str, KeyEntry]


def locate(text: str, keys: Collection[str]) -> YamlRoot:
    """Where everything stands in `text`, whose root mapping has `keys`, in this order."""
    # Not the round-trip scanner: it also moves comments about, and gives up on some of them.
    reader = YAML(typ="safe", pure=True)
    reader.composer.warn_double_anchors = False  # without aliases, a repeated anchor harms nobody
    try:
        # ruamel refuses tabs inside plain text that libyaml and Obsidian read. A space has the same width.
        root = reader.compose(text.replace("\t", " "))
    except YAMLError as error:
        raise EditRefused(
            "the frontmatter is spelled in a way that cannot be edited safely; "
            "put the values with special characters in quotes and try again"
        ) from error
    if root is None and not keys:
        return YamlRoot((len(text), len(text)), False, 0, {})
    if not isinstance(root, MappingNode) or len(root.value) != len(keys):
        raise EditRefused("the keys cannot be told apart safely; write each as `key: value` and try again")
    # By position: the two readers may spell a key differently, with a tab in it for one.
    entries = {name: _entry(text, *pair) for name, pair in zip(keys, root.value, strict=True)}
    return YamlRoot(_span(root), _is_flow(root), root.start_mark.column, entries)


def line_start(text: str, index: int) -> int:
    return 1 + max(text.rfind(sign, 0, index) for sign in _LINE_ENDS)


def line_end(text: str, index: int) -> int:
    """The index after the line break of the line in which `index` stands."""
    found = _LINE.match(text, index)
    return found.end() if found else len(text)


def block_header(text: str, place: ValuePosition) -> Span:
    """The `|` or `>` in front of block text, with its tag and its indicators."""
    found = _BLOCK_HEADER.match(text, place.span[0])
    return found.span() if found else place.span


def _entry(text: str, key: Node, value: Node) -> KeyEntry:
    colon = _COLON.match(text, key.end_mark.index)
    return KeyEntry(_span(key), colon.end() if colon else None, _place(text, value, key))


def _place(text: str, node: Node, key: Node | None = None) -> ValuePosition:
    start, end = _span(node)
    items = None
    if isinstance(node, ScalarNode):
        if start == end:
            shape = "empty"
            start = end = _after_key(text, key) if key else end  # ruamel marks the next token instead
        elif node.style in ("|", ">"):
            shape, end = "block-text", _last_text(text, start, end)
        else:
            shape = "inline"
    elif _is_flow(node):
        shape = "inline"
    else:
        shape, end = "block", _block_end(text, node)
    if isinstance(node, SequenceNode):
        items = tuple(_place(text, item) for item in node.value)
    return ValuePosition(
        span=(start, end),
        shape=shape,
        quotes=node.style if isinstance(node, ScalarNode) and node.style in ("'", '"') else "",
        column=node.start_mark.column,
        items=items,
        in_brackets=items is not None and _is_flow(node),
    )


def _block_end(text: str, node: Node) -> int:
    """The end of the last thing in a block collection; ruamel's own mark lies beyond the comments."""
    key = None
    while not isinstance(node, ScalarNode) and not _is_flow(node):
        if isinstance(node, SequenceNode):
            key, node = None, node.value[-1]
        else:
            key, node = node.value[-1]
    return _place(text, node, key).span[1]


def _after_key(text: str, key: Node) -> int:
    colon = _COLON.match(text, key.end_mark.index)
    return colon.end() if colon else key.end_mark.index


def _last_text(text: str, start: int, end: int) -> int:
    """The end of the last line between `start` and `end` that is not blank."""
    found = _LINE.match(text, start + len(text[start:end].rstrip(" \t\r\n")))
    return found.end(1) if found else end


def _is_flow(node: Node) -> bool:
    return isinstance(node, CollectionNode) and bool(node.flow_style)


def _span(node: Node) -> Span:
    return node.start_mark.index, node.end_mark.index
