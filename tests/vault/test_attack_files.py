"""Files made to hang, exhaust or execute: each is read or refused, quickly and in little memory."""

from __future__ import annotations

import time
import tracemalloc
from contextlib import suppress

import pytest

from helix.errors import NoteError
from helix.vault.frontmatter import parse
from helix.vault.git_conflict_markers import find_conflict

MAX_SECONDS = 0.1
MAX_MEMORY = 50 * 1024 * 1024

_LAUGHS = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)
_STAIRS = "".join(f"{' ' * i}k:\n" for i in range(350))


def _fenced(yaml: str) -> bytes:
    return f"---\n{yaml}\n---\nbody\n".encode()


REFUSED: dict[str, tuple[str, bytes]] = {
    "billion laughs": ("alias", _fenced(_LAUGHS)),
    "an anchor that contains itself": ("alias", _fenced("a: &a [*a]")),
    "merge keys": ("alias", _fenced("a: &a {x: 1}\nb: {<<: *a}")),
    "60,000 open brackets": ("too-deep", _fenced("a: " + "[" * 60_000)),
    "15,000 open braces": ("too-deep", _fenced("a: " + "{a: " * 15_000)),
    "30,000 dashes": ("too-deep", _fenced("- " * 30_000).replace(b"---\n- ", b"---\na:\n - ")),
    "a staircase of mappings": ("too-deep", _fenced(_STAIRS)),
    "question marks": ("bad-key", _fenced("? " * 30_000)),
    "a command": ("unsupported-tag", _fenced("a: !!python/object/apply:os.system ['touch /tmp/x']")),
    "a python name": ("unsupported-tag", _fenced("a: !!python/name:os.system")),
    "a tag of its own handle": ("yaml-syntax", _fenced("%TAG ! tag:yaml.org,2002:python/\n--- a")),
    "more than 64 KiB": ("frontmatter-too-large", _fenced("a: " + "x" * 65_536)),
    "megabytes of frontmatter": ("frontmatter-too-large", _fenced("a: 1\n" * 1_000_000)),
    "8,000 keys": ("too-many-nodes", _fenced("\n".join(f"k{i}:" for i in range(8_000)))),
    "NUL bytes": ("nul-bytes", b"---\na: \0\n---\n" + b"\0" * 1_000_000),
    "an unclosed quote": ("yaml-syntax", _fenced('a: "' + "x\n " * 20_000)),
    "an unclosed quote with escapes": ("yaml-syntax", _fenced('a: "' + "\\n" * 30_000)),
    "bytes that are not UTF-8": ("not-utf8", b"---\na: " + b"\xff" * 60_000 + b"\n---\n"),
    "UTF-16": ("not-utf8", "---\na: 1\n---\n".encode("utf-16")),
    "an overlong encoding": ("not-utf8", b"---\na: \xc0\xaf\n---\n"),
    "an encoded surrogate": ("not-utf8", b"---\na: \xed\xa0\x80\n---\n"),
    "a fence that never closes": ("unclosed-frontmatter", b"---\na: 1\n" + b"x\n" * 1_000_000),
    "a very long word after a fence": ("unclosed-frontmatter", b"---\n" + b"x" * 2_000_000 + b": 1"),
    "a very long key": ("not-a-mapping", _fenced("k" * 60_000 + ": 1")),
    "control characters": ("yaml-syntax", _fenced("a: \x1b[2J")),
    "the same key 5,000 times": ("duplicate-key", _fenced("a: 1\n" * 5_000)),
    "exclamation marks": ("unsupported-tag", _fenced("a: " + "!" * 60_000)),
}

READ: dict[str, bytes] = {
    "a huge integer": _fenced("a: " + "9" * 60_000),
    "a huge float": _fenced("a: " + "9" * 30_000 + "." + "9" * 30_000),
    "a huge exponent": _fenced("a: 1e" + "9" * 60_000),
    "a number with underscores": _fenced("a: 1" + "_1" * 30_000),
    "sexagesimals": _fenced("a: 1" + ":59" * 20_000),
    "a very long line": _fenced("a: " + "word " * 12_000),
    "a very long body line": _fenced("a: 1") + b"x" * 5_000_000,
    "30,000 comment lines": _fenced("#\n" * 30_000),
    "spaces": _fenced("a:" + " " * 60_000 + "x"),
    "a folded text of blank lines": _fenced("a: >\n" + "\n" * 60_000 + "  x"),
    "2,400 keys": _fenced("\n".join(f"k{i}: {i}" for i in range(2_400))),
    "colons": _fenced("a: " + "x:" * 30_000 + "x"),
    "fences without line ends": b"---" * 1_000_000,
    "spaces after an opening fence": b"---" + b" " * 3_000_000,
    "200,000 almost closing fences": b"---\n" + b"--- x\n" * 200_000,
    "conflict markers without an end": b"<<<<<<< a\n=======\n" * 50_000,
    "code fences of all lengths": b"".join(b"`" * (i % 400) + b"\n" for i in range(10_000)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_attack_is_refused_with_its_code(name: str) -> None:
    code, data = REFUSED[name]
    with pytest.raises(NoteError) as refused:
        parse(data)
    assert refused.value.code == code
    assert len(refused.value.message) < 300


@pytest.mark.parametrize("name", READ)
def test_a_monster_that_does_no_harm_is_read(name: str) -> None:
    doc = parse(READ[name])
    assert all(isinstance(value, str | int | None) for value in doc.meta.values())
    assert find_conflict(doc.body) is None


@pytest.mark.parametrize("name", [*REFUSED, *READ])
def test_an_attack_takes_neither_time_nor_memory(name: str) -> None:
    data = READ[name] if name in READ else REFUSED[name][1]
    assert min(_seconds(data) for _ in range(3)) < MAX_SECONDS
    tracemalloc.start()
    try:
        _parse_or_refuse(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MAX_MEMORY


def _seconds(data: bytes) -> float:
    begin = time.process_time()
    _parse_or_refuse(data)
    return time.process_time() - begin


def _parse_or_refuse(data: bytes) -> None:
    with suppress(NoteError):
        find_conflict(parse(data).body)
