"""What reading verbs check in what they are asked."""

from __future__ import annotations

from collections.abc import Mapping

from helix.errors import BadValue
from helix.index.filters import Where
from helix.index.query import LANE, MEMORY_LANE, check_lane, narrow
from helix.memory.size_limits import MOST_AT_ONCE


def check_limit(limit: int, most: int = MOST_AT_ONCE) -> int:
    if not 1 <= limit <= most:
        raise BadValue(f"limit is {limit}; give a number from 1 to {most}")
    return limit


def to_filters(given: Mapping[str, str]) -> tuple[Where, dict[str, str]]:
    """The filters of the index, and those on a person's own keys, which only the catalog knows."""
    filters, own = Where(), {}
    for key, value in given.items():
        if key.lower() == LANE:
            if check_lane(value) != MEMORY_LANE:
                raise BadValue(f"{LANE}:{value} is for a search; nothing else looks there")
            continue
        narrowed = narrow(filters, key, value) if value.strip() else None
        if narrowed is None:
            own[key] = value
        else:
            filters = narrowed
    return filters, own
