"""The block in a file: put in, found, taken out, and everything else as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.errors import HostFileError
from helix.harnesses.block import find_block, put_block, without_block

CONTENT = "## Rules\n\n### Say it once\n\nNo line twice."
_TEXTS = st.text(st.sampled_from("ab \n#"), max_size=40)


@given(_TEXTS, st.booleans())
def test_what_was_put_in_is_found_and_everything_else_is_as_it_was(text: str, is_windows: bool) -> None:
    text = text.replace("\n", "\r\n") if is_windows else text
    after = put_block(text, CONTENT)
    block = find_block(after)
    assert block is not None
    assert not block.is_edited
    assert block.text.split() == CONTENT.split()
    assert after.startswith(text)
    assert put_block(after, CONTENT) == after
    assert without_block(after).rstrip("\r\n") == text.rstrip("\r\n")


def test_a_block_stays_where_a_person_put_it() -> None:
    moved = put_block("", CONTENT) + "\nMine.\n"
    after = put_block(moved, "## Rules\n\nOthers.")
    assert after.endswith("-->\n\nMine.\n")
    assert "Others." in after
    assert "No line twice." not in after


def test_the_line_ends_of_the_file_are_taken_and_git_may_change_them() -> None:
    after = put_block("# Mine\r\n", CONTENT)
    assert "\n" not in after.replace("\r\n", "")
    block = find_block(after.replace("\r\n", "\n"))
    assert block is not None
    assert not block.is_edited


def test_an_edit_by_hand_is_seen() -> None:
    block = find_block(put_block("# Mine\n", CONTENT).replace("twice", "thrice"))
    assert block is not None
    assert block.is_edited


WHOLE = put_block("# Mine\n", CONTENT)
END = "<!-- helix:rules:end -->"


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        (WHOLE + WHOLE, "more than one", 12),
        (WHOLE.replace(END, ""), "no line that ends it", 3),
        (WHOLE.partition("helix:rules:begin")[0] + "\n" + END, "damaged", 4),
        (WHOLE.replace("begin ", "begin x"), "begins the block of Helix is damaged", 3),
        (WHOLE.replace(END, f"- {END}"), "ends the block of Helix is damaged", 9),
        (WHOLE.replace(END, END.replace("end", "END")), "ends the block of Helix is damaged", 9),
        (f"{END}\n", "begins the block of Helix is damaged", 1),
    ],
)
def test_lines_that_do_not_say_clearly_what_is_ours_are_named(text: str, says: str, line: int) -> None:
    with pytest.raises(HostFileError, match=says) as caught:
        find_block(text)
    assert caught.value.line == line
