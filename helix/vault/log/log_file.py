"""Reading a log as it lies on the disk: line by line, from any place, whatever is in it.

A file comes from other machines and from people's editors too. A line that is no event is said with its place and
passed over; one without an end is an event only if it is whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from helix.vault.log.event import MAX_PAYLOAD, LogEvent, NotAnEvent, from_line

MAX_LINE = 8 * MAX_PAYLOAD
"""bytes; six for each of a payload that is spelled in escapes, and room for the rest"""
_CHUNK = 1 << 16
_TAIL = 4096
_MOST_AT_ONCE = 1 << 20
_TOO_LONG = f"it is longer than {MAX_LINE} bytes"


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
    for start, data, end in _lines_back(fd, size):
        has_end = os.pread(fd, 1, end - 1) == b"\n"
        # The number counts for the other envelope alone, to which nothing is appended here.
        if data is None:
            return Line(start, end - start, 0, None, _TOO_LONG, is_torn=not has_end)
        return _line(start, data + b"\n" * has_end, end - start, 0, session)
    return None


def last_event(fd: int, size: int, session: str) -> LogEvent | None:
    """The last line that is an event, found from the end: below it somebody may have written anything."""
    for _, data, _ in _lines_back(fd, size):
        if data is not None and data.lstrip().startswith(b"{"):
            with suppress(NotAnEvent):
                return from_line(data, 0, session)
    return None


def _lines_back(fd: int, size: int) -> Iterator[tuple[int, bytes | None, int]]:
    """Begin, bytes without the line end, and end of each line that is not empty, the last first; no bytes of one that
    is too long to be held."""
    held, end, position, is_long = b"", size, size, False
    step = _TAIL
    while position > 0:
        begin = max(0, position - step)
        data, position, step = os.pread(fd, position - begin, begin), begin, min(4 * step, _MOST_AT_ONCE)
        if not held and not is_long:  # many blank lines in one step
            data = data[: data.find(b"\n", len(data.rstrip(b"\r\n"))) + 1] if data.endswith(b"\n") else data
        stop, cut = len(data), data.rfind(b"\n")
        while cut >= 0:
            piece, start = data[cut + 1 : stop] + held, begin + cut + 1
            if is_long or piece.strip():
                yield start, None if is_long or len(piece) > MAX_LINE else piece, end
            held, end, is_long, stop = b"", start, False, cut
            cut = data.rfind(b"\n", 0, stop)
        held = data[:stop] + held
        if len(held) > MAX_LINE:
            held, is_long = b"", True
    if is_long or held.strip():
        yield 0, None if is_long else held, end


def _line(start: int, data: bytes | None, length: int, number: int, session: str) -> Line:
    if data is None:
        return Line(start, length, number, None, _TOO_LONG)
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
        if not length and not chunk.strip(b"\r\n"):  # many blank lines in one step
            start = position
            continue
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
