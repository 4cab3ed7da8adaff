"""Timestamps as the records write them: ISO 8601, UTC, whole seconds.

In a file they are strings and stay as a person wrote them; here they become comparable instants.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]

_FORM = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|z|[+-]\d{2}:?\d{2})?)?"
)
# With room for blanks around it and a fraction of any clock.
_LONGEST = 64


def utc_now() -> datetime:
    return datetime.now(UTC)


def format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: object) -> datetime | None:
    """The instant a person or Helix wrote, or None. A bare date is its midnight; no zone means UTC."""
    return _parse(text) if isinstance(text, str) and len(text) <= _LONGEST else None


# Of every memory the same few times are asked for again and again. What is remembered is short, and not much:
# texts that are no time come here too, from requests and from foreign files.
@functools.lru_cache(maxsize=32_768)
def _parse(text: str) -> datetime | None:
    if not _FORM.fullmatch(text.strip()):
        return None
    try:
        moment = datetime.fromisoformat(text.strip().replace(" ", "T", 1).replace("z", "Z"))
    except ValueError:
        return None
    if not 1000 <= moment.year < 9999:
        return None  # nothing could be written after it, or before it, in four digits
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def stamp_after(now: datetime, other: object) -> str:
    """A stamp that is later than `other` whatever the clocks say, so that no skewed clock can undo it."""
    earlier = parse_time(other)
    if earlier is None:
        return format_time(now)
    # Round up: a register with a fraction of a second must not swallow the second after it.
    return format_time(
        max(now, earlier.replace(microsecond=0) + timedelta(seconds=1 + bool(earlier.microsecond)))
    )
