"""Configuration files as people write them, made at random: every odd spelling that the languages allow."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

SERVERS = "mcp_servers"

_words = st.sampled_from(
    ["alpha", "beta", "gamma delta", "größe", "日本", "", "a#b", "x: y", "[z]", "{q}", "it's", '"', "\\"]
)
_numbers = st.one_of(st.integers(-10, 10**12), st.sampled_from([0.5, -2.25, 1e21]))
_values = st.recursive(
    st.one_of(st.none(), st.booleans(), _numbers, _words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_words, inner, max_size=3)),
    max_leaves=6,
)
_names = st.lists(
    st.sampled_from(["github", "fs", "web search", "zz", "Helix", "helix2"]), unique=True, max_size=3
)


@st.composite
def json_text(draw: st.DrawFn, document: object, *, comments: bool) -> str:
    """One of the ways to write a document."""
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    step = draw(st.sampled_from(["  ", "    ", "\t", " "]))
    writer = _Json(draw, newline, step, comments, draw(st.booleans()))
    return writer.gap(0, edge=True) + writer.value(document, 0) + writer.gap(0, edge=True)


@st.composite
def json_documents(draw: st.DrawFn, *, comments: bool) -> str:
    document: dict[str, Any] = draw(st.dictionaries(_words, _values, max_size=3))
    if draw(st.booleans()):
        servers = {name: draw(_values) for name in draw(_names)}
        document[SERVERS] = servers
    if draw(st.integers(0, 30)) == 7:
        return draw(st.sampled_from(["", " ", "\n"]))
    return draw(json_text(document, comments=comments))


class _Json:
    """Writes a value with white space and comments wherever they may stand."""

    def __init__(self, draw: st.DrawFn, newline: str, step: str, comments: bool, tidy: bool) -> None:
        self._draw, self._newline, self._step = draw, newline, step
        self._comments, self._tidy = comments, tidy
        self._one_line = draw(st.booleans())

    def gap(self, depth: int, *, edge: bool = False) -> str:
        tidy = "" if self._one_line or edge else self._newline + self._step * depth
        if self._tidy:
            return tidy
        comment = ["/* a, } */", f'// b: {{ " {self._newline}'] if self._comments else []
        pieces = st.sampled_from(["", "", " ", self._newline, self._newline + self._step * depth, *comment])
        return (
            "".join(self._draw(st.lists(pieces, max_size=2))) if self._draw(st.integers(0, 3)) == 0 else tidy
        )

    def value(self, value: Any, depth: int) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=self._draw(st.booleans()))
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        children = [self._child(one, value, depth + 1) for one in value]
        if not children:
            return opening + (self.gap(depth) if not self._tidy else "") + closing
        comma = "," if self._comments and self._draw(st.integers(0, 2)) == 0 else ""
        inner = ",".join(self.gap(depth + 1) + child for child in children)
        return f"{opening}{inner}{comma}{self.gap(depth)}{closing}"

    def _child(self, one: Any, holder: Any, depth: int) -> str:
        if isinstance(holder, list):
            return self.value(one, depth)
        colon = self._draw(st.sampled_from([": ", ":", " : "]))
        return f"{json.dumps(one)}{colon}{self.value(holder[one], depth)}"


_TOML_VALUES = (
    '"text # no comment"', "'raw [x]'", "1", "1_000", "nan", "true", "2026-01-02", "[1, 2]", "[\n  1, # one\n  2,\n]",
    '"""\n[mcp_servers.helix]\nx = 1\n"""', "'''\n# [a]\n\"\"\"'''", "{ a = 1, b = [2] }", '"""a"""""',
)  # fmt: skip
_TOML_SERVER = (
    'command = "npx"',
    'args = ["-y", "x"]',
    "# a comment",
    "",
    "startup_timeout_sec = 10",
    'env = { A = "b" }',
)


@st.composite
def toml_documents(draw: st.DrawFn) -> str:
    lines: list[str] = []
    fill = st.lists(st.sampled_from(["", "# a comment", "#[mcp_servers.helix]", "\t# more"]), max_size=2)
    for number in range(draw(st.integers(0, 3))):
        lines += [
            *draw(fill),
            f"key{number} = {draw(st.sampled_from(_TOML_VALUES))}{draw(st.sampled_from(['', ' # why']))}",
        ]
    names = draw(_names)
    form = draw(st.sampled_from(["tables", "inline", "dotted", "header", "none"]))
    if form == "inline":
        inner = ", ".join(f'{json.dumps(name)} = {{ command = "x" }}' for name in names)
        lines.append(
            f"{SERVERS} = {{{draw(st.sampled_from(['', ' ']))}{inner}{draw(st.sampled_from(['', ' ']))}}}"
        )
    elif form == "dotted":
        lines += [f'{SERVERS} . {json.dumps(name)}.command = "x"' for name in names]
    elif form == "header":
        lines += [f"[ {SERVERS} ]", *(f'{json.dumps(name)} = {{ command = "x" }}' for name in names)]
    for number in range(draw(st.integers(0, 2))):
        lines += [
            *draw(fill),
            f"[other{number}.part]",
            f"x = {draw(st.sampled_from(_TOML_VALUES))}",
            *draw(fill),
        ]
    if form == "tables":
        for name in names:
            body = draw(st.lists(st.sampled_from(_TOML_SERVER), unique=True, max_size=4))
            lines += [*draw(fill), f"[{SERVERS}.{json.dumps(name)}]", *body]
    lines += draw(fill)
    text = "\n".join(lines) + draw(st.sampled_from(["\n", "", "\n\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.integers(0, 3)) == 0 else text


_YAML_VALUES = (
    "text", "'quoted # text'", "1", "~", "", "[a, b]", "{x: 1}", "|\n  block\n   text\n\n", ">-\n  folded\n",
    "|+\n  keep\n\n", "&anchor value", "2026-01-02", "text # comment", "\n  a: 1\n  b:\n    c: 2\n",
    "\n  - one\n  - two: 3\n", "\n- at the margin\n- x\n",
)  # fmt: skip
_YAML_SERVER = (
    "command: npx",
    "args: [-y, x]",
    "env:\n{m}  A: b",
    "# a comment",
    "args:\n{m}- -y",
    "note: |\n{m}  long\n\n{m}  text",
)


@st.composite
def yaml_documents(draw: st.DrawFn) -> str:
    step = draw(st.sampled_from(["  ", "    "]))
    fill = st.lists(st.sampled_from(["", "# a comment", "  # indented"]), max_size=2)
    parts: list[str] = draw(fill) + (["---"] if draw(st.integers(0, 4)) == 0 else [])
    keys = [f"key{number}" for number in range(draw(st.integers(0, 3)))]
    form = draw(st.sampled_from(["block", "block", "flow", "null", "empty", "none"]))
    place = draw(st.integers(0, len(keys)))
    for number, key in enumerate([*keys[:place], SERVERS, *keys[place:]]):
        parts += draw(fill) if number else []
        if key == SERVERS:
            parts += _yaml_servers(draw, form, step)
        else:
            parts.append(f"{key}: {draw(st.sampled_from(_YAML_VALUES))}".removesuffix("\n"))
    text = "\n".join([*parts, *draw(fill)]) + draw(st.sampled_from(["\n", "", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.integers(0, 3)) == 0 else text


def _yaml_servers(draw: st.DrawFn, form: str, step: str) -> list[str]:
    names = [json.dumps(name) for name in draw(_names)]
    if form == "none":
        return []
    if form == "null":
        return [f"{SERVERS}:{draw(st.sampled_from(['', ' ~', ' null', ' # none yet']))}"]
    if form == "empty" or not names:
        return [f"{SERVERS}: {{}}{draw(st.sampled_from(['', ' # none yet']))}"]
    if form == "flow":
        inner = ", ".join(f"{name}: {{command: x}}" for name in names)
        return [f"{SERVERS}: {{{inner}{draw(st.sampled_from(['', ',', ' ']))}}}"]
    lines = [f"{SERVERS}:"]
    for name in names:
        margin = step * 2
        body = draw(
            st.lists(st.sampled_from(_YAML_SERVER), unique_by=lambda one: one[:4], min_size=1, max_size=3)
        )
        lines += [f"{step}{name}:", *(margin + one.replace("{m}", margin) for one in body)]
        if all(one.startswith("#") for one in body):
            lines.append(f"{margin}x: 1")
    return lines
