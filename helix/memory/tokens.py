"""How long an answer is to the model that reads it: tokens of the whole serialized answer, in one named tokenizer.

Claude's own tokenizer is not public, so the promise is made in o200k_base, whose vocabulary comes inside a
package and needs no download. Who serves a model that counts finer says so with the setting `token_scale`.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import orjson

from helix.memory.byte_pairs import TokenCounter
from helix.memory.token_vocabulary import NAME, open_vocabulary

TOKENIZER = NAME

Payload = dict[str, Any]
"""an answer as it is sent: JSON values only"""
LONGEST_TOKEN = 128
"""characters: so many spaces are one token, and no other token is longer"""

# Who asks whether a text fits need not wait for the end of a long one.
_PIECE = 16_384
_LOOKS = 64
# What is no JSON is a mistake here too, and not put into some words of the library's.
_STRICT = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


class CountTokens(Protocol):
    def __call__(self, text: str, enough: int | None = None) -> int:
        """How many tokens a text has; of one that has more than `enough`, some number above that."""
        ...


def token_counter(scale: float = 1.0, spare: Path | None = None) -> CountTokens:
    """`spare` is a folder for the vocabulary where the installation may not be written to."""

    def count(text: str, enough: int | None = None) -> int:
        found = 0
        for piece in _pieces(text):
            found += _counter(spare).count(piece)
            if enough is not None and scale * found > enough:
                break
        return math.ceil(scale * found)

    return count


def _pieces(text: str) -> Iterator[str]:
    """Cut where a token begins anyway, as long as there are words: then the pieces have as many as the whole."""
    start = 0
    while len(text) - start > _PIECE:
        end = space = start + _PIECE
        for _ in range(_LOOKS):
            space = text.rfind(" ", start + 1, space)
            if space < 0:
                break
            if text[space - 1].isalpha() and text[space + 1].isalpha():
                end = space
                break
        yield text[start:end]
        start = end
    yield text[start:]


def serialize(payload: Mapping[str, Any]) -> str:
    """An answer as every surface sends it, and as it is counted."""
    try:
        return orjson.dumps(payload, option=_STRICT).decode()
    except TypeError:  # numbers of more than 64 bits, in a person's own keys
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def clean(text: str) -> str:
    """Without the halves of surrogate pairs that JSON lets through and UTF-8 does not."""
    return text.encode("utf-8", "replace").decode("utf-8")


@functools.cache
def _counter(spare: Path | None) -> TokenCounter:
    return TokenCounter(open_vocabulary(spare))
