"""Counting is exact: as many tokens as another implementation of o200k_base makes."""

from __future__ import annotations

from pathlib import Path

import pytest
import splintr
from hypothesis import example, given
from hypothesis import strategies as st

from helix.memory import token_vocabulary
from helix.memory.byte_pairs import TokenCounter
from helix.memory.token_vocabulary import TokenVocabulary, lay_out, open_vocabulary
from tests.scale import scaled

_OTHER = splintr.Tokenizer.from_pretrained("o200k_base")
_COUNTER = TokenCounter(open_vocabulary())

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
    counter = TokenCounter(open_vocabulary())
    text = " ".join(f"w{number:x}z" for number in range(40_000))
    first = counter.count(text)
    assert first == counter.count(text) == len(_OTHER.encode_ordinary(text))


def test_where_the_installation_may_not_be_written_to_it_is_made_in_the_spare_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setattr(token_vocabulary, "_BESIDE_MODULES", tmp_path / "a file")
    spare = tmp_path / "state"
    spare.mkdir()
    assert TokenCounter(open_vocabulary(spare)).count("so many words") == 3
    [made] = spare.iterdir()
    whole = made.read_bytes()
    made.write_bytes(whole[:-1])  # a disk that was full, a power cut
    assert TokenCounter(open_vocabulary(spare)).count("so many words") == 3
    assert made.read_bytes() == whole


def test_without_any_folder_it_is_made_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setattr(token_vocabulary, "_BESIDE_MODULES", tmp_path / "a file")
    assert TokenCounter(open_vocabulary()).count("so many words") == 3


def test_what_is_no_vocabulary_is_refused() -> None:
    whole = lay_out([b"a", b"b", b"ab"])
    assert TokenVocabulary(whole).rank(b"ab") == 2
    with pytest.raises(ValueError, match="no vocabulary"):
        TokenVocabulary(whole + b"x")
