"""How lines are laid out: wrapped between words, in columns of the terminal, with nothing but a tail cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helix.cli.output import columns, printable, shortened, wrapped

LINES = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=200)


@given(LINES, st.integers(20, 100), st.integers(0, 4))
def test_wrapping_keeps_every_word_and_breaks_none(line: str, width: int, indent: int) -> None:
    pieces = wrapped(line, width, indent)
    assert [word for piece in pieces for word in piece.split()] == line.split()
    assert all(columns(piece) <= width for piece in pieces if len(piece.split()) > 1)


@given(LINES)
def test_in_a_pipe_nothing_is_wrapped(line: str) -> None:
    assert wrapped(line, None) == [line]


def test_an_indented_line_goes_on_under_its_beginning() -> None:
    assert wrapped("    one two three", 12) == ["    one two", "    three"]


def test_signs_of_two_columns_count_twice() -> None:
    assert columns("記憶") == 4
    assert columns("e\u0301") == 1
    assert wrapped("記憶 記憶 記憶", 10) == ["記憶 記憶", "記憶"]


@given(LINES, st.integers(5, 60))
def test_what_is_shortened_fits_and_says_so(text: str, room: int) -> None:
    cut = shortened(text, room)
    assert columns(cut) <= room
    assert cut == text or cut.endswith("…")


def test_control_characters_are_shown_and_not_sent() -> None:
    assert printable("a\x1b[31m\x07\tb") == "a\\x1b[31m\\x07\tb"
