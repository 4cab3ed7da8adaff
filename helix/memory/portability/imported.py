"""What an importer hands over: a memory in the words of its source, a record of ours, or a reason for neither."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from helix.memory.portability.import_source import Source
from helix.vault.times import format_time, parse_time
from helix.vault.yaml_load import Value

_DEEPEST = 6
_LONGEST_VALUE = 8_000


@dataclass(frozen=True)
class Brought:
    """One memory of a source. `key` names it within the source, the same in every later export of it."""

    key: str
    title: str
    body: str
    kind: str = "fact"
    tags: Sequence[str] = ()
    project: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    edges: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """targets are keys of the same source, or anything else, which is kept as it is"""
    links: Mapping[str, str] = field(default_factory=dict)
    """wikilinks of the body: the target as it is written, and the key that it means"""
    source: Mapping[str, Value] = field(default_factory=dict)
    more: Mapping[str, Value] = field(default_factory=dict)
    deleted: bool = False
    """the source says that it is gone"""


@dataclass(frozen=True)
class Record:
    """A note that is a record of Helix already: it comes as it is."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Skipped:
    name: str
    reason: str


@dataclass(frozen=True)
class Ignored:
    """Files that no memory is made of, counted by what they are."""

    what: str
    count: int = 1


Item = Brought | Record | Skipped | Ignored
Read = Callable[[Source], Iterator[Item]]


def text_of(value: object) -> str:
    """A text, or nothing: whatever else stands where a text should is not one."""
    return value.strip() if isinstance(value, str) else ""


def time_of(value: object) -> str | None:
    """A time as sources write them, ISO 8601 or seconds since 1970, as records write it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_seconds(float(value))
    moment = parse_time(value)
    return None if moment is None else format_time(moment)


def plain(value: object, depth: int = 0) -> Value:
    """A value of JSON as one that a frontmatter can hold, cut where it is too deep or too long."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -(10**18) < value < 10**18 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth < _DEEPEST and isinstance(value, list):
        return [plain(item, depth + 1) for item in value[:100]]
    if depth < _DEEPEST and isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in list(value.items())[:100]}
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text[:_LONGEST_VALUE]


def tags_of(value: object) -> list[str]:
    """Tags from a list or one string with commas, each as Obsidian can write it behind a `#`."""
    items = value if isinstance(value, list) else re.split(r"[,\s]+", value) if isinstance(value, str) else []
    texts = [re.sub(r"\s+", "-", str(item).strip().lstrip("#")) for item in items if item is not None]
    return list(dict.fromkeys(text[:100] for text in texts if text))


def _from_seconds(seconds: float) -> str | None:
    # Milliseconds since 1970 are years beyond 5000 when read as seconds.
    seconds = seconds / 1000 if seconds > 1e11 else seconds
    try:
        return time_of(datetime.fromtimestamp(seconds, UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None
