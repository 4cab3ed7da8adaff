"""Counting is exact: as many tokens as another implementation of o200k_base makes."""

from __future__ import annotations

import splintr
from hypothesis import example, given
from hypothesis import strategies as st

from helix.memory.byte_pairs import TokenCounter
from helix.memory.vocabulary import FILE, Vocabulary, lay_out
from tests.scale import scaled

_OTHER = splintr.Tokenizer.from_pretrained("o200k_base")
_COUNTER = TokenCounter(Vocabulary.open())
_ORDINARY = 199_998
"""tokens that are no marks of a conversation"""

# Characters that this Python knows of: an implementation may know a later Unicode.
_ANY = st.characters(exclude_categories=["Cs", "Cn"])
_PARTS = st.one_of(
    _ANY,
    st.text(_ANY, max_size=8),
    st.sampled_from(
        ["the ", "HTTPServer", "don't", "I'LL", "'ſ", "Straße", "ñandú", "ΔΣς", "हिन्दी", "한국어", "עברית"]
    ),
    st.sampled_from(
        ["  ", "\n\n", "\r\n", "\t\t", " \n ", "\u3000", "\xa0 ", "\x85", "\x1c", "\v", "    return"]
    ),
    st.sampled_from(["👩‍👩‍👧", "🇩🇪", "✊🏽", "é", "a\u0301\u0302", "\u200b", "½", "Ⅷ", "٣٤", "12345678"]),
    st.sampled_from(
        ["世界和平，", "東京都", "()=>{", "//\n", "/*", "`" * 3, '{"id":"01KA8XJ3N5"}', "====", "x" * 90]
    ),
)


@given(st.lists(_PARTS, max_size=scaled(30)).map("".join))
@example("")
@example("it'S 'Re/\r\n/ 'llama \u0301s'm")
@example("\ud7a3\u1100 ǅungla ʰʲ ªº")
def test_every_text_has_as_many_tokens_as_another_implementation_makes_of_it(text: str) -> None:
    assert _COUNTER.count(text) == len(_OTHER.encode_ordinary(text))


def test_long_runs_without_words_are_counted_exactly_too() -> None:
    for run in ("a", " ", "\n", "=", "世界和平", "ab", "🙂"):
        text = run * 5_000
        assert _COUNTER.count(text) == len(_OTHER.encode_ordinary(text))


def test_more_words_than_are_remembered_are_counted_as_before() -> None:
    counter = TokenCounter(Vocabulary.open())
    text = " ".join(f"w{number:x}z" for number in range(40_000))
    first = counter.count(text)
    assert first == counter.count(text) == len(_OTHER.encode_ordinary(text))


def test_the_vocabulary_is_the_one_that_the_other_implementation_has() -> None:
    assert FILE.read_bytes() == lay_out([_OTHER.decode_token_bytes(rank) for rank in range(_ORDINARY)])
