"""Unicode's normal forms in linear time.

The standard library sorts the accents over one letter by insertion: forty thousand of them in a row take more than a
second with the interpreter held, and a note may have a million.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Literal

_SLICE = 128
# The vowels and finals of Korean join the letter before them, and are letters themselves.
_JOINING = range(0x1160, 0x1200)


def normalize(form: Literal["NFC", "NFKD"], text: str) -> str:
    """The same as `unicodedata.normalize`, but for a letter with more than a hundred accents: no language has one."""
    if text.isascii() or len(text) <= _SLICE:
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, piece) for piece in _slices(text))


def _slices(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + _SLICE
        furthest = end + _SLICE
        while end < min(furthest, len(text)) and _joins(text[end]):
            end += 1
        yield text[start:end]
        start = end


def _joins(letter: str) -> bool:
    """Whether a letter may become one with what stands before it."""
    return unicodedata.category(letter).startswith("M") or ord(letter) in _JOINING
