from __future__ import annotations

from helix.vault.git_conflict_markers import GitConflict, find_conflict, find_marker_line, take_sides

CONFLICT = """\
Intro
<<<<<<< HEAD
ours 1
ours 2
=======
theirs
>>>>>>> feature/x
Outro
"""


def test_a_conflict_is_found_with_its_line_its_sides_and_their_labels() -> None:
    assert find_conflict(CONFLICT) == GitConflict(
        line=2,
        ours="ours 1\nours 2\n",
        theirs="theirs\n",
        base=None,
        ours_label="HEAD",
        theirs_label="feature/x",
    )


def test_the_base_of_diff3_style_is_kept_apart() -> None:
    conflict = find_conflict("<<<<<<< a\n1\n||||||| 8c1f\n0\n=======\n2\n>>>>>>> b\n")
    assert conflict is not None
    assert (conflict.ours, conflict.base, conflict.theirs) == ("1\n", "0\n", "2\n")


def test_windows_line_ends_stay_in_the_sides_and_out_of_the_labels() -> None:
    conflict = find_conflict(CONFLICT.replace("\n", "\r\n"))
    assert conflict is not None
    assert conflict.theirs == "theirs\r\n"
    assert conflict.theirs_label == "feature/x"


def test_a_side_may_be_empty_and_the_last_line_may_lack_its_end() -> None:
    conflict = find_conflict("<<<<<<<\n=======\nx\n>>>>>>>")
    assert conflict is not None
    assert (conflict.ours, conflict.theirs, conflict.ours_label) == ("", "x\n", "")


def test_a_conflict_shown_in_fenced_code_is_none() -> None:
    assert find_conflict(f"```diff\n{CONFLICT}```\n") is None
    assert find_conflict(f"~~~~\n~~~\n{CONFLICT}~~~~\n") is None


def test_a_conflict_after_fenced_code_is_one() -> None:
    found = find_conflict(f"```\n{CONFLICT}```\n{CONFLICT}")
    assert found is not None
    assert found.line == 12


def test_a_fence_inside_a_side_does_not_hide_the_end_of_the_conflict() -> None:
    found = find_conflict("<<<<<<< a\n```\nx\n=======\n```\ny\n>>>>>>> b\n")
    assert found is not None
    assert found.theirs == "```\ny\n"


def test_markers_that_make_no_conflict_are_none() -> None:
    for text in (
        "",
        "<<<<<<< only the start\n",
        "Heading\n=======\n",
        "<<<<<<< a\nx\n>>>>>>> b\n",
        "text <<<<<<< a\n=======\n>>>>>>> b\n",
        "<<<<<<<<< a\n=======\n>>>>>>> b\n",
        " <<<<<<< a\n=======\n>>>>>>> b\n",
    ):
        assert find_conflict(text) is None, text


def test_both_whole_texts_come_out_of_a_text_with_several_conflicts() -> None:
    ours, theirs = take_sides(CONFLICT + CONFLICT)
    assert ours == "Intro\nours 1\nours 2\nOutro\n" * 2
    assert theirs == "Intro\ntheirs\nOutro\n" * 2
    assert take_sides("plain\n") == ("plain\n", "plain\n")


def test_a_megabyte_of_opening_markers_is_read_at_once() -> None:
    assert find_conflict("<<<<<<< a\n" * 100_000) is None


def test_a_single_marker_line_is_enough_to_distrust_yaml() -> None:
    assert find_marker_line("a: 1\n>>>>>>> b\n") == 2
    assert find_marker_line("a: 1\n||||||| b\n") == 2
    assert find_marker_line("a: ======\n========\n") is None
