"""How long a text is, in tokens."""

from __future__ import annotations

import splintr
from hypothesis import given
from hypothesis import strategies as st

from helix.memory.tokens import TOKENIZER, token_counter
from tests.scale import scaled

_WHOLE = splintr.Tokenizer.from_pretrained(TOKENIZER)
_WORDS = st.sampled_from(
    ["the", "harbour", "Kran", "retry", "3", "times,", "in", "世界", "``", "\\n", "don't"]
)


@given(st.lists(_WORDS, min_size=10, max_size=scaled(60)))
def test_a_long_text_has_as_many_as_the_tokenizer_says_of_the_whole(words: list[str]) -> None:
    text = " ".join(words * 400)
    assert token_counter()(text) == len(_WHOLE.encode_ordinary(text))


def test_of_what_is_too_long_it_is_enough_to_know_that() -> None:
    text = "word " * 100_000
    count = token_counter(1.3)
    whole = count(text)
    assert 100 < count(text, enough=100) < whole
    assert count(text, enough=whole) == whole


def test_a_text_without_words_is_counted_in_parts_and_never_short_of_the_whole() -> None:
    for mark in ("a", "\n", " ", "世", "="):
        text = mark * 100_000
        assert (
            len(_WHOLE.encode_ordinary(text))
            <= token_counter()(text)
            <= len(_WHOLE.encode_ordinary(text)) + 20
        )
