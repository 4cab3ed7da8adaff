"""Reading the YAML of a frontmatter, hardened.

Values are built straight from the event stream of libyaml, with a stack of our own: no depth of nesting can
overflow anything, no tag can construct anything, and the caps hold while reading, not afterwards.

Scalars follow the YAML 1.2 core schema, as Obsidian does, in its decimal forms only. Whatever is not
plainly a number, a boolean or null is the text as the person wrote it: `NO`, `017`, `12:30:45`, a date.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias, Union

import yaml
from yaml import CBaseLoader
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from helix.errors import BadFrontmatter, TooLarge
from helix.vault.git_conflict_markers import find_marker_line
from helix.vault.yaml_errors import explain

Value: TypeAlias = Union[bool, int, float, str, "list[Value]", "dict[str, Value]", None]

_Collection: TypeAlias = "list[Value] | dict[str, Value]"

MAX_BYTES = 64 * 1024
MAX_DEPTH = 32
MAX_NODES = 5_000

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# 18 digits fit every reader's 64-bit integers; a longer number is an account number or an id, and is text.
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_NUMBER_START = frozenset("+-.0123456789")

_TAG = "tag:yaml.org,2002:"
_COLLECTION_TAGS = {f"{_TAG}map": MappingStartEvent, f"{_TAG}seq": SequenceStartEvent}
_SCALAR_TAGS: dict[str, type] = {
    f"{_TAG}str": str,
    f"{_TAG}int": int,
    f"{_TAG}float": float,
    f"{_TAG}bool": bool,
    f"{_TAG}null": type(None),
}


def load(text: str, first_line: int = 1) -> dict[str, Value]:
    """The mapping that `text` spells; `first_line` is the line of the file on which `text` begins."""
    _check_text(text, first_line)
    builder = _Builder(text, first_line)
    try:
        events = CBaseLoader(text)  # used for libyaml's events alone; it never constructs anything
        while (event := events.get_event()) is not None:
            builder.take(event)
    except yaml.YAMLError as error:
        raise explain(error, text, first_line) from None
    return builder.root


def resolve(text: str) -> Value:
    """The value of an untagged plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_START:
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            return number if math.isfinite(number) else text
    return text


def _check_text(text: str, first_line: int) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise BadFrontmatter(
            "half of a surrogate pair is not a character",
            line=first_line + text.count("\n", 0, error.start),
            remedy="Remove the broken character.",
        ) from None
    if size > MAX_BYTES:
        raise TooLarge(
            f"the frontmatter has {size:,} bytes, more than the {MAX_BYTES:,} that are read",
            code="frontmatter-too-large",
            line=first_line,
            remedy="Move long text from the frontmatter into the body of the note.",
        )
    if (at := text.find("\ufeff")) >= 0:
        raise BadFrontmatter(
            "an invisible byte order mark (U+FEFF) is inside the frontmatter",
            code="bom-inside",
            line=first_line + text.count("\n", 0, at),
            remedy="Delete the invisible character, or retype the line.",
        )
    if (marker := find_marker_line(text)) is not None:
        raise conflict_markers(first_line + marker - 1)


def conflict_markers(line: int) -> BadFrontmatter:
    return BadFrontmatter(
        "git left conflict markers in the frontmatter",
        code="conflict-markers",
        line=line,
        remedy="Keep one side of the conflict and delete the lines with <<<<<<<, ======= and >>>>>>>.",
    )


