from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.vault.line_diff import diff_lines, weigh

_LINES = st.lists(st.sampled_from(["a", "b", "c", "", "```", "a long line that says something"]), max_size=40)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@given(_LINES, _LINES)
def test_the_hunks_turn_one_text_into_the_other_and_all_else_is_equal(
    before: list[str], after: list[str]
) -> None:
    old, new = _text(before), _text(after)
    at = other = 0
    rebuilt = ""
    for hunk in diff_lines(old, new):
        assert old[at : hunk.start] == new[other : hunk.other]
        assert hunk.start < hunk.end or hunk.other < hunk.other_end
        for text, place in ((old, hunk.start), (old, hunk.end), (new, hunk.other), (new, hunk.other_end)):
            assert place == 0 or text[place - 1] == "\n"
        rebuilt += old[at : hunk.start] + new[hunk.other : hunk.other_end]
        at, other = hunk.end, hunk.other_end
    assert old[at:] == new[other:]
    assert rebuilt + old[at:] == new


@given(_LINES, st.integers(0, 40))
def test_a_line_that_was_added_is_all_that_differs(before: list[str], at: int) -> None:
    old, new = _text(before), _text([*before[:at], "new", *before[at:]])
    [hunk] = diff_lines(old, new)
    assert (old[hunk.start : hunk.end], new[hunk.other : hunk.other_end]) == ("", "new\n")


@pytest.mark.parametrize("lines", [["ok"], ["ok", "no"], ["a", "b", "a", "a", "b"]], ids="-".join)
def test_scattered_changes_of_a_text_that_repeats_itself_are_found_one_by_one(lines: list[str]) -> None:
    before = lines * 400
    after = [*before[:100], "x", *before[100:300], *before[301:], "y"]
    hunks = diff_lines(_text(before), _text(after))
    assert sum(hunk.end - hunk.start for hunk in hunks) <= 3
    assert sum(hunk.other_end - hunk.other for hunk in hunks) <= 4 + 2


def test_letters_and_digits_weigh_and_fences_do_not() -> None:
    assert weigh("a_1 -\n\n", 0, 7, 99) == 2
    assert weigh("```sh\n}\n|---|\n", 0, 15, 99) == 0
    assert weigh("x" * 100, 0, 100, 12) == 12


@pytest.mark.parametrize("size", [20_000])
def test_time_grows_with_the_length_and_not_with_its_square(size: int) -> None:
    """Four times the lines in at most ten times the time; a square would be sixteen."""
    words = ["a", "b"]
    while len(words) < 4 * size:
        words = [*words, *words[: len(words) * 5 // 8]]

    def took(count: int) -> float:
        part = words[:count]
        started = time.process_time()
        diff_lines(_text(part), _text(part[::-1]))
        return time.process_time() - started

    assert took(4 * size) < 10 * took(size) + 0.5
