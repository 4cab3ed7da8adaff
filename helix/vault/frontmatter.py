"""A note's bytes, taken apart without losing one of them.

`parse` and `emit` are inverse: `emit(parse(x)) == x` for every x that `parse` accepts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from helix.errors import BadFrontmatter, EditRefused, NoteError, NotText
from helix.vault.git_conflict_markers import find_conflict
from helix.vault.hashes import content_hash, state_hash
from helix.vault.yaml_load import Value, conflict_markers, load
from helix.vault.yaml_text import spell_block

_OPENING = re.compile(r"---[ \t]*\r?\n")
_CLOSING = re.compile(r"\n(---[ \t]*(?:\r?\n|\Z))")
# What the first line under an opening fence looks like when the fence was meant as one and not as a rule.
_KEY = re.compile(r"""\s*(?:\w[\w.-]*(?:[ ]\w[\w.-]*){0,2}|"[^"\n]*"|'[^'\n]*')[ \t]*:(?:\s|\Z)""")


@dataclass(frozen=True)
class Document:
    """The five pieces of a file, which join to exactly its text, and what its frontmatter says."""

    bom: str
    opening: str
    yaml: str
    closing: str
    body: str
    meta: dict[str, Value]

    @property
    def has_frontmatter(self) -> bool:
        return bool(self.opening)

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file, put together from its pieces: `parse` loses none."""
        return (self.bom + self.opening + self.yaml + self.closing + self.body).encode()

    @cached_property
    def hash(self) -> str:
        """Names these bytes."""
        return content_hash(self.data)

    @cached_property
    def state(self) -> str:
        """Names what they say."""
        return state_hash(self.meta, self.body)

    @cached_property
    def newline(self) -> str:
        r"""The line end that the frontmatter, or else the body, mostly uses: "\n" or "\r\n"."""
        for text in (self.opening + self.yaml + self.closing, self.body):
            if lines := text.count("\n"):
                return "\r\n" if 2 * text.count("\r\n") > lines else "\n"
        return "\n"


def parse(data: bytes) -> Document:
    whole = split(data)
    meta = load(whole.yaml, first_line=2) if whole.has_frontmatter else {}
    return replace(whole, meta=meta)


def split(data: bytes) -> Document:
    """The five pieces, with nothing said of what the frontmatter means."""
    text = _decode(data)
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    opening = _OPENING.match(text, len(bom))
    closing = _CLOSING.search(text, opening.end() - 1) if opening else None
    if opening is None or closing is None:
        if opening is not None:
            _refuse_unclosed(text, opening.end())
        _refuse_conflict(text)
        return Document(bom, "", "", "", text[len(bom) :], {})
    source = text[opening.end() : closing.start(1)]
    return Document(bom, opening[0], source, closing[1], text[closing.end() :], {})


def emit(doc: Document) -> bytes:
    return doc.data


def new_document(meta: Mapping[str, Value], body: str) -> Document:
    """A new note, proved by reading its bytes back."""
    return prove(Document("", "---\n", spell_block(meta, "\n"), "---\n", body, dict(meta)))


def create(meta: Mapping[str, Value], body: str) -> bytes:
    return new_document(meta, body).data


def prove(intended: Document) -> Document:
    """`intended` as it reads back from its own bytes; refused unless that is the same, piece by piece."""
    try:
        read = parse(intended.data)
    except NoteError as error:
        raise EditRefused(
            f"the note would not be readable afterwards ({error.message}); {error.remedy}"
        ) from error
    except UnicodeEncodeError as error:
        raise EditRefused(
            "the text has half of a surrogate pair, which no file can hold; remove the broken character"
        ) from error
    if _pieces(read) != _pieces(intended) or not same(read.meta, intended.meta):
        raise EditRefused(
            "the change could not be written without changing something else; "
            "edit the file by hand, or simplify its frontmatter and try again"
        )
    return read


def same(value: Value, other: Value) -> bool:
    """Equal in value, type and order of keys: to YAML, 1, 1.0 and true are three things."""
    if type(value) is not type(other):
        return False
    if isinstance(value, dict) and isinstance(other, dict):
        return list(value) == list(other) and all(same(value[key], other[key]) for key in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(same, value, other))
    return value == other


def _decode(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise NotText(
            f"the byte 0x{data[error.start]:02x} is not UTF-8 text",
            code="not-utf8",
            line=1 + data.count(b"\n", 0, error.start),
            remedy="Save the file with the encoding UTF-8.",
        ) from None
    if (at := text.find("\0")) >= 0:
        raise NotText(
            "the file has NUL bytes, so it is not text or was cut off by a crash",
            code="nul-bytes",
            line=1 + text.count("\n", 0, at),
            remedy="Restore the file from a backup, or save it with the encoding UTF-8.",
        )
    return text


def _refuse_unclosed(text: str, start: int) -> None:
    if _KEY.match(text, start):
        raise BadFrontmatter(
            "the frontmatter is opened with --- and never closed",
            code="unclosed-frontmatter",
            line=1,
            remedy="Add a line with only --- after the last `key: value` line.",
        )


def _refuse_conflict(text: str) -> None:
    """A conflict that begins above the frontmatter has taken it in: git found no line alike, as with other line ends.

    Read as a text without frontmatter it would be a memory of its own, with all that either side says.
    """
    if not text.startswith("<<<<<<<") or "---" not in text:
        return
    conflict = find_conflict(text)
    if conflict is None or conflict.line != 1:
        return
    for side in (conflict.ours, conflict.theirs):
        opening = _OPENING.match(side, int(side.startswith("\ufeff")))
        if opening is not None and _KEY.match(side, opening.end()):
            raise conflict_markers(1)


def _pieces(doc: Document) -> tuple[str, str, str, str, str]:
    return doc.bom, doc.opening, doc.yaml, doc.closing, doc.body
