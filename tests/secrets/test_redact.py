"""No form in which a program may print a value leaves it readable."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.secrets.redact import REDACTED, redact

VALUE = 'Zq7-walrus/"tusk"+öl=42'
_VALUES = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=8, max_size=80
)

FORMS: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "reversed": lambda value: value[::-1].encode(),
    "reversed bytes": lambda value: value.encode()[::-1],
    "hex": lambda value: value.encode().hex().encode(),
    "HEX": lambda value: value.encode().hex().upper().encode(),
    "url": lambda value: quote(value).encode(),
    "url, all": lambda value: quote(value, safe="").encode(),
    "form": lambda value: quote_plus(value).encode(),
    "every byte of a url": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()).encode(),
    "json": lambda value: json.dumps(value)[1:-1].encode(),
    "json as it is": lambda value: json.dumps(value, ensure_ascii=False)[1:-1].encode(),
    "repr": lambda value: repr(value)[1:-1].encode(),
    "utf-16": lambda value: value.encode("utf-16-le"),
}


@pytest.mark.parametrize("form", FORMS)
@given(value=_VALUES, before=st.binary(max_size=20), after=st.binary(max_size=20))
def test_a_value_is_taken_out_in_every_form(form: str, value: str, before: bytes, after: bytes) -> None:
    shown = FORMS[form](value)
    if len(shown.translate(None, b"\r\n")) < 8:
        return
    clean = redact(before + shown + after, [value])
    assert shown not in clean.replace(REDACTED, b"")
    assert REDACTED in clean


@given(value=_VALUES, before=st.binary(max_size=5), after=st.binary(max_size=5))
def test_base64_of_something_around_a_value_does_not_tell_it(value: str, before: bytes, after: bytes) -> None:
    plain = value.encode()
    clean = redact(base64.b64encode(before + plain + after), [value])
    letters = clean.replace(REDACTED, b"").rstrip(b"=")
    # What is left stands for the neighbours, and for no more than a few bits at each edge.
    assert len(letters) <= 4 * (len(before + after) + 4) // 3 + 4


def test_lines_that_a_program_breaks_hide_nothing() -> None:
    value = "0123456789abcdefghijklmnopqrstuvwxyz" * 4
    broken = base64.encodebytes(value.encode())
    assert broken.count(b"\n") > 1
    assert redact(b"key:\n" + broken + b"end", [value]) == b"key:\n" + REDACTED + b"\nend"
    assert (
        redact(value[:70].encode() + b"\r\n" + value[70:].encode() + b"\nend", [value]) == REDACTED + b"\nend"
    )


def test_a_line_of_a_value_of_several_lines_is_taken_out_by_itself() -> None:
    value = (
        "-----BEGIN KEY-----\nMIIBVwIBADANBgkqhkiG9w0B\nAT8wggE7AgEAAkEAq7BFUpkGp3IuGnOA\n-----END KEY-----\n"
    )
    clean = redact(b"the second line is AT8wggE7AgEAAkEAq7BFUpkGp3IuGnOA.", [value])
    assert clean == b"the second line is [REDACTED]."


def test_what_is_no_value_stays_as_it_was() -> None:
    output = b"all well\n\xff\xfe\r\n" + b"walrus" * 3
    assert redact(output, [VALUE]) == output
    assert redact(output, []) == output


def test_overlapping_values_leave_nothing_between_them() -> None:
    assert redact(b"x abcdefghijklmnop y", ["abcdefghij", "fghijklmnop"]) == b"x [REDACTED] y"
