from __future__ import annotations

from datetime import date

import pytest

from helix.index.telling import ENOUGH, day_of, telling_words
from helix.vault.note import Memory


def memory(body: str, title: str = "") -> Memory:
    return Memory("m1", title, "fact", "global", None, "active", (), {}, body)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", 0),
        ("Where did we leave the keys?", 0),
        ("Where did we leave the keys? The red drawer.", 2),
        ("The red drawer. Did you look?", 2),
        ("How many?\nEleven boards", 2),
        ("什么时候?\n星期一", 2),
        ("word " * 10_000, ENOUGH),
    ],
)
def test_questions_tell_nothing(body: str, words: int) -> None:
    assert telling_words(memory(body)) == words


def test_the_title_tells_too() -> None:
    assert telling_words(memory("Port 8443", title="Staging gateway")) == 4


@pytest.mark.parametrize(
    ("title", "body", "day"),
    [
        ("2026-06-03", "Met Ines.", date(2026, 6, 3)),
        ("Minutes", "3 June 2026: all were there", date(2026, 6, 3)),
        ("Minutes", "[9:15 am on 3 June, 2026] all were there", date(2026, 6, 3)),
        ("Minutes", "On June 3rd, 2026 all were there", date(2026, 6, 3)),
        ("Minutes", "31 June 2026 is no day, 1 July 2026 is", date(2026, 7, 1)),
        ("Minutes of 4 June 2026", "3 June 2026", date(2026, 6, 4)),
        ("Minutes", "On 3 June all were there", None),
        ("Minutes", "x" * 400 + " 3 June 2026", None),
        ("Version 2026-13-40", "", None),
    ],
)
def test_the_day_is_the_first_whole_date_at_the_beginning(title: str, body: str, day: date | None) -> None:
    assert day_of(memory(body, title)) == day
