"""Looking for what is left of a text: in every byte of some folders, and inside whatever is compressed there."""

from __future__ import annotations

import os
import re
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

_STREAM = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_LONGEST = 1 << 20


def residue(word: str, *folders: Path, leave_out: tuple[str, ...] = ()) -> list[str]:
    """The files that hold the word, in whatever case; those below a folder named in `leave_out` are not looked at."""
    sought = word.lower().encode()
    found = []
    for folder in folders:
        for file in _files(folder):
            if file.is_file() and not set(leave_out) & set(file.relative_to(folder).parts):
                name = file.relative_to(folder).as_posix()
                if sought in name.lower().encode() or any(sought in text.lower() for text in _texts(file)):
                    found.append(name)
    return found


def _files(folder: Path) -> list[Path]:
    """By `os.walk`: it passes over a folder that has gone meanwhile."""
    return sorted(Path(place, name) for place, _, names in os.walk(folder) for name in names)


def _texts(file: Path) -> Iterator[bytes]:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return  # a temp file that has gone meanwhile
    yield data
    yield from _streams(data)
    if data.startswith(b"SQLite format 3\x00"):
        yield from _rows(file)


def _streams(data: bytes) -> Iterator[bytes]:
    """Whatever can be decompressed, wherever it begins: in free pages and in logs too."""
    for start in _STREAM.finditer(data):
        try:
            yield zlib.decompressobj().decompress(data[start.start() :], _LONGEST)
        except zlib.error:
            continue


def _rows(file: Path) -> Iterator[bytes]:
    """Long values are spread over pages and cannot be seen in the bytes of the file."""
    database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in database.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    if isinstance(value, bytes):
                        yield value
                        yield from _streams(value)
                    else:
                        yield str(value).encode()
    except sqlite3.DatabaseError:
        pass  # damaged: its bytes were looked at
    finally:
        database.close()
