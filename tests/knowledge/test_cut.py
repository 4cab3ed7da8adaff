"""A long document is cut where its own structure allows, and every line of it is in one part."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from helix.knowledge.documents.converted import Stretch
from helix.knowledge.documents.cut import LONGEST_PART, cut

SENTENCE = "The gateway retries three times with jitter.\n"


def test_a_short_text_is_one_part_that_says_its_lines() -> None:
    [part] = cut([Stretch("# Plan\n\nWe begin.\n", "line", "1")])
    assert part.body == "<!-- line 1 -->\n# Plan\n\nWe begin.\n"
    assert (part.span, part.heading) == ("1-3", "Plan")


def test_a_long_text_is_cut_at_headings() -> None:
    chapters = [f"## Chapter {number}\n\n{SENTENCE * 160}\n" for number in range(4)]
    parts = cut([Stretch("".join(chapters), "line", "1")])
    assert [part.heading for part in parts] == [f"Chapter {number}" for number in range(4)]
    assert [part.span for part in parts] == ["1-162", "164-325", "327-488", "490-651"]


def test_a_heading_in_code_is_none() -> None:
    text = f"```sh\n# not a heading\n```\n\n{SENTENCE * 160}\n```sh\n# nor this\n```\n"
    assert [part.heading for part in cut([Stretch(text, "line", "1")])] == [""]


def test_source_code_is_fenced_whatever_fences_it_has_itself() -> None:
    [part] = cut([Stretch('TEXT = """\n````\n"""\n', "line", "1", "python")])
    assert part.body == '<!-- line 1 -->\n`````python\nTEXT = """\n````\n"""\n`````\n'


def test_pages_are_kept_together_and_named() -> None:
    parts = cut([Stretch(SENTENCE * 100, "page", str(number)) for number in range(1, 6)])
    assert [part.span for part in parts] == ["1-2", "3-4", "5"]
    assert parts[1].body.startswith("<!-- page 3 -->\n\nThe gateway")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["# A\n", "\n", "```\n", "word " * 40 + "\n", "x" * 30_000 + "\n", "- item\n"]),
        max_size=60,
    )
)
def test_nothing_is_lost_and_no_part_is_too_long(lines: list[str]) -> None:
    text = "".join(lines)
    parts = cut([Stretch(text, "line", "1")])
    assert all(part.size <= LONGEST_PART for part in parts)
    kept = "".join(block.text for part in parts for block in part.blocks)
    assert kept.split() == text.split()
    numbered = text.splitlines() or [""]
    for block in (block for part in parts for block in part.blocks):
        assert block.text.splitlines()[0] in numbered[int(block.at) - 1]