class _Builder:
    """Takes the events one by one and grows the value."""

    def __init__(self, text: str, first_line: int) -> None:
        self.root: dict[str, Value] = {}
        self._text = text
        self._first_line = first_line
        self._documents = 0
        self._nodes = 0
        self._open: list[_Collection] = []
        self._keys: list[str | None] = []  # per open collection: the key that waits for its value
        self._seen: list[dict[str, int]] = []  # per open collection: where each key stands

    def take(self, event: Event) -> None:
        if isinstance(event, ScalarEvent):
            self._count(event)
            self._take_scalar(event)
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._count(event)
            self._begin(event, {} if isinstance(event, MappingStartEvent) else [])
        elif isinstance(event, AliasEvent):
            raise self._refusal(
                event,
                f"*{event.anchor} refers to a value elsewhere in the file, which is not supported",
                "alias",
                "Write the value out, or put the text in quotes if the * belongs to it.",
            )
        elif isinstance(event, DocumentStartEvent):
            self._begin_document(event)
        elif isinstance(event, DocumentEndEvent):
            if event.explicit:
                raise self._second_document(event)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._open.pop()
            self._keys.pop()
            self._seen.pop()

    def _count(self, event: Event) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._refusal(
                event,
                f"the frontmatter has more than {MAX_NODES:,} keys and values",
                "too-many-nodes",
                "Move the data into the body of the note.",
            )

    def _begin_document(self, event: DocumentStartEvent) -> None:
        self._documents += 1
        # libyaml counts an empty document before a `---` too; either way the fence is in the wrong place.
        if self._documents > 1 or event.explicit:
            raise self._second_document(event)

    def _take_scalar(self, event: ScalarEvent) -> None:
        if not self._open:
            raise self._not_a_mapping(event)
        parent = self._open[-1]
        if isinstance(parent, list):
            parent.append(self._scalar(event))
        elif (key := self._keys[-1]) is None:
            self._take_key(event)
        else:
            parent[key] = self._scalar(event)
            self._keys[-1] = None

    def _take_key(self, event: ScalarEvent) -> None:
        if event.tag is not None and event.tag not in _SCALAR_TAGS:
            raise self._unsupported_tag(event, event.tag)
        key = event.value
        seen = self._seen[-1]
        if key in seen:
            first, again = self._line(seen[key]), self._line(_index(event))
            raise BadFrontmatter(
                f"the key {_shown(key)} stands twice, in lines {first} and {again}",
                code="duplicate-key",
                line=again,
                remedy="Keep one of the two lines and delete the other.",
            )
        seen[key] = _index(event)
        self._keys[-1] = key

    def _begin(self, event: MappingStartEvent | SequenceStartEvent, new: _Collection) -> None:
        if event.tag is not None and not isinstance(event, _COLLECTION_TAGS.get(event.tag, ScalarEvent)):
            raise self._unsupported_tag(event, event.tag)
        if self._open:
            parent = self._open[-1]
            if isinstance(parent, list):
                parent.append(new)
            elif (key := self._keys[-1]) is None:
                raise self._refusal(
                    event,
                    "a list or a mapping stands where a key is expected",
                    "bad-key",
                    "Put the text in quotes if the brackets or braces belong to it.",
                )
            else:
                parent[key] = new
                self._keys[-1] = None
        elif isinstance(new, dict):
            self.root = new
        else:
            raise self._not_a_mapping(event)
        self._open.append(new)
        self._keys.append(None)
        self._seen.append({})
        if len(self._open) > MAX_DEPTH:
            raise self._refusal(
                event,
                f"the values are nested more than {MAX_DEPTH} deep",
                "too-deep",
                "Flatten the value, or move it into the body of the note.",
            )

    def _scalar(self, event: ScalarEvent) -> Value:
        text: str = event.value
        if event.tag is None:
            # implicit[0] is libyaml's way to say "plain": quoted and block text is never anything but text
            return resolve(text) if event.implicit[0] else text
        kind = _SCALAR_TAGS.get(event.tag)
        if kind is None:
            raise self._unsupported_tag(event, event.tag)
        value = text if kind is str else resolve(text)
        if kind is float and type(value) is int:
            return float(value)
        if type(value) is kind:
            return value
        tag = event.tag.replace(_TAG, "!!")
        raise self._refusal(
            event,
            f"{_shown(text)} is tagged {tag} but is not one",
            "yaml-syntax",
            f"Correct the value, or remove the {tag} in front of it.",
        )

    def _line(self, index: int) -> int:
        return self._first_line + self._text.count("\n", 0, index)

    def _refusal(self, event: Event, reason: str, code: str, remedy: str) -> BadFrontmatter:
        return BadFrontmatter(reason, code=code, line=self._line(_index(event)), remedy=remedy)

    def _not_a_mapping(self, event: Event) -> BadFrontmatter:
        return self._refusal(
            event,
            "the frontmatter is not a list of `key: value` lines",
            "not-a-mapping",
            "Write it as `key: value` lines, or add a blank line on top if --- was meant as a rule.",
        )

    def _second_document(self, event: Event) -> BadFrontmatter:
        return self._refusal(
            event,
            "a second YAML document begins inside the frontmatter",
            "yaml-syntax",
            "Remove the line that begins with --- or ... between the two fences.",
        )

    def _unsupported_tag(self, event: Event, tag: str) -> BadFrontmatter:
        return self._refusal(
            event,
            f"the tag {_shown(tag.replace(_TAG, '!!'))} is not supported",
            "unsupported-tag",
            "Remove the tag, or put the text in quotes if the ! belongs to it.",
        )


def _index(event: Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _shown(text: str) -> str:
    """Short and on one line, for messages: a key may be 60 KB long."""
    return repr(text if len(text) <= 40 else text[:39] + "…")
