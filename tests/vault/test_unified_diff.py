from __future__ import annotations

import difflib
import random
import time

from helix.vault.unified_diff import unified_diff


def test_it_is_written_as_everybody_writes_it() -> None:
    old = [f"line {number}\n" for number in range(30)]
    new = [*old[:4], "new\n", *old[5:20], *old[21:], "last\n"]
    expected = "".join(difflib.unified_diff(old, new, "a", "b"))
    assert unified_diff("".join(old).encode(), "".join(new).encode(), "a", "b") == expected
    assert unified_diff(b"", b"x\n", "a", "b") == "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n"


def test_a_last_line_without_a_newline_is_told_from_one_with_it() -> None:
    marked = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
    assert unified_diff(b"x", b"x\n", "a", "b") == marked
    assert unified_diff(b"x", b"x", "a", "b") == ""


def test_a_few_lines_over_and_over_take_no_square_of_their_number() -> None:
    dice = random.Random(1)
    old, new = ("".join(f"{dice.randrange(110)}\n" for _ in range(200_000)).encode() for _ in range(2))
    started = time.process_time()
    assert unified_diff(old, new, "a", "b")
    assert time.process_time() - started < 10  # it was minutes
