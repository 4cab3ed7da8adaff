"""Where in a statement a value stands: after `is`, `on`, `uses`; not in the subject, and not where it says for what.

What is refused here is kept as a second memory, which a person can clean up. What is wrongly let through hides a
memory that was right. So the lists of what may be a value are short, and the lists of what is none are long.
"""

from __future__ import annotations

from collections.abc import Sequence

from helix.memory.judgement.statements import Word
from helix.memory.judgement.values import (
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
)
from helix.memory.judgement.wording import LIGHT, NEGATIONS, PREPOSITIONS, listed

# A thing may have, know or need several of these, so another one does not replace the first.
_COLLECTING = listed(
    "support supported like love enjoy speak know depend include contain install installed known"
    " available example can hold provide export call mean mentor see read such some another each ask add"
    " accept allow return expose open publish translated monitor offer integrate allowed entry sample"
    " useful link reference resource relevant failing affected related suspicious interesting"
)
# `port 3000` measures; of any other noun the number is a name: `shard 2`, `tenant 12`, `build 512`.
_MEASURED = listed(
    "port version size limit timeout ttl length count number max min minimum rate retention budget threshold"
    " quota delay priority weight height width depth interval age last least most about ca exactly only"
    " nearly almost up first top"
)
_ROLE_VERBS = listed("own maintain lead coordinate chair")
_ROLE_NOUNS = listed(
    "owner maintainer lead manager contact on-call oncall responsible head captain chair champion"
)
_PLACING = listed(
    "live run point default host hosted store stored listen cut deploy deployed kept located sit reside go"
)
VERBS = (
    _PLACING
    | _ROLE_VERBS
    | listed(
        "write written build built render rendered send sent use done made need have has get keep"
        " expire start end take cost retry last want prefer pin stay scrape require allow accept"
        " serve return wait poll sync refresh rotate close open handle process manage set bind"
        " connect belong report escalate happen"
    )
)
_IN_USE = listed("required need used what minimum default deployed installed")
_FORWARDING = listed("go report escalate belong assigned assign talk write")
_DEADLINE = listed("by until till due before on")
_SCHEDULED = listed(
    "start end begin expire launch planned scheduled due by until till freeze release close open"
)


def is_value(sort: str, before: Sequence[Word], after: Sequence[Word], *, in_code: bool, kind: str) -> bool:
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
    if sort != NUMBER and _is_entry(before, after):
        return False
    if sort == NAME:
        return _is_person_in_charge(before, content, following)
    if sort == NUMBER and _is_version(norms, following):
        return True
    if not content or _is_subject(norms, following):
        return False
    if sort == NUMBER:
        return _is_measured(norms, content, following)
    if sort == TIME:
        return _has_predicate(norms) and _COLLECTING.isdisjoint(norms)
    if sort == DATE:
        return _is_scheduled(norms)
    if not _COLLECTING.isdisjoint(norms):
        return False
    if sort.startswith("family "):
        return _is_after_verb(norms) or norms[-1] == "over" or (sort == LANGUAGE and norms[-1] == "in")
    return sort in (PLACE, CODE) and _is_after_verb(norms, _PLACING)


def _is_after_verb(norms: list[str], verbs: frozenset[str] = frozenset()) -> bool:
    """`is X`, `runs on X`, `is done in X`; but not `is 10 on X`, where X says for what."""
    if norms[-1] not in PREPOSITIONS:
        return norms[-1] == "=" or (not verbs and _is_verb(norms[-1], VERBS))
    return len(norms) > 1 and (norms[-2] == "=" or _is_verb(norms[-2], verbs or VERBS))


def _has_predicate(norms: list[str]) -> bool:
    return "=" in norms or not VERBS.isdisjoint(norms)


def _is_subject(norms: list[str], following: list[str]) -> bool:
    if "=" in following and "=" not in norms:
        return True
    return _has_predicate(following) and not _has_predicate(norms)


def _is_entry(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """`Holidays: 25 April` is one of a list, and `Sync with design: dark theme first` a remark under a heading."""
    at = next((place for place, word in enumerate(before) if word.raw == ":"), None)
    if at is None:
        return False
    return bool(after) or any(word.raw.lower() == f"{word.norm}s" for word in before[:at])


def _is_verb(norm: str, verbs: frozenset[str]) -> bool:
    return norm in verbs or (len(norm) > 4 and norm.endswith("ed"))


def _is_scheduled(norms: list[str]) -> bool:
    """`is on 3 May`, `ends on 3 May`; but `Ana is out on 3 May` may be so on other days too."""
    if norms[-1] == "=":
        return True
    return norms[-1] in PREPOSITIONS and (norms[-2] == "=" or not _SCHEDULED.isdisjoint(norms))


def _is_setting(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """`LOG_LEVEL = info`"""
    return len(before) == 2 and before[1].norm == "=" and not after and sort_of(before[0]) in (CODE, PLACE)


def _is_measured(norms: list[str], content: list[str], following: list[str]) -> bool:
    is_count = bool(following) and following[0] not in VERBS and following[0] not in PREPOSITIONS
    if not _COLLECTING.isdisjoint(norms) and not is_count:
        return False  # `allows port 8080`, but `allows 3 projects` is a measure
    last = norms[-1]
    if last in ("=", "of", *PREPOSITIONS) or last in VERBS or last in _MEASURED:
        return True
    if has_versions(last) or last[0] == "-":  # Postgres 14, pytest -n 4
        return True
    return is_count and len(content) > 1


def _is_version(norms: list[str], following: list[str]) -> bool:
    """`Node 18 is required`; but `Node 18 is slow` stays true of Node 18, and `node 1 of the cluster` is a thing."""
    if len(norms) != 1 or not has_versions(norms[0]):
        return False
    return following[:1] == ["run"] or (following[:1] == ["="] and not _IN_USE.isdisjoint(following[1:3]))


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
    """`is the lead`, but not `is a lead` nor `is in the lead's team`."""
    return bool(norms) and norms[0] not in ("a", "an", *PREPOSITIONS) and not _ROLE_NOUNS.isdisjoint(norms)
