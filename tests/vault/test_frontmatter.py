from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import frontmatter
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from helix.errors import BadFrontmatter, EditRefused, NoteError, NotText
from helix.vault.frontmatter import create, emit, parse, same
from helix.vault.yaml_load import Value
from tests.scale import scaled
from tests.vault.foreign import CORPUS
from tests.vault.notes import metas, nasty_text, values, written_notes


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_note_comes_back_byte_for_byte(path: Path) -> None:
    data = path.read_bytes()
    assert emit(parse(data)) == data


def test_the_corpus_is_large_and_has_windows_files() -> None:
    assert len(CORPUS) >= 30
    assert sum(b"\r\n" in path.read_bytes() for path in CORPUS) >= 3


@settings(max_examples=scaled(800), deadline=None)
@given(st.one_of(nasty_text, nasty_text.map("---\n{}".format), nasty_text.map("---\na: {}\n---\n".format)))
def test_any_text_that_is_accepted_comes_back_byte_for_byte(text: str) -> None:
    data = text.encode()
    with suppress(NoteError):
        assert emit(parse(data)) == data


@settings(max_examples=scaled(300), deadline=None)
@given(written_notes())
def test_a_written_note_is_accepted_and_comes_back_byte_for_byte(data: bytes) -> None:
    assert emit(parse(data)) == data


@settings(max_examples=scaled(200), deadline=None)
@given(st.binary())
def test_any_bytes_are_accepted_whole_or_refused(data: bytes) -> None:
    with suppress(NotText):
        assert emit(parse(data)) == data


def test_the_pieces_are_what_they_are_called() -> None:
    doc = parse("\ufeff--- \r\na: 1\r\n---\t\r\nbody\n".encode())
    assert (doc.bom, doc.opening, doc.yaml, doc.closing, doc.body) == (
        "\ufeff",
        "--- \r\n",
        "a: 1\r\n",
        "---\t\r\n",
        "body\n",
    )
    assert doc.meta == {"a": 1}
    assert doc.has_frontmatter
    assert doc.newline == "\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "---\n\nA rule opened this text.\n",
        "---\n# Heading under a rule\n",
        "---\rkey: old mac\r---\r",
        "--- x\na: 1\n---\n",
    ],
)
def test_a_text_without_two_fences_is_all_body(text: str) -> None:
    doc = parse(text.encode())
    assert (doc.has_frontmatter, doc.meta, doc.body) == (False, {}, text)


@pytest.mark.parametrize(
    "text", ["---\ntitle: x\nbody\n", "\ufeff---\r\n\r\n'a b': 1\r\n", "---\ndate created:\n--- -\n"]
)
def test_a_frontmatter_that_is_never_closed_is_refused(text: str) -> None:
    with pytest.raises(BadFrontmatter) as refused:
        parse(text.encode())
    assert refused.value.code == "unclosed-frontmatter"
    assert refused.value.line == 1


def test_only_the_first_closing_fence_closes() -> None:
    doc = parse(b"---\na: 1\n---\ntext\n---\nmore\n")
    assert doc.body == "text\n---\nmore\n"


def test_lines_are_counted_from_the_top_of_the_file() -> None:
    with pytest.raises(BadFrontmatter) as refused:
        parse(b"---\na: 1\na: 2\n---\n")
    assert refused.value.line == 3


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(NotText) as refused:
        parse(b"---\ntitle: x\n---\nMen\xfc\n")
    assert (refused.value.code, refused.value.line) == ("not-utf8", 4)


def test_nul_bytes_are_refused_with_their_line() -> None:
    with pytest.raises(NotText) as refused:
        parse(b"a\nb\0\n")
    assert (refused.value.code, refused.value.line) == ("nul-bytes", 2)


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("no line end", "\n"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("---\na: 1\n---\nx\r\ny\r\nz\r\nz\r\n", "\n"),
        ("---\r\na: 1\r\n---\nx\ny\n", "\r\n"),
    ],
)
def test_the_newline_is_the_one_the_frontmatter_mostly_uses(text: str, newline: str) -> None:
    assert parse(text.encode()).newline == newline


