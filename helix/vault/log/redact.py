"""Credentials leave an event before it is sealed: what is in a log once is in it for good.

By the name of a field, as the field's own word for what is in it, and by the look of a text anywhere. Numbers and truth
values are no credentials, whatever the field is called: `max_tokens` stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from helix.vault.secrets import find_leak, find_secret

REDACTED = "[REDACTED]"

_NAMES = re.compile(
    r"api[_-]?key|authorization|bearer|cookie|credential|passw(?:or)?d|passphrase|private[_-]?key|secret|token",
    re.IGNORECASE,
)
# What is counted or described, not what is kept secret.
_EXEMPT = re.compile(
    r".*tokens|token_(?:efficiency|count|budget|limit|usage|type|url|scale)|secret_(?:name|kind)|.*_env|redacted_paths",
    re.IGNORECASE,
)
# What providers put in front of their keys. Elsewhere one that looks made up, as in a tutorial, is let through; of a
# log nothing can be taken back, and a word too much that is replaced in it does no harm.
_MARKED = re.compile(
    r"(?<![\w-])(?:sk-(?=[\w-]{0,200}\d)[\w-]{8,}|pypi-[\w-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}(?![\w-]))"
)
_AT_MOST = 64 * 1024
"""characters of one text that are looked at whole; a longer one is looked at in such pieces"""


def redact(payload: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The payload without credentials, and the places that they stood in."""
    places: list[str] = []
    # Most events hold none, and one look at everything costs less than a look at each text.
    if not _names_one(payload) and not _marks_one(payload) and find_leak(payload) is None:
        return dict(payload), places
    return {key: _redacted(value, str(key), str(key), places) for key, value in payload.items()}, places


def _names_one(value: object) -> bool:
    """Whether a field of it, however deep, is named like a credential."""
    if isinstance(value, Mapping):
        return any(
            (_NAMES.search(str(key)) is not None and not _EXEMPT.fullmatch(str(key))) or _names_one(inner)
            for key, inner in value.items()
        )
    return isinstance(value, list | tuple) and any(map(_names_one, value))


def _marks_one(value: object) -> bool:
    if isinstance(value, str):
        return _MARKED.search(value) is not None
    if isinstance(value, Mapping):
        return any(map(_marks_one, value.values()))
    return isinstance(value, list | tuple) and any(map(_marks_one, value))


def _redacted(value: Any, name: str, place: str, places: list[str]) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if _NAMES.search(name) and not _EXEMPT.fullmatch(name):
        return _take_out(place, places)
    if isinstance(value, str):
        return _without_secrets(name, value, place, places)
    if isinstance(value, Mapping):
        return {key: _redacted(inner, str(key), f"{place}.{key}", places) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [_redacted(inner, "", f"{place}[{at}]", places) for at, inner in enumerate(value)]
    return value


def _without_secrets(name: str, text: str, place: str, places: list[str]) -> str:
    """Only the lines that hold one are taken out, where that is enough: a turn may be long."""
    if not _holds_secret(name, text):
        return text
    places.append(place)
    lines = [REDACTED if _holds_secret("", line) else line for line in text.split("\n")]
    kept = "\n".join(lines)
    return REDACTED if len(lines) == 1 or _holds_secret(name, kept) else kept


def _take_out(place: str, places: list[str]) -> str:
    places.append(place)
    return REDACTED


def _holds_secret(name: str, text: str) -> bool:
    if _MARKED.search(text) is not None:
        return True
    if len(text) <= _AT_MOST:
        return find_secret(f"{name}: {text}" if name else text) is not None
    # With an overlap, so that one which stands across a border is seen whole.
    return any(
        find_secret(text[start : start + _AT_MOST]) is not None
        for start in range(0, len(text), _AT_MOST - 4096)
    )
