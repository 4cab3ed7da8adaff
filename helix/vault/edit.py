"""Changing keys of a frontmatter without touching anything else.

Only the text of the changed values changes. Comments, quotes, order, indentation, line ends, blank lines
and unknown keys stay as the person left them, and nothing is returned that has not been read back and
compared with the intent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Final, Literal, TypeAlias

from helix.errors import EditRefused
from helix.vault.frontmatter import Document, prove, same
from helix.vault.key_positions import KeyEntry, YamlRoot, block_header, line_end, line_start, locate
from helix.vault.lists import Patch, change_block_list, change_inline_list, rewrite_inline
from helix.vault.yaml_load import Value
from helix.vault.yaml_text import requote, spell, spell_block, spell_key


class _Sentinel(Enum):
    REMOVE = "remove"


Remove: TypeAlias = Literal[_Sentinel.REMOVE]
REMOVE: Final = _Sentinel.REMOVE
"""The change that takes a key away."""

Changes: TypeAlias = Mapping[str, Value | Remove]


def edit(doc: Document, changes: Changes, body: str | None = None) -> Document:
    """`doc` with `changes` made to its frontmatter, and with a new body when one is given."""
    changes = _effective(doc.meta, changes)
    if not changes:
        return _prove(doc, doc.yaml, doc.meta, body)
    meta = _meta_after(doc.meta, changes)
    if not doc.has_frontmatter:
        fence = f"---{doc.newline}"
        fenced = replace(doc, opening=fence, closing=fence)
        return _prove(fenced, spell_block(meta, doc.newline), meta, body)
    root = locate(doc.yaml, doc.meta)
    try:
        return _prove(doc, _rewritten(doc, root, changes, keep_items=True), meta, body)
    except EditRefused:
        # An unusual list; it may still be replaced as a whole.
        return _prove(doc, _rewritten(doc, root, changes, keep_items=False), meta, body)


def _effective(meta: Mapping[str, Value], changes: Changes) -> dict[str, Value | Remove]:
    def matters(key: str, value: Value | Remove) -> bool:
        if value is REMOVE or key not in meta:
            return (value is REMOVE) == (key in meta)
        return not same(meta[key], value)

    return {key: value for key, value in changes.items() if matters(key, value)}


def _meta_after(meta: Mapping[str, Value], changes: Changes) -> dict[str, Value]:
    after = {**meta, **changes}
    return {key: value for key, value in after.items() if value is not REMOVE}


def _prove(doc: Document, yaml: str, meta: dict[str, Value], body: str | None) -> Document:
    closing = doc.closing
    if body and closing and not closing.endswith("\n"):
        closing += doc.newline  # the fence was the last line and had no line end
    return prove(replace(doc, yaml=yaml, closing=closing, body=doc.body if body is None else body, meta=meta))


def _rewritten(doc: Document, root: YamlRoot, changes: Changes, *, keep_items: bool) -> str:
    if root.in_brackets:
        return _apply(doc.yaml, [_rewrite_braces(doc.yaml, root, changes)])
    patches: list[Patch] = []
    new: dict[str, Value] = {}
    for key, value in changes.items():
        entry = root.entries.get(key)
        if entry is None:
            if value is not REMOVE:
                new[key] = value
        elif entry.colon is None or doc.yaml[line_start(doc.yaml, entry.key[0]) : entry.key[0]].strip():
            raise EditRefused(f"the key {key!r} is not written as `key: value`; write it so and try again")
        elif value is REMOVE:
            start = line_start(doc.yaml, entry.key[0])
            patches.append(Patch(start, line_end(doc.yaml, entry.end), ""))
        else:
            patches += _change(doc, entry, doc.meta[key], value, entry.colon, keep_items)
    return _apply(doc.yaml, patches) + spell_block(new, doc.newline, root.column)


def _change(
    doc: Document, entry: KeyEntry, old: Value, new: Value, colon: int, keep_items: bool
) -> list[Patch]:
    text, place = doc.yaml, entry.value
    start, end = place.span
    if keep_items and place.items and isinstance(old, list) and isinstance(new, list) and new:
        if place.in_brackets:
            return change_inline_list(text, place, old, new)
        return change_block_list(text, place, old, new, doc.newline)
    spelled = requote(new, place.quotes) if isinstance(new, str) and place.quotes else spell(new)
    if place.shape == "empty":
        return [Patch(colon, colon, f" {spelled}")]
    if place.shape == "inline":
        return [Patch(start, end, spelled)]
    if place.shape == "block-text":
        # The rest of the header's line may be a comment, which stays.
        return [
            Patch(*block_header(text, place), spelled),
            Patch(line_end(text, start), line_end(text, end), ""),
        ]
    if line_start(text, start) == line_start(text, colon):  # a tag before a block stands on the key's line
        return [Patch(start, end, spelled)]
    return [
        Patch(colon, colon, f" {spelled}"),
        Patch(line_start(text, start), line_end(text, end), ""),
    ]


def _rewrite_braces(text: str, root: YamlRoot, changes: Changes) -> Patch:
    """The root mapping as `{a: 1, b: 2}`."""
    news: list[int | str] = []
    for position, (key, entry) in enumerate(root.entries.items()):
        value = changes.get(key, REMOVE)
        if key not in changes:
            news.append(position)
        elif value is not REMOVE:
            news.append(f"{text[slice(*entry.key)]}: {spell(value, flow=True)}")
    for key, value in changes.items():
        if key not in root.entries and value is not REMOVE:
            news.append(f"{spell_key(key, flow=True)}: {spell(value, flow=True)}")
    olds = [(entry.key[0], entry.end) for entry in root.entries.values()]
    return rewrite_inline(text, root.span, olds, news)


def _apply(text: str, patches: list[Patch]) -> str:
    out, done = [], 0
    for patch in sorted(patches, key=lambda patch: (patch.start, patch.end)):
        if patch.start < done:
            raise EditRefused("the values overlap in an unexpected way; write each key on lines of its own")
        out += [text[done : patch.start], patch.text]
        done = patch.end
    return "".join([*out, text[done:]])
