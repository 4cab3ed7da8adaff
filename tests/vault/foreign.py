"""A second opinion on what an edit may touch, from PyYAML's marks and none of the code under test."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import yaml

from helix.vault.frontmatter import Document, parse

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.md"))


def foreign_bytes(before: bytes, after: bytes, key: str) -> int:
    """How many bytes of `before` that do not belong to `key` are missing or changed in `after`."""
    old = parse(before)
    head, tail = _around(old, key)
    return _missing_at_start(head.encode(), after) + _missing_at_start(tail.encode()[::-1], after[::-1])


def _around(doc: Document, key: str) -> tuple[str, str]:
    """The text before and after the lines of `key`; comments and blank lines below them are not its own."""
    head, source, tail = doc.bom + doc.opening, doc.yaml, doc.closing + doc.body
    # PyYAML composes no anchor twice; blanks of the same length leave every mark where it was.
    unanchored = re.sub(r"(?<=[:-] )&\w+", lambda anchor: " " * len(anchor[0]), source)
    root = yaml.compose(unanchored, Loader=yaml.CBaseLoader)
    if isinstance(root, yaml.MappingNode) and root.flow_style:
        return head, tail  # what belongs to a key in braces is told by the values alone
    if not isinstance(root, yaml.MappingNode) or key not in doc.meta:
        return head + source, tail
    starts = [name.start_mark.index for name, _ in root.value] + [len(source)]
    at = next(i for i, (name, _) in enumerate(root.value) if name.value == key)
    start, end = (_line_start(source, index) for index in starts[at : at + 2])
    value = root.value[at][1]
    end -= _length_of_gap(source[start:end], comments=not _ends_in_block_text(value))
    return head + source[:start], source[end:] + tail


def _line_start(text: str, index: int) -> int:
    # A frontmatter may hold line ends of old Macs and of Unicode, which YAML honours.
    return 1 + max(text.rfind(sign, 0, index) for sign in "\n\r\x85\u2028\u2029")


def _ends_in_block_text(node: yaml.Node) -> bool:
    while isinstance(node, yaml.CollectionNode) and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")


def _length_of_gap(lines: str, comments: bool) -> int:
    def is_gap(line: str) -> bool:
        return not line.strip() or (comments and line.lstrip().startswith("#"))

    # The first line is the key's own, whatever it looks like.
    return sum(map(len, takewhile(is_gap, reversed(lines.splitlines(keepends=True)[1:]))))


def _missing_at_start(kept: bytes, whole: bytes) -> int:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(kept, whole, strict=False))
    return len(kept) - sum(1 for _ in same)
