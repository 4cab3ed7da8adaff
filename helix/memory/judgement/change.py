"""Whether one statement gives another value to the subject of an earlier one.

No cosine tells `the API listens on 9090` from `the metrics listen on 9090`. The words that differ do: a change of
value differs in nothing but values, of the same sort, where values stand. What differs otherwise is about something
else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from helix.memory.judgement.statements import Statement, Word
from helix.memory.judgement.value_position import VERBS, is_value
from helix.memory.judgement.values import (
    CODE,
    DATE,
    MONTH,
    NUMBER,
    PLACE,
    TIME,
    WEEKDAY,
    sort_of_all,
)
from helix.memory.judgement.wording import LIGHT, MODALS, NEGATIONS, PREPOSITIONS, listed

_LONGEST = 80
"""words of a statement that are aligned; longer ones are no statements"""

_LONGEST_VALUE = 3

# What happened, and what was seen to happen under some condition, stays true when it happens under another.
_HAPPENED = listed(
    "was went met had did yesterday today tonight failed shipped broke came took gave said told saw found"
    " left began incident fail crash bug wrong broken flaky occur hang reproduce break tested"
)
_CONDITIONS = listed("with at for over under above below in")
_SWITCH = re.compile(
    r"\b(?:from (?P<old>\S+(?: \S+)?) to (?P<new>\S+)|(?:instead of|rather than|replacing) (?P<left>\S+))"
)
_SWITCHED = listed("switched switch moved migrated changed replaced went move")
_SWITCHING = listed(
    "switched switch moved move migrated migrate changed change replaced replace went from to instead of"
    " rather than replacing back was since use been have has ="
)


def find_change(new: Statement, old: Statement, kind: str) -> str | None:
    """What changed, in plain words; None if this is no change of value."""
    if kind == "event" or max(len(new.words), len(old.words)) > _LONGEST:
        return None  # what happened stays true
    if kind != "task" and not new.in_code:
        if flipped := _negated(new, old):
            return flipped
        if switched := _switched(new, old):
            return switched
    if _is_past(old):
        return None
    return _other_value(new, old, kind)


def _other_value(new: Statement, old: Statement, kind: str) -> str | None:
    mine, theirs = _essential(new), _essential(old)
    changes: list[str] = []
    sorts: list[str] = []
    for old_start, old_end, new_start, new_end in _differences(theirs, mine):
        before, after = theirs[old_start:old_end], mine[new_start:new_end]
        sort = _common_sort(before, after)
        where = theirs[:old_start], theirs[old_end:]
        if sort is None or not is_value(sort, *where, in_code=new.in_code, kind=kind):
            return None
        if sort == NUMBER and sorts and theirs[old_start - 1].norm in _CONDITIONS:
            return None  # `90 s with 4 workers`, `60 s with 8 workers`: two measurements
        changes.append(f"{_as_written(before)} → {_as_written(after)}")
        sorts.append(sort)
    if len(sorts) > 1 and not _may_change_together(sorts, theirs, mine):
        return None
    return f"{', '.join(changes)} in the same sentence" if changes else None


def _differences(old: Sequence[Word], new: Sequence[Word]) -> list[tuple[int, int, int, int]]:
    """Where the two differ: word by word if they are equally long (`tabs over spaces`, `spaces over tabs`)."""
    old_norms, new_norms = [word.norm for word in old], [word.norm for word in new]
    if len(old_norms) == len(new_norms):
        found: list[tuple[int, int, int, int]] = []
        for place in range(len(old_norms)):
            if old_norms[place] != new_norms[place]:
                joined = bool(found) and found[-1][1] == place
                start = found.pop()[0] if joined else place
                found.append((start, place + 1, start, place + 1))
        return found
    opcodes = SequenceMatcher(None, old_norms, new_norms, autojunk=False).get_opcodes()
    return [places for what, *places in opcodes if what != "equal"]  # type: ignore[misc]


def _may_change_together(sorts: Sequence[str], old: Sequence[Word], new: Sequence[Word]) -> bool:
    """Numbers and days may, and `tabs over spaces` turned round. `2 spaces in JSON`, `4 spaces in YAML` are two."""
    if all(sort in (NUMBER, TIME, DATE, WEEKDAY, MONTH) for sort in sorts):
        return True
    return sorted(word.norm for word in old) == sorted(word.norm for word in new)


def _essential(statement: Statement) -> list[Word]:
    return [word for word in statement.words if word.norm not in LIGHT or word.norm in ("a", "an")]


def _common_sort(before: Sequence[Word], after: Sequence[Word]) -> str | None:
    if not before or not after or max(len(before), len(after)) > _LONGEST_VALUE:
        return None
    old_sort, new_sort = sort_of_all(before), sort_of_all(after)
    if old_sort == new_sort:
        return old_sort
    if {old_sort, new_sort} == {NUMBER, TIME}:
        return NUMBER
    if {old_sort, new_sort} <= {PLACE, CODE}:
        return CODE
    return None


def _is_past(statement: Statement) -> bool:
    """Something that happened. `Supported browsers are` is none, nor is `jobs are kept`."""
    norms = statement.norms
    if _HAPPENED.intersection(norms):
        return True
    return "=" not in norms and any(
        len(norm) > 4 and norm.endswith("ed") and norm.isalpha() for norm in norms
    )


def _negated(new: Statement, old: Statement) -> str | None:
    def stripped(statement: Statement) -> tuple[str, ...]:
        return tuple(norm for norm in statement.key if norm not in NEGATIONS and norm not in MODALS)

    mine = sum(norm in NEGATIONS for norm in new.key)
    theirs = sum(norm in NEGATIONS for norm in old.key)
    if mine == theirs or mine + theirs != 1 or len(stripped(new)) < 2 or stripped(new) != stripped(old):
        return None
    return "the new one says it is not so any more" if mine else "the new one says it is so after all"


def _switched(new: Statement, old: Statement) -> str | None:
    """`we switched from Jest to Vitest` after `we use Jest`."""
    found = _SWITCH.search(" ".join(new.norms))
    if found is None or _SWITCH.search(" ".join(old.norms)):
        return None
    left = found["left"] or found["old"]
    if not set(left.split()) <= set(old.key) or (found["old"] and _SWITCHED.isdisjoint(new.key)):
        return None
    gone = {*left.split(), *PREPOSITIONS, *_SWITCHING}
    mine = set(new.key) - gone - VERBS
    theirs = set(old.key) - gone - VERBS
    if not theirs or not theirs <= mine or len(mine - theirs) > 1 + bool(found["old"]):
        return None
    return f"the new one says it is no longer {left}"


def _as_written(words: Sequence[Word]) -> str:
    return " ".join(word.raw or word.norm for word in words)
