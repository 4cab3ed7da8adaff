"""Words that look alike."""

from __future__ import annotations

import random
from functools import cache

from helix.index.spelling import Vocabulary
from tests.scale import scaled


def test_swapped_missing_wrong_and_added_letters_are_one_edit() -> None:
    vocabulary = Vocabulary(["timeout", "other"])
    for typed in ("timeuot", "timeut", "timeoat", "timeoutt"):
        assert vocabulary.near(typed) == {"timeout": 1}


def test_a_word_is_not_like_itself_and_short_words_forgive_one_edit_only() -> None:
    vocabulary = Vocabulary(["cache", "db", "ci", ""])
    assert vocabulary.near("cache") == {}
    assert vocabulary.near("dc") == {"db": 1}
    assert vocabulary.near("") == {}


def test_distances_agree_with_the_definition() -> None:
    rng = random.Random(5)
    words = sorted({"".join(rng.choices("abc", k=rng.randint(1, 8))) for _ in range(150)})
    vocabulary = Vocabulary(words)
    for _ in range(scaled(60)):
        typed = "".join(rng.choices("abc", k=rng.randint(1, 8)))
        limit = 1 if len(typed) <= 4 else 2
        expected = {word: edits for word in words if 0 < (edits := _edits(typed, word)) <= limit}
        assert vocabulary.near(typed) == expected


def _edits(left: str, right: str) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        least = min(
            between(i - 1, j) + 1,
            between(i, j - 1) + 1,
            between(i - 1, j - 1) + (left[i - 1] != right[j - 1]),
        )
        if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
            least = min(least, between(i - 2, j - 2) + 1)
        return least

    return between(len(left), len(right))
