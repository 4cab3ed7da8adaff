from __future__ import annotations

import time
import unicodedata
from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helix.index.analyze import fold, tokens
from helix.vault.normalize import normalize
from helix.vault.paths import slug

_FORMS: tuple[Literal["NFC", "NFKD"], ...] = ("NFC", "NFKD")
# Letters of several scripts with what joins them: accents, Hangul parts, vowel signs of India, wide forms.
_LETTERS = "aeo\u0301\u0316\u0327\u00e9\u1100\u1161\u11a8\uac00\u09c7\u09be\u0b47\u0b3e\u4e16ｗ ﬁ\n"


@pytest.mark.parametrize("form", _FORMS)
@given(st.text(st.sampled_from(_LETTERS), max_size=40).map(lambda text: text * 12))
def test_a_text_has_the_normal_form_that_unicode_gives_it(form: Literal["NFC", "NFKD"], text: str) -> None:
    assume(max(map(len, _runs_of_marks(text)), default=0) < 100)  # more than any language has
    assert normalize(form, text) == unicodedata.normalize(form, text)


def _runs_of_marks(text: str) -> list[str]:
    marks = "".join(one if unicodedata.category(one).startswith("M") else " " for one in text)
    return marks.split()


@pytest.mark.parametrize("read", [slug, fold, tokens])
def test_a_letter_with_a_hundred_thousand_accents_takes_no_time(read: object) -> None:
    assert callable(read)
    text = "a" + "\u0300\u0316" * 50_000
    before = time.thread_time()
    read(text)
    assert time.thread_time() - before < 1.0