def test_a_new_record_looks_as_the_format_shows_it() -> None:
    data = create(
        {
            "id": "mem_2026-06-18_auth-retry-policy_a1b2",
            "title": "Auth: client retry policy",
            "status": "active",
            "tags": ["auth", "NO", "a, b"],
            "created_at": "2026-06-18T09:12:44Z",
            "day": "2026-06-18",
            "supersedes": ["[[mem_x]]"],
            "source": {"agent": "claude-code", "session": "s-81"},
            "importance": 0.7,
            "rev": ["9f2c", "12e4567", "41aa"],
            "zip": "01234",
            "note": 'two\nlines and a "quote"',
            "steps": [{"do": "x", "after": ["z"]}, {"do": {"deep": {}}}],
            "nothing": None,
        },
        "Body [[x]].\n",
    )
    assert data.decode() == (
        """---
id: mem_2026-06-18_auth-retry-policy_a1b2
title: "Auth: client retry policy"
status: active
tags: [auth, "NO", "a, b"]
created_at: 2026-06-18T09:12:44Z
day: 2026-06-18
supersedes: ["[[mem_x]]"]
source: {agent: claude-code, session: s-81}
importance: 0.7
rev: [9f2c, "12e4567", 41aa]
zip: "01234"
note: "two\\nlines and a \\"quote\\""
steps:
  - {do: x, after: [z]}
  - do:
      deep: {}
nothing: null
---
Body [[x]].
"""
    )


@settings(max_examples=scaled(300), deadline=None)
@given(metas, nasty_text.filter(lambda body: "\0" not in body))
def test_a_new_record_reads_back_as_what_was_meant(meta: dict[str, Value], body: str) -> None:
    doc = parse(create(meta, body))
    assert same(doc.meta, meta)
    assert doc.body == body


@settings(max_examples=scaled(300), deadline=None)
@given(values)
def test_a_reader_of_yaml_1_1_agrees_on_what_a_new_record_says(value: Value) -> None:
    doc = parse(create({"key": value}, ""))
    read = yaml.load(doc.yaml, Loader=_YAML11WithoutDates)  # noqa: S506 - a safe loader, only narrower
    assert same(read, {"key": value})


class _YAML11WithoutDates(yaml.SafeLoader):
    """PyYAML as everyone has it, but for dates: those we leave plain on purpose."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own way to set this
        first: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@pytest.mark.parametrize(
    "value",
    [float("inf"), float("nan"), 10**18, "\ud800", b"bytes", ("tuple",), {1: "x"}, {"x": {1, 2}}],
)
def test_a_value_that_no_frontmatter_can_hold_is_refused(value: object) -> None:
    with pytest.raises(EditRefused):
        create({"key": value}, "")  # type: ignore[dict-item]


def test_a_value_nested_too_deep_is_refused_however_deep_it_is() -> None:
    deep: Value = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(EditRefused):
        create({"key": deep}, "")
    with pytest.raises(EditRefused):
        create({"key": "x" * 70_000}, "")


def test_a_body_that_no_text_file_can_hold_is_refused() -> None:
    for body in ("\0", "\udc80"):
        with pytest.raises(EditRefused):
            create({"key": "x"}, body)


def test_values_are_the_same_only_with_their_types_and_order() -> None:
    assert not same(1, True)
    assert not same([1], [1.0])
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same({"a": [None, "x"]}, {"a": [None, "x"]})


def test_a_record_of_fourteen_keys_is_parsed_in_about_half_a_millisecond() -> None:
    data = (Path(__file__).parent / "corpus" / "record-full.md").read_bytes()
    assert len(parse(data).meta) >= 13
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        parse(data)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.0005


@settings(max_examples=scaled(200), deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=30),
    st.lists(st.text("abc-_/ "), max_size=3),
)
def test_python_frontmatter_reads_what_helix_writes(title: str, tags: list[Value]) -> None:
    """As other programs do: the properties mean the same to a reader that is not ours."""
    meta: dict[str, Value] = {"id": "mem_a", "title": title, "tags": tags, "rev": ["0123456789ab"]}
    post = frontmatter.loads(create(meta, "One line.\n\n---\n\nAnother.\n").decode())
    assert post.metadata == meta
    assert post.content == "One line.\n\n---\n\nAnother."
