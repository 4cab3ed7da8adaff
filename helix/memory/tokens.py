"""How long an answer is to the model that reads it: tokens of the whole serialized answer, in one named tokenizer.

Claude's own tokenizer is not public, so the promise is made in o200k_base, whose vocabulary comes inside a package
and needs no download. Who serves a model that counts finer says so with the setting `token_scale`.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

TOKENIZER = "o200k_base"

Payload = dict[str, Any]
"""an answer as it is sent: JSON values only"""
CountTokens = Callable[[str], int]


def token_counter(scale: float = 1.0) -> CountTokens:
    def count(text: str) -> int:
        return math.ceil(scale * len(_tokenizer().encode_ordinary(text)))

    return count


def serialize(payload: Mapping[str, Any]) -> str:
    """An answer as every surface sends it, and as it is counted."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def clean(text: str) -> str:
    """Without the halves of surrogate pairs that JSON lets through and UTF-8 does not."""
    return text.encode("utf-8", "replace").decode("utf-8")


@functools.cache
def _tokenizer() -> Any:
    import splintr  # a tenth of a second, which only reading has to pay

    return splintr.Tokenizer.from_pretrained(TOKENIZER)
