from __future__ import annotations

import time

import pytest

from helix.vault.links import from_link, inline_tags, to_link, wikilinks


def test_links_are_found_once_in_the_order_of_the_text() -> None:
    text = "See [[b]] and ![[a]].\n[[b|shown]], [[c#Heading]], [[d^block]], [[e#h|s]]\n"
    assert wikilinks(text) == ["b", "a", "c", "d", "e"]


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]`",
        "``x ` [[a]]``",
        "```\n[[a]]\n```",
        "~~~python\n[[a]]\n```\n~~~",
        "[[]]",
        "[[a\nb]]",
        "[a]",
        "[[a]",
    ],
)
def test_code_and_broken_brackets_hold_no_links(text: str) -> None:
    assert wikilinks(text) == []


def test_text_after_a_code_block_counts_again() -> None:
    assert wikilinks("````\n```\n[[a]]\n````\n[[b]]") == ["b"]


def test_tags_need_a_letter_and_a_gap_before_them() -> None:
    text = "#one (#two) #a/b #2026 #2026-plan x#no http://x.y/#no `#no`\n# Heading\n#日本 #one"
    assert inline_tags(text) == ["one", "two", "a/b", "2026-plan", "日本"]


@pytest.mark.parametrize(
    ("value", "target"),
    [("[[a]]", "a"), ("[[a|A]]", "a"), (" a ", "a"), ("", None), (None, None), (7, None), (["a"], None)],
)
def test_an_edge_is_read_as_a_link_or_a_bare_id(value: object, target: str | None) -> None:
    assert from_link(value) == target


def test_a_link_reads_back() -> None:
    assert from_link(to_link("mem_2026-06-18_a_b2c3d4")) == "mem_2026-06-18_a_b2c3d4"


@pytest.mark.parametrize(
    "hostile",
    [
        "[[" + "a" * 300000,
        "[[" * 150000,
        "x " + "`" * 3000 + "a" * 300000,
        "#" + "1" * 300000,
        "[[a|" * 80000,
        "x " + " ".join("`" * length for length in range(1, 700)),
    ],
    ids=["open-link", "brackets", "backticks", "digits", "open-aliases", "uneven-backticks"],
)
def test_a_long_line_of_anything_takes_no_longer_than_its_length(hostile: str) -> None:
    started = time.process_time()
    wikilinks(hostile)
    inline_tags(hostile)
    assert time.process_time() - started < 1.5
