"""Taking values out of what a program printed, also where it printed them encoded, in pieces or over several lines."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

REDACTED = b"[REDACTED]"
_LINE_ENDS = b"\r\n"
"""programs break long lines of base64 and hexadecimal, and values may have several lines themselves"""
_SHORTEST = 8


def redact(output: bytes, values: Iterable[str]) -> bytes:
    """`output` is whole: a value may have been written in several pieces."""
    kept = [at for at, byte in enumerate(output) if byte not in _LINE_ENDS]
    text = output.translate(None, _LINE_ENDS)
    found = sorted(
        {
            span
            for value in values
            for form in {one.translate(None, _LINE_ENDS) for one in _forms(value)}
            if len(form) >= _SHORTEST
            for span in _places(text, form)
        }
    )
    pieces, done = [], 0
    for begin, end in _joined(found):
        pieces += [output[done : kept[begin]], REDACTED]
        done = kept[end - 1] + 1
    return b"".join([*pieces, output[done:]])


def _places(text: bytes, form: bytes) -> Iterator[tuple[int, int]]:
    at = text.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = text.find(form, at + 1)


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those that overlap or touch, as one."""
    begin = end = -1
    for first, last in spans:
        if first > end:
            if end >= 0:
                yield begin, end
            begin = first
        end = max(end, last)
    if end >= 0:
        yield begin, end


def _forms(value: str) -> Iterator[bytes]:
    yield from _forms_of_line(value)
    lines = value.splitlines()
    if len(lines) > 1:  # a program may print one of them alone
        for line in lines:
            yield from _forms_of_line(line.strip())


def _forms_of_line(value: str) -> Iterator[bytes]:
    for text in (value, value[::-1]):
        yield from _encoded(text.encode())
        for escaped in (json.dumps(text), json.dumps(text, ensure_ascii=False), repr(text)):
            yield escaped[1:-1].encode()
        for quoted in (quote(text), quote(text, safe=""), quote_plus(text), _percent(text)):
            yield quoted.encode()
            yield _in_lower_case(quoted).encode()
    yield value.encode()[::-1]
    yield value.encode("utf-16-le")
    yield value.encode("utf-16-be")


def _encoded(plain: bytes) -> Iterator[bytes]:
    yield plain
    yield plain.hex().encode()
    yield plain.hex().upper().encode()
    # What stands before it decides how its bytes fall into groups of six bits: in one of three ways, of which the
    # first and the last letter also depend on the neighbours.
    for before in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            letters = encode(b"\0" * before + plain)
            yield letters[-(-before * 8 // 6) : (before + len(plain)) * 8 // 6]


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _in_lower_case(quoted: str) -> str:
    """The digits after each `%`, and nothing else."""
    first, *rest = quoted.split("%")
    return "%".join([first, *(piece[:2].lower() + piece[2:] for piece in rest)])
