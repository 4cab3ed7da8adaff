"""The vocabulary of o200k_base: which bytes are one token, and which pairs are merged before others.

A mapped file of 4 MB, looked into where it lies; the same in a dictionary, or in a tokenizer's own tables, takes ten
times as much memory and a quarter of a second to load. `docs/decisions/027-counting-tokens.md` says how it is laid out.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from zlib import crc32

FILE = Path(__file__).with_name("o200k_base.bin")
_HEAD = struct.Struct("<8sII")
_MAGIC = b"o200k\x00\x01\n"
_SLOTS = 1 << 19  # of 200,000 tokens: most are found, or missed, at the first look
_RANK = (1 << 18) - 1
_MARK = 18
"""bits of a slot below those of the hash, which keep most other bytes from being compared"""


class Vocabulary:
    def __init__(self, content: bytes | mmap.mmap) -> None:
        magic, tokens, slots = _HEAD.unpack_from(content)
        if magic != _MAGIC:
            raise ValueError("this is no vocabulary")
        whole = memoryview(content)
        start, ends = _HEAD.size + 4 * slots, _HEAD.size + 4 * slots + 4 * (tokens + 1)
        self._slots: Sequence[int] = whole[_HEAD.size : start].cast("I")
        self._ends: Sequence[int] = whole[start:ends].cast("I")
        self._content = content
        self._last: int = slots - 1

    @classmethod
    def open(cls, path: Path = FILE) -> Self:
        with path.open("rb") as file:
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def rank(self, token: bytes) -> int | None:
        """Its number, the lower the earlier it is merged; None for what is no token."""
        hashed = crc32(token)
        mark, slot = hashed >> _MARK, hashed & self._last
        while found := self._slots[slot]:
            if found >> _MARK == mark:
                rank = (found & _RANK) - 1
                if self._content[self._ends[rank] : self._ends[rank + 1]] == token:
                    return rank
            slot = (slot + 1) & self._last
        return None


def lay_out(tokens: Sequence[bytes]) -> bytes:
    """The file, of the tokens by their rank; an empty one is a number that is not given."""
    slots = [0] * _SLOTS
    for rank, token in enumerate(tokens):
        hashed = crc32(token)
        slot = hashed & (_SLOTS - 1)
        while token and slots[slot]:
            slot = (slot + 1) & (_SLOTS - 1)
        if token:
            slots[slot] = hashed >> _MARK << _MARK | rank + 1
    offset = _HEAD.size + 4 * (_SLOTS + len(tokens) + 1)
    ends = [offset]
    for token in tokens:
        ends.append(ends[-1] + len(token))
    head = _HEAD.pack(_MAGIC, len(tokens), _SLOTS)
    return b"".join([head, struct.pack(f"<{_SLOTS}I", *slots), struct.pack(f"<{len(ends)}I", *ends), *tokens])
