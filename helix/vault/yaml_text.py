"""Writing values as YAML that every reader of the vault understands alike.

Obsidian reads YAML 1.2, PyYAML and many plugins read 1.1. A string stays plain only when both take it for
the same string; otherwise it is double-quoted, on one line. The one exception is a date or time as Helix
writes it: people read those, and both kinds of reader agree on what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import NoReturn

from helix.errors import EditRefused
from helix.vault.yaml_load import MAX_DEPTH, Value

_WIDE = 100  # a mapping that does not fit into this many characters is written one key per line

# Words and numbers of YAML 1.1, wider than its grammar where that costs only a pair of quotes.
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"))
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oObB]?[0-9_]+"
    r"|[0-9][0-9_]*(?::[0-9_]+)+(?:\.[0-9_]*)?"
    r"|[0-9._]+(?:[eE][-+]?[0-9_]+)?)"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?", re.DOTALL)
_OUR_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[-+][0-9]{2}:[0-9]{2}))?"
)
# Control characters, line separators and what libyaml refuses to read raw.
_UNREADABLE = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_RAW = re.compile(f"[^{_UNREADABLE}]*")
_ESCAPED = re.compile(f'["\\\\{_UNREADABLE}]')
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_PLAIN_START = re.compile(r"[0-9A-Za-z_/(]|[^\x00-\x9f]")
_NOT_IN_FLOW = re.compile(r"[,\[\]{}:?]")


def spell(value: Value, *, flow: bool = False, depth: int = 1) -> str:
    """`value` on one line; with `flow`, fit to stand inside brackets or braces."""
    if isinstance(value, str):
        return spell_text(value, flow=flow)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value) if -(10**18) < value < 10**18 else _cannot("an integer of more than 18 digits")
    if isinstance(value, float):
        return _spell_float(value)
    if depth > MAX_DEPTH:
        return _cannot(f"a value nested more than {MAX_DEPTH} deep")
    if isinstance(value, list):
        return "[" + ", ".join(spell(item, flow=True, depth=depth + 1) for item in value) + "]"
    if isinstance(value, dict):
        pairs = (
            f"{spell_key(key, flow=True)}: {spell(item, flow=True, depth=depth + 1)}"
            for key, item in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    return _cannot(f"a value of type {type(value).__name__}")


def spell_block(meta: Mapping[str, Value], newline: str, indent: int = 0) -> str:
    """`meta` as lines: a key each, lists of scalars and small mappings beside their keys."""
    lines = _block_lines(meta, depth=1)
    return "".join(f"{' ' * indent}{line}{newline}" for line in lines)


def spell_text(text: str, *, flow: bool = False) -> str:
    return text if _is_plain(text, flow) else quote(text)


def spell_key(key: str, *, flow: bool = False) -> str:
    if not isinstance(key, str):
        return _cannot(f"a key of type {type(key).__name__}")
    # A date as a key is a date to YAML 1.1, where a value that is one stays readable.
    return quote(key) if _OUR_DATE.fullmatch(key) else spell_text(key, flow=flow)


def quote(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def requote(text: str, style: str) -> str:
    """`text` in the quotes that its predecessor had, as far as they can hold it."""
    if style == "'" and _RAW.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return quote(text)


def _is_plain(text: str, flow: bool) -> bool:
    if not _PLAIN_START.match(text) or text.strip() != text or not _RAW.fullmatch(text):
        return False
    if _OUR_DATE.fullmatch(text):
        return _is_date(text)
    if ": " in text or " #" in text or text.endswith(":") or (flow and _NOT_IN_FLOW.search(text)):
        return False
    return not (text.lower() in _WORDS or _NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:  # PyYAML would stumble over 2026-13-45
        return False
    return True


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    return _SHORT_ESCAPES.get(sign) or f"\\u{ord(sign):04x}"


def _spell_float(value: float) -> str:
    text = repr(value)
    if not text.strip("-").startswith(tuple("0123456789")):
        return _cannot("a number that is not finite")
    mantissa, sign, exponent = text.partition("e")
    # YAML 1.1 knows an exponent only after a dot: 1e-07 would be text there.
    return mantissa + (".0" if sign and "." not in mantissa else "") + sign + exponent


def _block_lines(value: Mapping[str, Value] | list[Value], depth: int) -> list[str]:
    if depth > MAX_DEPTH:
        return _cannot(f"a value nested more than {MAX_DEPTH} deep")
    lines: list[str] = []
    if isinstance(value, list):
        for item in value:
            if isinstance(item, list | dict) and not _fits_on_a_line(item):
                first, *rest = _block_lines(item, depth + 1)
                lines += [f"- {first}", *(f"  {line}" for line in rest)]
            else:
                lines.append(f"- {spell(item, depth=depth + 1)}")
        return lines
    for key, item in value.items():
        if isinstance(item, list | dict) and not _fits_on_a_line(item):
            lines += [f"{spell_key(key)}:", *(f"  {line}" for line in _block_lines(item, depth + 1))]
        else:
            lines.append(f"{spell_key(key)}: {spell(item, depth=depth + 1)}")
    return lines


def _fits_on_a_line(value: list[Value] | dict[str, Value]) -> bool:
    if isinstance(value, list):
        return not any(isinstance(item, list | dict) for item in value)
    simple = all(
        _fits_on_a_line(item) if isinstance(item, list) else not isinstance(item, dict)
        for item in value.values()
    )
    return simple and len(spell(value)) <= _WIDE


def _cannot(what: str) -> NoReturn:
    raise EditRefused(f"{what} cannot be written into a frontmatter; store it as text instead")
