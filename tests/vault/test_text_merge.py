"""A merge loses nothing and invents nothing: properties over texts that repeat themselves, and stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.vault.text_merge import COLLISION, merge_text, without_collisions

_SENTENCE = "One sentence of the note that says a good deal."
_FEW = [
    "a",
    "b",
    "",
    "```",
    "}",
    "- [ ] call Bob",
    "sleep 30",
    _SENTENCE,
]
_LINES = st.lists(st.sampled_from(_FEW), max_size=14)


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> list[str]:
    return without_collisions(text).split("\n")[:-1]


def _is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def _stands_in(block: Sequence[str], lines: Sequence[str]) -> int:
    """How often a block stands in lines, whole and in order."""
    size = len(block)
    return sum(list(block) == list(lines[at : at + size]) for at in range(len(lines) - size + 1))


# A base of whole units, and two sides that put blocks between them or take units out.


@dataclass
class Sides:
    base: list[str]
    sides: tuple[list[str], list[str]]
    blocks: tuple[list[list[str]], list[list[str]]]
    removes: bool


def _block(kind: str, name: str) -> list[str]:
    return {
        "fence": ["```sh", f"stop {name}", "sleep 30", f"start {name}", "```"],
        "bare fence": ["```", "sleep 30", f"run {name}", "sleep 30", "```"],
        "table": [f"| {name} | b |", "|---|---|", "| 1 | 2 |", "| 1 | 2 |"],
        "list": [f"- {name}:", "  - [ ] call Bob", "  - [ ] call Bob"],
        "code": [f"def {name}():", "    return", "}", "}"],
        "section": ["", f"## Section {name}", "", "sleep 30", ""],
        "line": [f"word {name}"],
    }[kind]


_KINDS = st.sampled_from(["fence", "bare fence", "table", "list", "code", "section", "line"])
_SENTENCES = st.builds(lambda n: [f"A sentence of the base, and its number is {n}."], st.integers(0, 99))
_UNITS = st.one_of(
    # None of the lines that added blocks have outside of fences: no text can say which of two equal ones is new.
    st.sampled_from([[line] for line in ("a", "b", "{", "stop", "- [ ] call Ann")]),
    st.sampled_from([["```", "make", "```"], ["```sh", "ls", "```"], ["|---|", "| 3 | 4 |"]]),
    _SENTENCES,
)


@st.composite
def _two_sides(
    draw: st.DrawFn, units: st.SearchStrategy[list[str]] = _UNITS, removing: bool = False
) -> Sides:
    told = draw(st.lists(units, max_size=8))
    sides: list[list[str]] = []
    blocks: list[list[list[str]]] = []
    removed = False
    for name in "xy":
        own: list[list[str]] = []
        lines: list[str] = []
        additions = draw(
            st.dictionaries(st.integers(0, len(told)), st.lists(_KINDS, min_size=1, max_size=2), max_size=3)
        )
        # Which of several equal lines was removed no text can say; of a sentence it can.
        telling = [place for place, unit in enumerate(told) if len(unit[0]) > 20 and told.count(unit) == 1]
        gone = draw(st.sets(st.sampled_from(telling), max_size=2)) if removing and telling else set()
        for place in range(len(told) + 1):
            for kind in additions.get(place, ()):
                own.append(_block(kind, f"{name}{len(own)}"))
                lines += own[-1]
            if place < len(told) and place not in gone:
                lines += told[place]
            elif place < len(told):
                removed = True
        sides.append(lines)
        blocks.append(own)
    return Sides(
        [line for unit in told for line in unit], (sides[0], sides[1]), (blocks[0], blocks[1]), removed
    )


def _without_outer_blanks(block: Sequence[str]) -> list[str]:
    return "\n".join(block).strip("\n").split("\n")


@given(_LINES, _LINES, _LINES)
def test_a_sentence_that_both_sides_still_have_is_never_gone(
    base: list[str], one: list[str], two: list[str]
) -> None:
    merged = _lines(merge_text(_text(base), _text(one), _text(two)))
    if _SENTENCE in one and _SENTENCE in two:
        assert _SENTENCE in merged


def test_of_two_equal_sentences_each_side_may_remove_another_one_and_one_stays() -> None:
    first, second = f"{_SENTENCE}\nMiddle of the note.\n", f"Middle of the note.\n{_SENTENCE}\n"
    merged = merge_text(first + f"{_SENTENCE}\n", first, second)
    assert merged.count(_SENTENCE) == 1
    block = f"```sh\n{_SENTENCE}\nsleep 30\n```\n"
    middle = "Middle of the note, which nobody changed at all.\n"
    assert merge_text(block + middle + block, block + middle, middle + block) in (
        block + middle,
        middle + block,
    )


@given(_two_sides(removing=True))
def test_every_block_that_a_side_added_stands_whole_and_once(case: Sides) -> None:
    one, two = case.sides
    merged = _lines(merge_text(_text(case.base), _text(one), _text(two)))
    for block in (*case.blocks[0], *case.blocks[1]):
        assert _stands_in(_without_outer_blanks(block), merged) == 1, f"{block} in {merged} of {case}"


@given(_two_sides())
def test_when_nobody_removed_a_line_all_occurrences_of_all_lines_are_there_and_no_more(case: Sides) -> None:
    one, two = case.sides
    merged = _lines(merge_text(_text(case.base), _text(one), _text(two)))
    wanted = Counter(one) + Counter(two)
    wanted.subtract(Counter(case.base))
    assert Counter(merged) == +wanted, f"{merged} of {case}"
    assert _is_subsequence(one, merged)
    assert _is_subsequence(two, merged)


@given(_two_sides())
def test_without_a_base_every_block_stands_whole_too(case: Sides) -> None:
    one, two = case.sides
    merged = _lines(merge_text(None, _text(one), _text(two)))
    for block in (*case.blocks[0], *case.blocks[1]):
        assert _stands_in(_without_outer_blanks(block), merged) >= 1, f"{block} in {merged} of {case}"
    for side in case.sides:
        assert not Counter(side) - Counter(merged)


@given(_LINES, _LINES, _LINES)
def test_each_side_keeps_every_occurrence_of_what_it_added(
    base: list[str], one: list[str], two: list[str]
) -> None:
    merged = Counter(_lines(merge_text(_text(base), _text(one), _text(two))))
    for side in (one, two):
        assert not Counter(side) - Counter(base) - merged


@given(_LINES, _LINES)
def test_without_a_base_all_occurrences_of_both_texts_stay(one: list[str], two: list[str]) -> None:
    merged = _lines(merge_text(None, _text(one), _text(two)))
    assert _is_subsequence(one, merged) or _is_subsequence(two, merged)
    assert not (Counter(one) | Counter(two)) - Counter(merged)
    assert not Counter(merged) - (Counter(one) + Counter(two))


@given(st.none() | _LINES, _LINES, _LINES)
def test_it_does_not_matter_which_side_comes_first(
    base: list[str] | None, one: list[str], two: list[str]
) -> None:
    known = None if base is None else _text(base)
    assert merge_text(known, _text(one), _text(two)) == merge_text(known, _text(two), _text(one))


@given(_two_sides())
def test_without_a_base_merging_a_side_in_again_changes_nothing(case: Sides) -> None:
    one, two = map(_text, case.sides)
    merged = merge_text(None, one, two)
    assert [merge_text(None, merged, side) for side in (one, two, merged)] == [merged] * 3


@given(_two_sides(units=_SENTENCES))
def test_merging_a_side_in_again_changes_nothing(case: Sides) -> None:
    base, one, two = map(_text, (case.base, *case.sides))
    merged = merge_text(base, one, two)
    for side in (one, two, merged):
        assert merge_text(base, merged, side) == merged


@given(_LINES, _LINES)
def test_a_change_on_one_side_only_is_taken_as_it_is(base: list[str], one: list[str]) -> None:
    assert merge_text(_text(base), _text(one), _text(base)) == _text(one)
    assert merge_text(_text(base), _text(base), _text(one)) == _text(one)


@given(st.lists(_LINES, min_size=3, max_size=3))
def test_folding_the_same_copies_again_and_again_does_not_grow_the_text(copies: list[list[str]]) -> None:
    texts = [_text(copy) for copy in copies]
    for order in permutations(texts):
        folded = merge_text(None, merge_text(None, order[0], order[1]), order[2])
        for _ in range(3):
            for text in texts:
                folded = merge_text(None, folded, text)
        assert len(_lines(folded)) <= sum(map(len, copies))
        again = folded
        for text in texts:
            again = merge_text(None, again, text)
        assert again == folded


@given(st.none() | _LINES, _LINES, _LINES, st.sampled_from(["\r\n", "\r", "\n"]))
def test_line_ends_alone_are_no_difference(
    base: list[str] | None, one: list[str], two: list[str], end: str
) -> None:
    known = None if base is None else _text(base)
    other = _text(two).replace("\n", end)
    merged = merge_text(known, _text(one), _text(two))
    if known not in (_text(one), _text(two)):
        assert merge_text(known, _text(one), other) in (merged, other if one == two else merged)
        assert merge_text(known, other, _text(one)).replace("\r\n", "\n").replace("\r", "\n") == merged


# Stories


def _section(name: str) -> str:
    return f"\nRestart pump {name}:\n\n```sh\nsudo systemctl stop {name}\nsleep 30\nsudo systemctl start {name}\n```\n"


_RUNBOOK = "# Runbook of the pump\n\nRestart steps follow.\n"


@pytest.mark.parametrize("base", [_RUNBOOK, None], ids=["known base", "no base"])
def test_two_sections_of_a_runbook_stay_whole_one_after_the_other(base: str | None) -> None:
    merged = merge_text(base, _RUNBOOK + _section("b"), _RUNBOOK + _section("a"))
    assert without_collisions(merged).count("sleep 30\n") == 2
    assert without_collisions(merged).count("```") == 4
    assert merged.index(_section("a").strip()) < merged.index(_section("b").strip())
    assert merged.count(COLLISION) == 1


def test_two_additions_that_share_nothing_need_no_warning() -> None:
    merged = merge_text("- milk\n", "- milk\n- eggs\n", "- milk\n- bread\n")
    assert merged == "- milk\n- bread\n- eggs\n"


def test_the_same_addition_on_both_sides_stands_once() -> None:
    assert merge_text("a\n", "a\n```\nx\n```\n", "a\n```\nx\n```\n\n") == "a\n```\nx\n```\n\n"
    assert merge_text("a\nb\n", "a\nnew\nb\n", "a\nnew\nb\nend\n") == "a\nnew\nb\nend\n"


def test_both_versions_of_a_changed_line_stay_below_a_warning() -> None:
    merged = merge_text("a\nold words\nb\n", "a\nnew words\nb\n", "a\nother words\nb\n")
    assert merged == f"a\n{COLLISION}\n\nnew words\nother words\nb\n"


def test_changes_of_neighbouring_lines_do_not_collide() -> None:
    assert merge_text("one\ntwo\n", "ONE\ntwo\n", "one\nTWO\n") == "ONE\nTWO\n"


def test_a_removed_line_stays_removed_beside_an_addition() -> None:
    assert merge_text("a\ngone\nb\n", "a\nb\n", "a\ngone\nnew\nb\n") == "a\nnew\nb\n"


def test_a_line_that_one_side_removed_and_the_other_changed_survives_visibly() -> None:
    assert merge_text("a\nold\nb\n", "a\nb\n", "a\nnew\nb\n") == f"a\n{COLLISION}\n\nnew\nb\n"


def test_one_of_many_equal_lines_is_removed_and_not_all_of_them() -> None:
    base = "ok\n" * 9
    assert merge_text(base, "ok\n" * 8, "ok\n" * 9 + "end\n") == "ok\n" * 8 + "end\n"


def test_a_warning_does_not_break_the_code_or_the_table_it_is_about() -> None:
    long = "".join(f"a_line_of_code({number})\n" for number in range(9))
    code = f"text\n```py\n{long}x = %d\n{long}```\nend of the text\n"
    merged = merge_text(code % 1, code % 2, code % 3)
    assert merged == f"text\n{COLLISION}\n\n```py\n{long}x = 2\nx = 3\n{long}```\nend of the text\n"
    table = "text\n| a |\n|---|\n| {} |\n| z |\n"
    merged = merge_text(table.format(1), table.format(2), table.format(3))
    assert merged == f"text\n{COLLISION}\n\n| a |\n|---|\n| 2 |\n| 3 |\n| z |\n"
    assert merge_text(table.format(1), merged, table.format(4)).count(COLLISION) == 1


def test_two_versions_of_nearly_all_of_a_code_block_do_not_share_its_fences() -> None:
    block = "```\nsleep 30\n{}\nsleep 30\n```\n"
    merged = merge_text(block.format("old"), block.format("one"), block.format("two"))
    assert merged == f"{COLLISION}\n\n" + block.format("one") + block.format("two")


def test_changes_in_different_places_of_one_code_block_are_merged_in_it() -> None:
    base = "```py\none = 1\ntwo = 2\nthree = 3\n```\n"
    merged = merge_text(base, base.replace("= 1", "= 10"), base.replace("= 3", "= 30"))
    assert merged == "```py\none = 10\ntwo = 2\nthree = 30\n```\n"


def test_without_a_base_two_versions_of_a_code_block_are_both_kept_whole() -> None:
    one, two = (f"A note about a function.\n```py\ndef f():\n    return {n}\n```\n" for n in (1, 2))
    merged = without_collisions(merge_text(None, one, two))
    assert merged.count("```py\ndef f():\n    return 1\n```\n") == 1
    assert merged.count("```py\ndef f():\n    return 2\n```\n") == 1
    assert merged.count("A note about a function.") == 1


def test_text_that_both_have_since_the_base_stands_once_when_it_is_more_than_chance() -> None:
    """People's saves list no ancestry: what was synced since the last write by Helix is new on both sides."""
    month = "What we found out in the course of a long month, written down by one of us.\n"
    merged = merge_text("Log\n", f"Log\n{month}eggs\n", f"Log\n{month}milk\n")
    assert merged == f"Log\n{month}eggs\nmilk\n"


def test_paragraphs_in_another_order_are_not_doubled() -> None:
    one, two = (
        f"The {word} paragraph of a note, long enough to be known again when it is met.\n"
        for word in ("first", "second")
    )
    assert merge_text(None, one + two, two + one) in (one + two, two + one)


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\r\nb\n", "a\nb\nc\n", "a\r\nb\nc\r\n"),
        ("a\nb", "a\nb\n", "a\nb\n"),
        ("a\nb", "a\nc", "a\nb\nc"),
        ("a\rb\r", "a\n\nb\n", "a\r\rb\r"),
        ("x\ra\nb\n", "x\n\na\nb\n", "x\r\ra\nb\n"),
        ("", "a", "a\n"),
        ("a\u2028b\n", "a\u2028b\nc\n", "a\u2028b\nc\n"),
    ],
)
def test_line_ends_follow_the_first_side(first: str, second: str, merged: str) -> None:
    assert without_collisions(merge_text(None, first, second)) == merged


def test_without_collisions_takes_the_warning_and_its_blank_line_away() -> None:
    assert without_collisions(f"a\r\n{COLLISION}\r\n\r\nb\r\n") == "a\r\nb\r\n"
