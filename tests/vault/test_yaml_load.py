from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix.errors import BadFrontmatter, NoteError, TooLarge
from helix.vault.yaml_load import Value, load
from tests.scale import scaled
from tests.vault.notes import nasty_text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("123456789012345678", 123456789012345678),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("6.02E+23", 6.02e23),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 01234", "01234"),
        ("!!int '5'", 5),
        ("!!float 2", 2.0),
        ('!!bool "true"', True),
        ("!!null ''", None),
        ("[a, 1]", ["a", 1]),
        ("!!seq [a]", ["a"]),
        ("!!map {1: b}", {"1": "b"}),
        ("{}", {}),
        ("&anchor x", "x"),
    ],
)
def test_a_value_of_the_core_schema_is_read_as_such(written: str, value: Value) -> None:
    read = load(f"key: {written}\n")["key"]
    assert read == value
    assert type(read) is type(value)


PLAIN_TEXT = """
NO yes On nUll 017 00 -01 0x1f 0o17 0b1 1_000 12:30:45 2026-06-18 2026-06-18T09:12:44Z 2024-13-45
.inf -.INF .nan << = 1e999 1234567890123456789 1.2.3 e5 . + -. 1e 80% 9f2c
"""


@pytest.mark.parametrize("written", PLAIN_TEXT.split())
def test_everything_else_is_the_text_as_written(written: str) -> None:
    assert load(f"key: {written}\n") == {"key": written}


def test_keys_are_their_text() -> None:
    assert load("1: a\ntrue: b\n~: c\n<<: d\n2026-01-01: e\n'': f\n") == {
        "1": "a",
        "true": "b",
        "~": "c",
        "<<": "d",
        "2026-01-01": "e",
        "": "f",
    }


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "\r\n  # c\r\n"])
def test_an_empty_block_is_an_empty_mapping(text: str) -> None:
    assert load(text) == {}


_DEEP = "a: " + "[" * 32 + "]" * 32

REFUSED = [
    ("alias", "a: &x 1\nb: *x\n", 2),
    ("alias", "a: 1\n*x : 2\n", 2),
    ("unsupported-tag", "a: !!python/object:os.system x\n", 1),
    ("unsupported-tag", "a: 1\nb: !mine x\n", 2),
    ("unsupported-tag", "a: ! x\n", 1),
    ("unsupported-tag", "a: !!binary aGk=\n", 1),
    ("unsupported-tag", "a: !!map x\n", 1),
    ("unsupported-tag", "a: !!set {x}\n", 1),
    ("unsupported-tag", "a: !!str [x]\n", 1),
    ("unsupported-tag", "!mine a: x\n", 1),
    ("duplicate-key", "a: 1\nb: 2\na: 3\n", 3),
    ("duplicate-key", "a:\n  x: 1\n  'x': 2\n", 3),
    ("duplicate-key", "1: a\n'1': b\n", 2),
    ("not-a-mapping", "just text\n", 1),
    ("not-a-mapping", "\n- a\n- b\n", 2),
    ("not-a-mapping", "'quoted'\n", 1),
    ("bad-key", "a: {{title}}\n", 1),
    ("bad-key", "[a]: 1\n", 1),
    ("bad-key", "? {a: 1}\n: b\n", 1),
    ("too-deep", _DEEP, 1),
    ("too-many-nodes", "a: [" + "x, " * 5000 + "]\n", 1),
    ("yaml-syntax", "a: 1\n...\n", 2),
    ("yaml-syntax", "a: 1\n--- b\n", 2),
    ("yaml-syntax", "--- {a: 1}\n", 1),
    ("yaml-syntax", "%YAML 1.1\n---\na: 1\n", 1),
    ("yaml-syntax", "a: 1\nb: c: d\n", 2),
    ("yaml-syntax", "a: 'open\nb: 1\n", 1),
    ("yaml-syntax", "b: 1\na: [x\nc: 1\n", 2),
    ("yaml-syntax", "a: 1\nb: @x\n", 2),
    ("yaml-syntax", "a: 1\n\tb: 2\n", 2),
    ("yaml-syntax", "é: 1\nb: \x01\n", 2),
    ("yaml-syntax", 'a: "\\d"\n', 1),
    ("yaml-syntax", "a: **bold**\n", 1),
    ("yaml-syntax", "a: !!int x\n", 1),
    ("yaml-syntax", "a: !!float .inf\n", 1),
    ("yaml-syntax", "a: 1\nb: \ud800\n", 2),
    ("bom-inside", "a: 1\nb: \ufeffx\n", 2),
    ("conflict-markers", "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n", 2),
    ("conflict-markers", "a: 1\r\n=======\r\nb: 2\r\n", 2),
]


@pytest.mark.parametrize(("code", "text", "line"), REFUSED)
def test_what_cannot_be_trusted_is_refused_with_its_line_and_a_remedy(
    code: str, text: str, line: int
) -> None:
    with pytest.raises(BadFrontmatter) as refused:
        load(text, first_line=11)
    assert refused.value.code == code
    assert refused.value.line == line + 10
    assert refused.value.remedy.endswith(".")
    assert "\n" not in refused.value.remedy


def test_a_duplicate_key_names_the_key_and_both_lines() -> None:
    with pytest.raises(BadFrontmatter, match=r"line 4: the key 'status' stands twice, in lines 2 and 4"):
        load("status: a\nx: y\nstatus: b\n", first_line=2)


def test_a_key_of_thirty_kilobytes_does_not_fill_the_message() -> None:
    key = "k" * 30_000
    with pytest.raises(BadFrontmatter) as refused:
        load(f"? {key}\n? {key}\n")
    assert len(refused.value.message) < 200


def test_depth_and_size_are_allowed_up_to_the_cap() -> None:
    assert load("a: " + "[" * 31 + "]" * 31)
    assert load("a: [" + "x, " * 4997 + "]\n")
    assert load("a: " + "x" * (64 * 1024 - 4) + "\n")


def test_a_frontmatter_over_64_kib_is_too_large() -> None:
    with pytest.raises(TooLarge) as refused:
        load("a: " + "é" * 32 * 1024)
    assert refused.value.code == "frontmatter-too-large"


@settings(max_examples=scaled(600), deadline=None)
@given(st.one_of(nasty_text, st.text()))
def test_any_text_is_read_or_refused_and_nothing_else_happens(text: str) -> None:
    with suppress(NoteError):
        assert all(isinstance(key, str) for key in load(text))


def test_a_record_is_read_within_a_millisecond() -> None:
    text = "".join(f"key_{i}: some value {i}   # comment\n" for i in range(12)) + "tags: [a, b, c]\nn: 1\n"
    best = min(_seconds(text) for _ in range(50))
    assert best < 0.001


def _seconds(text: str) -> float:
    begin = time.perf_counter()
    load(text)
    return time.perf_counter() - begin
