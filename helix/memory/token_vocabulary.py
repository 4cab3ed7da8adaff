"""The vocabulary of o200k_base: which bytes are one token, and which pairs are merged before others.

A mapped file of 4 MB, looked into where it lies; the same in a dictionary, or in a tokenizer's own tables, takes ten
times as much memory and a quarter of a second to load. It is made once for each installation, from the vocabulary that
splintr carries. `docs/decisions/027-counting-tokens.md` says how it is laid out.
"""

from __future__ import annotations

import mmap
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self
from zlib import crc32

NAME = "o200k_base"
ORDINARY = 199_998
"""tokens that are no marks of a conversation"""
_FILE = "vocabulary-1.bin"
_BESIDE_MODULES = Path(__file__).parent / "__pycache__"
_HEAD = struct.Struct("<8sII")
_MAGIC = b"o200k\x00\x01\n"
_SLOTS = 1 << 19  # of 200,000 tokens: most are found, or missed, at the first look
_RANK = (1 << 18) - 1
_MARK = 18
"""bits of a slot below those of the hash, which keep most other bytes from being compared"""


class TokenVocabulary:
    def __init__(self, content: bytes | mmap.mmap) -> None:
        magic, tokens, slots = _HEAD.unpack_from(content)
        whole = memoryview(content)
        start, ends = _HEAD.size + 4 * slots, _HEAD.size + 4 * slots + 4 * (tokens + 1)
        self._slots: Sequence[int] = whole[_HEAD.size : start].cast("I")
        self._ends: Sequence[int] = whole[start:ends].cast("I")
        self._content = content
        self._last: int = slots - 1
        if magic != _MAGIC or self._ends[tokens] != len(content):
            raise ValueError("this is no vocabulary")

    @classmethod
    def mapped(cls, path: Path) -> Self | None:
        """None for a file that is not there, or not whole."""
        with suppress(OSError, ValueError, struct.error, IndexError), path.open("rb") as file:
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        return None

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


def open_vocabulary(spare: Path | None = None) -> TokenVocabulary:
    """Beside the compiled modules, as Python keeps those; in `spare` where the installation may not be written to."""
    files = [folder / _FILE for folder in (_BESIDE_MODULES, spare) if folder is not None]
    for file in files:
        if (known := TokenVocabulary.mapped(file)) is not None:
            return known
    for file in files:
        # In a process of its own, which takes the tables of the library with it when it ends.
        command = [sys.executable, "-P", "-m", "helix.memory.token_vocabulary", str(file)]
        subprocess.run(command, capture_output=True, check=False)
        if (known := TokenVocabulary.mapped(file)) is not None:
            return known
    return TokenVocabulary(lay_out(_tokens()))


def _tokens() -> list[bytes]:
    import splintr

    tokenizer = splintr.Tokenizer.from_pretrained(NAME)
    return [tokenizer.decode_token_bytes(rank) for rank in range(ORDINARY)]


def _make(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(lay_out(_tokens()))
        file.flush()
        os.fsync(file.fileno())
    os.chmod(file.name, 0o644)  # everybody may count
    os.replace(file.name, path)  # several may make it at once


if __name__ == "__main__":
    _make(Path(sys.argv[1]) if len(sys.argv) > 1 else _BESIDE_MODULES / _FILE)
