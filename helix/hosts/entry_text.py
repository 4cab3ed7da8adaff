"""Values as TOML and YAML text: as much of both as the entry of a server needs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def nested(keys: Sequence[str], value: Any) -> Any:
    """The value in as many mappings as there are keys."""
    for key in reversed(keys):
        value = {key: value}
    return value


def spell_toml_table(keys: Sequence[str], value: Mapping[str, Any], newline: str = "\n") -> str:
    """`[a.b]` with its values, its tables after it."""
    lines = [f"[{'.'.join(map(spell_toml_key, keys))}]"]
    lines += [
        f"{spell_toml_key(key)} = {spell_toml(inner)}" for key, inner in value.items() if not _is_table(inner)
    ]
    text = newline.join(lines) + newline
    for key, inner in value.items():
        if _is_table(inner):
            text += newline + spell_toml_table((*keys, key), inner, newline)
    return text


def spell_toml(value: Any) -> str:
    """On one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{spell_toml_key(key)} = {spell_toml(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(spell_toml, value))}]"
    return _quoted(value)


def spell_toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def spell_yaml(value: Mapping[str, Any], newline: str = "\n", margin: str = "", step: str = "  ") -> str:
    """A block mapping. Texts are in double quotes, which mean in YAML what they mean in JSON."""
    lines = []
    for key, inner in value.items():
        name = key if _BARE.fullmatch(key) else _quoted(key)
        if _is_table(inner) and inner:
            lines += [f"{margin}{name}:{newline}", spell_yaml(inner, newline, margin + step, step)]
        else:
            lines.append(f"{margin}{name}: {spell_yaml_inline(inner)}{newline}")
    return "".join(lines)


def spell_yaml_inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{_quoted(key)}: {spell_yaml_inline(one)}" for key, one in value.items()) + "}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(spell_yaml_inline, value))}]"
    return _quoted(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _quoted(value: Any) -> str:
    """JSON's form, which both languages read; DEL and the C1 controls are refused bare by both."""
    return re.sub(
        r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]",
        lambda sign: f"\\u{ord(sign[0]):04x}",
        json.dumps(value, ensure_ascii=False),
    )
