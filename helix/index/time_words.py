"""Time words in a question ("last week", "in May", "on 3 June 2026") as a span of days."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "few": 3,
    "couple of": 2,
}
_COUNT = rf"(\d+|{'|'.join(_NUMBERS)})"
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

_ISO = re.compile(r"\b(20\d\d)-(\d\d)(?:-(\d\d))?\b")
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? (20\d\d))?", re.IGNORECASE
)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (20\d\d))?", re.IGNORECASE)
# "may" and "march" are words too: as months they need a sign that a time is meant.
_IN_MONTH = re.compile(
    rf"\b(?:in|during|since|until|of|last|this|early|mid|late|end of|beginning of)[ -]({_MONTH})\b(?:,? (20\d\d))?",
    re.IGNORECASE,
)
_AGO = re.compile(rf"\b{_COUNT} (day|week|month|year)s? ago\b", re.IGNORECASE)
_PAST = re.compile(rf"\b(?:last|past|previous) {_COUNT} (day|week|month|year)s\b", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(yesterday|today|(?:last|this|previous) (?:week|month|year|quarter))\b", re.IGNORECASE
)

# In a note a day counts with its year only: what is written has no "now" from which a year could be told.
_WRITTEN = re.compile(
    rf"\b(?:(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)"
    rf"|(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<then_month>{_MONTH})\b\.?,? (?P<then_year>(?:19|20)\d\d)"
    rf"|(?P<month_first>{_MONTH})\.? (?P<then_day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<and_year>(?:19|20)\d\d))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TimeSpan:
    first: date
    last: date

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last


def time_span(question: str, today: date) -> TimeSpan | None:
    """The days that a question asks about, or None. Without a year the last such day or month is meant."""
    for look in (_iso, _named_day, _named_month, _counted, _relative):
        span = look(question, today)
        if span is not None:
            return span
    return None


def written_day(text: str) -> date | None:
    """The first whole date of a text: `2026-06-03`, `3 June 2026`, `June 3rd, 2026`."""
    for match in _WRITTEN.finditer(text):
        day = match["day"] or match["day_first"] or match["then_day"]
        month = match["month"] or _MONTHS[(match["then_month"] or match["month_first"]).lower()]
        year = match["year"] or match["then_year"] or match["and_year"]
        if span := _day(int(year), int(month), int(day)):
            return span.first
    return None


def _iso(question: str, today: date) -> TimeSpan | None:
    match = _ISO.search(question)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2])
    if match[3]:
        return _day(year, month, int(match[3]))
    return _month(year, month)


def _named_day(question: str, today: date) -> TimeSpan | None:
    if match := _DAY_MONTH.search(question):
        day, month, year = int(match[1]), _MONTHS[match[2].lower()], match[3]
    elif match := _MONTH_DAY.search(question):
        day, month, year = int(match[2]), _MONTHS[match[1].lower()], match[3]
    else:
        return None
    return _day(int(year) if year else _last_year_of(month, day, today), month, day)


def _named_month(question: str, today: date) -> TimeSpan | None:
    match = _IN_MONTH.search(question)
    if match is None:
        return None
    month = _MONTHS[match[1].lower()]
    return _month(int(match[2]) if match[2] else _last_year_of(month, 1, today), month)


def _counted(question: str, today: date) -> TimeSpan | None:
    if match := _AGO.search(question):
        unit = _DAYS[match[2].lower()]
        middle = today - timedelta(days=_count(match[1]) * unit)
        around = timedelta(days=unit // 2)
        return TimeSpan(middle - around, middle + around)
    if match := _PAST.search(question):
        return TimeSpan(today - timedelta(days=_count(match[1]) * _DAYS[match[2].lower()]), today)
    return None


def _relative(question: str, today: date) -> TimeSpan | None:
    match = _RELATIVE.search(question)
    if match is None:
        return None
    words = match[1].lower()
    if words in ("yesterday", "today"):
        day = today - timedelta(days=words == "yesterday")
        return TimeSpan(day, day)
    which, unit = words.split()
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        return (
            TimeSpan(monday, today)
            if which == "this"
            else TimeSpan(monday - timedelta(days=7), monday - timedelta(days=1))
        )
    if unit == "month":
        return _month_before(today, 0 if which == "this" else 1)
    if unit == "quarter":
        first = date(today.year, today.month - (today.month - 1) % 3, 1)
        return (
            TimeSpan(first, today)
            if which == "this"
            else TimeSpan(_months_back(first, 3), first - timedelta(days=1))
        )
    year = today.year - (which != "this")
    return TimeSpan(date(year, 1, 1), date(year, 12, 31))


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _day(year: int, month: int, day: int) -> TimeSpan | None:
    try:
        named = date(year, month, day)
    except ValueError:
        return None
    return TimeSpan(named, named)


def _month(year: int, month: int) -> TimeSpan | None:
    if not 1 <= month <= 12:
        return None
    following = date(year + month // 12, month % 12 + 1, 1)
    return TimeSpan(date(year, month, 1), following - timedelta(days=1))


def _month_before(today: date, count: int) -> TimeSpan | None:
    first = _months_back(today.replace(day=1), count)
    return _month(first.year, first.month)


def _months_back(first: date, count: int) -> date:
    months = first.year * 12 + first.month - 1 - count
    return date(months // 12, months % 12 + 1, 1)


def _last_year_of(month: int, day: int, today: date) -> int:
    return today.year if (month, day) <= (today.month, today.day) else today.year - 1
