from __future__ import annotations

from datetime import date

import pytest

from helix.index.time_words import Span, time_span

TODAY = date(2026, 11, 16)  # a Monday


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what broke yesterday?", date(2026, 11, 15), date(2026, 11, 15)),
        ("decisions of last week", date(2026, 11, 9), date(2026, 11, 15)),
        ("what did we ship this month", date(2026, 11, 1), date(2026, 11, 30)),
        ("the outage in May", date(2026, 5, 1), date(2026, 5, 31)),
        ("the outage in December", date(2025, 12, 1), date(2025, 12, 31)),
        ("what happened on 3 June 2026?", date(2026, 6, 3), date(2026, 6, 3)),
        ("what happened on June 3rd", date(2026, 6, 3), date(2026, 6, 3)),
        ("changes since 2026-08", date(2026, 8, 1), date(2026, 8, 31)),
        ("two weeks ago", date(2026, 10, 30), date(2026, 11, 5)),
        ("in the last 10 days", date(2026, 11, 6), date(2026, 11, 16)),
        ("last quarter's goals", date(2026, 7, 1), date(2026, 9, 30)),
        ("what was decided last year", date(2025, 1, 1), date(2025, 12, 31)),
    ],
)
def test_time_words_name_days(question: str, first: date, last: date) -> None:
    assert time_span(question, TODAY) == Span(first, last)


@pytest.mark.parametrize(
    "question",
    ["may I use GORM?", "how do we march through the list", "version 2.14.3", "on 31 February 2026", ""],
)
def test_other_words_name_no_time(question: str) -> None:
    assert time_span(question, TODAY) is None
