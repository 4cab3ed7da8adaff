"""Reading a log as it lies on the disk: line by line, from any place, whatever is in it.

A file comes from other machines and from people's editors too. A line that is no event is said with its place and
passed over; one without an end is an event only if it is whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from helix.vault.log.event import MAX_PAYLOAD, LogEvent, NotAnEvent, from_line

MAX_LINE = 8 * MAX_PAYLOAD
"""bytes; six for each of a payload that is spelled in escapes, and room for the rest"""
_CHUNK = 1 << 16
_TAIL = 4096


@dataclass(frozen=True)
class Line:
    offset: int
    length: int
    """with its end, if it has one"""
    number: int
    event: LogEvent | None
    problem: str | None = None
    """why there is no event"""
    is_torn: bool = False
    """the last one, without an end, and no whole event"""

    @property
    def end(self) -> int:
        return self.offset + self.length


def read_lines(fd: int, session: str, offset: int = 0, number: int = 1) -> Iterator[Line]:
    """The lines from a place on, which must be the beginning of line `number`. Empty ones are passed over."""
    for start, data, length in _raw_lines(fd, offset):
        yield _line(start, data, length, number, session)
        number += 1


def last_line(fd: int, size: int, session: str) -> Line | None:
    """The last line that is not empty, found from the end; None for a file without one."""
    end, length = size, _TAIL
    while True:
        begin = max(0, end - length)
        data = os.pread(fd, end - begin, begin)
        stripped = data.rstrip(b"\r\n")
        cut = stripped.rfind(b"\n")
        if stripped and (cut >= 0 or begin == 0):
            start = begin + cut + 1
            # The number counts for the other envelope alone, to which nothing is appended here.
            return _line(start, data[cut + 1 :], size - start, 0, session)
        if begin == 0 or length > 2 * MAX_LINE:
            return None
        length *= 4


def _line(start: int, data: bytes | None, length: int, number: int, session: str) -> Line:
    if data is None:
        return Line(start, length, number, None, f"it is longer than {MAX_LINE} bytes")
    has_end = data.endswith(b"\n")
    try:
        return Line(start, length, number, from_line(data.strip(b"\r\n"), number, session))
    except NotAnEvent as error:
        return Line(start, length, number, None, str(error), is_torn=not has_end)


def _raw_lines(fd: int, offset: int) -> Iterator[tuple[int, bytes | None, int]]:
    """EventPlace, bytes and length of each line; no bytes of one that is too long to be held."""
    held, start, length, position = bytearray(), offset, 0, offset
    while chunk := os.pread(fd, _CHUNK, position):
        position += len(chunk)
        pieces = chunk.split(b"\n")
        for at, piece in enumerate(pieces):
            is_end = at < len(pieces) - 1
            length += len(piece) + is_end
            if length <= MAX_LINE:
                held += piece + (b"\n" if is_end else b"")
            elif held:
                held.clear()
            if is_end:
                if length > MAX_LINE or held.strip():
                    yield start, None if length > MAX_LINE else bytes(held), length
                held.clear()
                start, length = start + length, 0
    if length > MAX_LINE or held.strip():
        yield start, None if length > MAX_LINE else bytes(held), length
