from __future__ import annotations

import time

import pytest

from helix.vault.links import (
    MOST_IN_A_TEXT,
    from_link,
    inline_tags,
    markdown_links,
    property_links,
    to_link,
    wikilinks,
)


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


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("[Haskell](../../haskell.md)", "haskell"),
        ("[up](../pumps/six%20o%27clock.md#Start)", "notes/pumps/six o'clock"),
        ("[no ending](../tools/make)", "notes/tools/make"),
        ("[beside](beside.md)", "beside"),
        ("[beside](<beside it.md>)", "beside it"),
        ("[here](./beside.md)", "notes/deep/beside"),
        ("[from the top](/tools/make.markdown)", "tools/make"),
        ('[titled](make.md "the tool")', "make"),
        ("[brackets](make_(tool).md)", "make_(tool)"),
        ("- [x] a list with [a link](make.md)", "make"),
        ("![[embedded]] and ![embedded](make.md)", "make"),
        ("[version](v1.2)", "v1.2"),
    ],
)
def test_markdown_links_lead_to_notes_as_wikilinks_do(link: str, target: str) -> None:
    assert markdown_links(f"See {link}.\n", "notes/deep/this.md") == [target]


@pytest.mark.parametrize(
    "text",
    [
        "[web](https://example.org/a.md)", "[mail](mailto:a@b.md)", "[app](obsidian://open?file=a.md)",
        "[x](//host/a.md)",
        "[heading](#Start)", "![picture](../a.png)", "[paper](a.pdf)", "[outside](../../../a.md)", "[nothing]()",
        "`[code](a.md)`", "```\n[code](a.md)\n```", "[broken](a.md", "(a.md)",
    ],
)  # fmt: skip
def test_what_leads_to_no_note_is_no_edge(text: str) -> None:
    assert markdown_links(text, "notes/deep/this.md") == []


def test_links_in_properties_count_when_they_stand_alone() -> None:
    values = ["[[Map of pumps]]", ["[[a|shown]]", "b", 7], "see [[c]]", {"x": "[[d]]"}, None]
    assert property_links(values) == ["Map of pumps", "a"]


@pytest.mark.parametrize(
    "hostile", ["](" * 100000, "](a(" * 80000, "](" + "a()" * 100000, "](<" * 80000, "](a " * 80000]
)
def test_hostile_brackets_are_read_in_a_moment(hostile: str) -> None:
    began = time.thread_time()
    markdown_links(hostile, "a.md")
    assert time.thread_time() - began < 2


def test_a_text_has_so_many_links_and_tags_and_no_more() -> None:
    many = range(MOST_IN_A_TEXT + 5)
    assert len(wikilinks(" ".join(f"[[a{number}]]" for number in many))) == MOST_IN_A_TEXT
    assert len(inline_tags("\n".join(f"#a{number}" for number in many))) == MOST_IN_A_TEXT
    assert len(markdown_links(" ".join(f"[x](a{number}.md)" for number in many), "x.md")) == MOST_IN_A_TEXT
    assert wikilinks("[[again]] " * (MOST_IN_A_TEXT + 5) + "[[last]]") == ["again", "last"]
