"""Whether one statement gives another value to the subject of an earlier one.

No cosine tells `the API listens on 9090` from `the metrics listen on 9090`. The words that differ do: a change of
value differs in nothing but values, of the same sort, where values stand. Whatever
else differs is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from helix.memory.statements import Statement, Word
from helix.memory.values import (
    CODE,
    DATE,
    LANGUAGE,
    MONTH,
    NAME,
    NUMBER,
    PLACE,
    TIME,
    WEEKDAY,
    has_versions,
    sort_of,
    sort_of_all,
)
from helix.memory.wording import LIGHT, MODALS, NEGATIONS, PREPOSITIONS, listed

_LONGEST = 80
"""words of a statement that are aligned; longer ones are no statements"""

_LONGEST_VALUE = 3
# A thing may have, know or need several of these, so another one does not replace the first.
_COLLECTING = listed(
    "support supported like love enjoy speak know depend include contain install installed known"
    " available example can hold provide export call mean mentor see read such some another each ask add"
    " accept allow return expose open publish translated monitor offer integrate"
)
# `port 3000` measures; of any other noun the number is a name: `shard 2`, `tenant 12`, `build 512`.
_MEASURED = listed(
    "port version size limit timeout ttl length count number max min rate retention budget threshold"
    " quota delay priority weight height width depth interval age last least most about ca exactly only"
    " nearly almost up first top"
)
_HAPPENED = listed(
    "was went met had did yesterday today tonight failed shipped broke came took gave said told saw found"
    " left began incident"
)
_ROLE_VERBS = listed("own maintain lead manage coordinate chair")
_ROLE_NOUNS = listed(
    "owner maintainer lead manager contact on-call oncall responsible head captain chair champion"
)
_PLACING = listed(
    "live run go point default host hosted store stored listen cut deploy deployed move found kept"
    " located sit reside name named called write written build built render rendered send sent"
)
_VERBS = (
    _PLACING
    | _ROLE_VERBS
    | listed(
        "use done made need have has get keep expire start end take cost retry last want prefer pin stay scrape require"
        " allow accept serve return wait poll sync refresh rotate close open handle process manage set bind"
        " connect belong report escalate happen"
    )
)
_FORWARDING = listed("go report escalate belong assigned assign talk write")
_DEADLINE = listed("by until till due before on")
_SWITCH = re.compile(
    r"\b(?:from (?P<old>\S+(?: \S+)?) to (?P<new>\S+)|(?:instead of|rather than|replacing) (?P<left>\S+))"
)
_SWITCHED = listed("switched switch moved migrated changed replaced went move")
_SCHEDULED = listed(
    "start end begin expire launch planned scheduled due by until till freeze release close open"
)
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
        if sort is None or not _is_value(sort, *where, in_code=new.in_code, kind=kind):
            return None
        changes.append(f"{_said(before)} → {_said(after)}")
        sorts.append(sort)
    if len(sorts) > 1 and not _may_change_together(sorts, theirs, mine):
        return None
    return f"{', '.join(changes)} in the same sentence" if changes else None


def _differences(old: Sequence[Word], new: Sequence[Word]) -> list[tuple[int, int, int, int]]:
    """Where the two differ: word by word if they are equally long (`tabs over spaces`, `spaces over tabs`)."""
    one, other = [word.norm for word in old], [word.norm for word in new]
    if len(one) == len(other):
        found: list[tuple[int, int, int, int]] = []
        for place in range(len(one)):
            if one[place] != other[place]:
                joined = bool(found) and found[-1][1] == place
                start = found.pop()[0] if joined else place
                found.append((start, place + 1, start, place + 1))
        return found
    opcodes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
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
    one, other = sort_of_all(before), sort_of_all(after)
    if one == other:
        return one
    if {one, other} == {NUMBER, TIME}:
        return NUMBER
    if {one, other} <= {PLACE, CODE}:
        return CODE
    return None


def _is_value(sort: str, before: Sequence[Word], after: Sequence[Word], *, in_code: bool, kind: str) -> bool:
    """Whether what changed stands where a value stands, and not where the subject does."""
    norms, following = [word.norm for word in before], [word.norm for word in after]
    content = [
        norm for norm in norms if norm not in PREPOSITIONS and norm not in LIGHT and norm not in ("=", ",")
    ]
    if kind == "task":
        return sort in (DATE, TIME, NUMBER, WEEKDAY, MONTH) and bool(norms) and norms[-1] in _DEADLINE
    if in_code or _is_setting(before, after):
        return len(content) == 1 and norms[-1] == "=" and not after
    if _is_one_of_many(norms) or not NEGATIONS.isdisjoint((*norms, *following)):
        return False  # `a job runs at 2`, `do not deploy on Fridays`: there may be others
    if sort == NAME:
        return _is_person_in_charge(before, content, following)
    if sort == NUMBER and _is_version(norms, following):
        return True
    if not content or ("=" in following and "=" not in norms):
        return False  # a subject
    if sort == NUMBER:
        return _is_measured(norms, content, following)
    if sort == TIME:
        return "=" in norms or not _VERBS.isdisjoint(norms)
    if sort == DATE:
        return norms[-1] in (*PREPOSITIONS, "=") and ("=" in norms or not _SCHEDULED.isdisjoint(norms))
    if not _COLLECTING.isdisjoint(norms):
        return False
    if sort.startswith("family "):
        return _is_after_verb(norms) or norms[-1] == "over" or (sort == LANGUAGE and norms[-1] == "in")
    return sort in (PLACE, CODE) and _is_after_verb(norms, _PLACING)


def _is_after_verb(norms: list[str], verbs: frozenset[str] = frozenset()) -> bool:
    """`is X`, `runs on X`, `is done in X`; but not `is 10 on X`, where X says for what."""
    if norms[-1] not in PREPOSITIONS:
        return norms[-1] == "=" or (not verbs and _is_verb(norms[-1], _VERBS))
    return len(norms) > 1 and (norms[-2] == "=" or _is_verb(norms[-2], verbs or _VERBS))


def _is_verb(norm: str, verbs: frozenset[str]) -> bool:
    return norm in verbs or (len(norm) > 4 and norm.endswith("ed"))


def _is_setting(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """`LOG_LEVEL = info`"""
    return len(before) == 2 and before[1].norm == "=" and not after and sort_of(before[0]) in (CODE, PLACE)


def _is_measured(norms: list[str], content: list[str], following: list[str]) -> bool:
    is_count = bool(following) and following[0] not in _VERBS and following[0] not in PREPOSITIONS
    if not _COLLECTING.isdisjoint(norms) and not is_count:
        return False  # `allows port 8080`, but `allows 3 projects` is a measure
    last = norms[-1]
    if last in ("=", "of", *PREPOSITIONS) or last in _VERBS or last in _MEASURED:
        return True
    if has_versions(last) or last[0] == "-":  # Postgres 14, pytest -n 4
        return True
    return is_count and len(content) > 1


def _is_version(norms: list[str], following: list[str]) -> bool:
    """`Node 18 is required`, but not `node 1 of the cluster`."""
    return len(norms) == 1 and has_versions(norms[0]) and bool(following) and following[0] != "of"


def _is_one_of_many(norms: list[str]) -> bool:
    return bool(norms) and norms[0] in ("a", "an", "1")


def _is_person_in_charge(before: Sequence[Word], content: list[str], following: list[str]) -> bool:
    norms = [word.norm for word in before]
    if not norms:  # Ana owns billing; Ana is the lead for search
        verb = following[0] if following else ""
        if verb == "review":
            return "all" in following or "every" in following
        return verb in _ROLE_VERBS or (verb == "=" and _is_role(following[1:4]))
    if norms[-1] == "=":
        return (
            before[-1].raw != "are"
            and _COLLECTING.isdisjoint(norms)
            and (_is_role(content) or len(content) > 1)
        )
    return norms[-1] == "to" and not _FORWARDING.isdisjoint(norms)


def _is_role(norms: list[str]) -> bool:
    return (
        norms[:1] != ["a"]
        and norms[:1] != ["an"]
        and norms[0] not in PREPOSITIONS
        and not _ROLE_NOUNS.isdisjoint(norms)
    )


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
    mine = set(new.key) - gone - _VERBS
    theirs = set(old.key) - gone - _VERBS
    if not theirs or not theirs <= mine or len(mine - theirs) > 1 + bool(found["old"]):
        return None
    return f"the new one says it is no longer {left}"


def _said(words: Sequence[Word]) -> str:
    return " ".join(word.raw or word.norm for word in words)
