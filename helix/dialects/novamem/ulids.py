"""Ids as this dialect shows them: 26 characters, of which the first ten tell the day.

Nothing is kept: the id of a memory never changes, so that what is made from it does not either, on any machine and
after any reindexing. The way back is to look among the memories that who asks can see; the day, which stands in both,
leaves few to be looked at. An id as the vault has it is taken, too.
"""

from __future__ import annotations

import functools
import hashlib
import re
from datetime import UTC, datetime

from helix.memory.reading.view import View

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_DAY = re.compile(r"mem_(\d{4}-\d{2}-\d{2})_")
_CHANCE_BITS = 80


@functools.lru_cache(maxsize=65_536)
def to_ulid(own_id: str) -> str:
    chance = int.from_bytes(hashlib.sha256(own_id.encode()).digest()[: _CHANCE_BITS // 8], "big")
    number = _moment(own_id) << _CHANCE_BITS | chance
    return "".join(_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def find_id(view: View, given: str) -> str | None:
    """Of a memory that the view has, hidden ones too; None for any other, whether or not there is one."""
    wanted = given.strip().upper()
    if _ULID.fullmatch(wanted):
        moment = _moment_of(wanted)
        for row in view.everything():
            if _moment(row.id) == moment and to_ulid(row.id) == wanted:
                return row.id
    typed = view.find_typed(given)
    return None if typed is None else typed.id


def ulid_of_project(name: str) -> str:
    """Of one that is but a name in memories, and has no note of its own."""
    return to_ulid(f"project:{name}")


@functools.lru_cache(maxsize=65_536)
def _moment(own_id: str) -> int:
    """In milliseconds; none for an id that a person has made up."""
    found = _DAY.match(own_id)
    return 0 if found is None else _milliseconds(found[1])


@functools.lru_cache(maxsize=4_096)
def _milliseconds(day: str) -> int:
    try:
        return max(int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1000, 0)
    except ValueError:
        return 0


def _moment_of(ulid: str) -> int:
    number = functools.reduce(lambda sum_, digit: sum_ << 5 | _DIGITS.index(digit), ulid, 0)
    return number >> _CHANCE_BITS
