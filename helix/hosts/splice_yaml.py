"""Changing a YAML text in one place and leaving every other byte as it is.

PyYAML composes the nodes; only their marks are used, and every change is proved by reading the result back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from helix.errors import HostFileError
from helix.hosts.entry_text import nested, spell_yaml, spell_yaml_inline
from helix.hosts.patch import TextPatch, apply, begins_line, line_end, line_start, newline_of, step_of


class YamlText:
    def parse(self, text: str) -> dict[str, Any]:
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise _explained(error) from error
        except (ValueError, RecursionError) as error:  # a date that there is not, nesting without end
            raise HostFileError(f"it cannot be read: {error}") from error
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise HostFileError("the document should be `key: value` lines", line=1)
        return value

    def put(self, text: str, keys: Sequence[str], value: Any) -> str:
        root = _compose(text)
        if root is None:
            return _ended(text) + spell_yaml(nested(keys, value), newline_of(text))
        node: Node = root
        for known, key in enumerate(keys):
            pair = _find(text, node, key)
            if pair is None:
                return _added(text, node, keys[known:], value)
            if known == len(keys) - 1:
                return _replaced(text, node, pair, value)
            if _is_null(pair[1]):
                return _filled(text, pair, keys[known + 1 :], value)
            node = pair[1]
        raise AssertionError("keys lead somewhere")

    def take(self, text: str, keys: Sequence[str], made: Sequence[list[str]]) -> str:
        path: list[tuple[MappingNode, tuple[Node, Node]]] = []
        node: Node | None = _compose(text)
        for key in keys:
            pair = None if node is None else _find(text, node, key)
            if pair is None or not isinstance(node, MappingNode):
                raise HostFileError(f"{'.'.join(keys)} is not there")
            path.append((node, pair))
            node = pair[1]
        while len(path) > 1 and len(path[-1][0].value) == 1 and list(keys[: len(path) - 1]) in made:
            path = path[:-1]
        holder, pair = path[-1]
        if holder.flow_style:
            return apply(text, _out_of_braces(text, holder, pair))
        lines = TextPatch(line_start(text, pair[0].start_mark.index), line_end(text, _end(text, *pair)), "")
        if len(holder.value) == 1 and len(path) > 1:  # a key without a value would be null
            after = _after_colon(text, path[-2][1][0])
            return apply(text, [TextPatch(after, after, " {}"), lines])
        return apply(text, [lines])


def _compose(text: str) -> MappingNode | None:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise _explained(error) from error
    if root is None or _is_null(root):
        return None
    if isinstance(root, MappingNode):
        return root
    raise HostFileError("the document should be `key: value` lines", line=1)


def _explained(error: yaml.YAMLError) -> HostFileError:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
    return HostFileError(f"it is not YAML: {reason}", line=None if mark is None else mark.line + 1)


def _find(text: str, node: Node, key: str) -> tuple[Node, Node] | None:
    if not isinstance(node, MappingNode):
        raise HostFileError("the servers should be `name: …` lines", line=node.start_mark.line + 1)
    pairs = [pair for pair in node.value if isinstance(pair[0], ScalarNode) and pair[0].value == key]
    if len(pairs) > 1:
        raise HostFileError(f"the key {key!r} is there twice", line=pairs[1][0].start_mark.line + 1)
    if pairs and pairs[0][1].start_mark.index < pairs[0][0].end_mark.index:
        raise HostFileError(f"{key!r} refers to a value elsewhere", line=pairs[0][0].start_mark.line + 1)
    return pairs[0] if pairs else None


def _added(text: str, node: Node, keys: Sequence[str], value: Any) -> str:
    assert isinstance(node, MappingNode)  # noqa: S101 (_find has looked)
    if node.flow_style:
        return apply(text, [_into_braces(text, node, keys, value)])
    margin = " " * (node.value[0][0].start_mark.column if node.value else 0)
    at = len(text) if node.start_mark.column == 0 else line_end(text, _end(text, *node.value[-1]))
    begun = _ended(text[:at])
    lines = spell_yaml(nested(keys, value), newline_of(text), margin, margin or _step(text))
    return begun + lines + text[at:]


def _filled(text: str, pair: tuple[Node, Node], keys: Sequence[str], value: Any) -> str:
    """Under a key that has no value, or null."""
    key, null = pair
    at = line_end(text, key.end_mark.index)
    margin = " " * key.start_mark.column + _step(text)
    lines = spell_yaml(nested(keys, value), newline_of(text), margin, _step(text))
    gap = "" if text[:at].endswith("\n") else newline_of(text)
    return apply(
        text, [TextPatch(null.start_mark.index, null.end_mark.index, ""), TextPatch(at, at, gap + lines)]
    )


def _replaced(text: str, holder: Node, pair: tuple[Node, Node], value: Any) -> str:
    key, old = pair
    if bool(getattr(holder, "flow_style", False)) or not begins_line(text, key.start_mark.index):
        return apply(text, [TextPatch(old.start_mark.index, _end(text, key, old), spell_yaml_inline(value))])
    margin = " " * key.start_mark.column
    lines = spell_yaml({key.value: value}, newline_of(text), margin, _step(text))
    return apply(
        text, [TextPatch(line_start(text, key.start_mark.index), line_end(text, _end(text, key, old)), lines)]
    )


def _into_braces(text: str, node: MappingNode, keys: Sequence[str], value: Any) -> TextPatch:
    inner = spell_yaml_inline(nested(keys, value))[1:-1]
    start, end = node.start_mark.index + 1, node.end_mark.index - 1
    if node.value:
        at = _end(text, *node.value[-1])
        return TextPatch(at, at, f", {inner}")
    if text[start:end].strip():
        raise HostFileError("braces with a comment in them", line=node.start_mark.line + 1)
    return TextPatch(start, end, inner)


def _out_of_braces(text: str, holder: MappingNode, pair: tuple[Node, Node]) -> list[TextPatch]:
    index = holder.value.index(pair)
    start, end = pair[0].start_mark.index, _end(text, *pair)
    if index:
        start = _end(text, *holder.value[index - 1])
    elif len(holder.value) > 1:
        end = holder.value[1][0].start_mark.index
    return [TextPatch(start, end, "")]


def _end(text: str, key: Node | None, node: Node) -> int:
    """The end of a value's own text; PyYAML's mark of a block lies beyond the comments after it."""
    start, end = node.start_mark.index, node.end_mark.index
    if key is not None and (start < key.end_mark.index or start == end):  # an alias, or nothing
        return _after_colon(text, key)
    if isinstance(node, CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return _end(text, *last) if isinstance(last, tuple) else _end(text, None, last)
    return start + len(text[start:end].rstrip())


def _after_colon(text: str, key: Node) -> int:
    return text.index(":", key.end_mark.index) + 1


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + newline_of(text)


def _step(text: str) -> str:
    """Tabs cannot indent YAML, and a list's dash may stand at the margin."""
    return step_of(text) if step_of(text).strip(" ") == "" and len(step_of(text)) <= 8 else "  "
