from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.vault.note import is_later
from helix.vault.times import format_time, parse_time, stamp_after

NOW = datetime(2026, 6, 18, 9, 12, 44, 700_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-06-18T09:12:44Z", "2026-06-18T09:12:44Z"),
        ("2026-06-18T09:12:44z", "2026-06-18T09:12:44Z"),
        ("2026-06-18 11:12:44+02:00", "2026-06-18T09:12:44Z"),
        ("2026-06-18 11:12:44 +0200", "2026-06-18T09:12:44Z"),
        ("2026-06-18T09:12:44.9", "2026-06-18T09:12:44Z"),
        ("2026-06-18T09:12", "2026-06-18T09:12:00Z"),
        ("2026-06-18", "2026-06-18T00:00:00Z"),
        (" 2026-06-18 ", "2026-06-18T00:00:00Z"),
    ],
)
def test_a_time_is_read_however_a_person_writes_it(text: str, instant: str) -> None:
    moment = parse_time(text)
    assert moment is not None
    assert format_time(moment) == instant


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-45", "2026-06-18T25:00", "18.06.2026", "2026", 2026, None, True]
)
def test_what_is_no_time_was_never_set(text: object) -> None:
    assert parse_time(text) is None


@pytest.mark.parametrize(
    "text", ["9999-12-31", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "0042-01-01"]
)
def test_a_year_at_the_end_of_time_counts_as_no_time_because_nothing_could_follow_it(text: str) -> None:
    assert parse_time(text) is None
    assert stamp_after(NOW, text) == "2026-06-18T09:12:44Z"


def test_a_stamp_is_now_unless_the_other_register_is_ahead() -> None:
    assert stamp_after(NOW, None) == "2026-06-18T09:12:44Z"
    assert stamp_after(NOW, "2026-01-01T00:00:00Z") == "2026-06-18T09:12:44Z"
    assert stamp_after(NOW, "2030-01-01T00:00:00Z") == "2030-01-01T00:00:01Z"


@given(
    st.integers(0, 4_000_000_000),
    st.integers(-30_000_000_000, 253_000_000_000),
    st.integers(-14, 14),
)
def test_a_stamp_is_later_than_the_other_register_whatever_the_clocks_say(
    clock: int, register: int, hours: int
) -> None:
    now = datetime.fromtimestamp(clock, UTC)
    other = datetime(1970, 1, 1, 0, 0, 0, 500_000, UTC) + timedelta(seconds=register)
    sign = "-" if hours < 0 else "+"
    written = f"{other:%H:%M:%S}.{other.microsecond:06}{sign}{abs(hours):02}:00"
    text = f"{other.year:04}-{other:%m-%d}T{written}"
    assert is_later(stamp_after(now, text), text)
    assert parse_time(stamp_after(now, text)) is not None
    assert is_later(stamp_after(now + timedelta(days=1), text), text)


def test_what_is_too_long_for_a_time_is_not_kept_in_memory() -> None:
    tracemalloc.start()
    try:
        for number in range(100):
            assert parse_time(f"{number:03}" + "9" * 1_000_000) is None
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 3_000_000
