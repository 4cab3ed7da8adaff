"""Whether one statement gives another value to the subject of an earlier one.

No cosine tells `the API listens on 9090` from `the metrics listen on 9090`. The words that differ do: a change of
value differs in nothing but values, of the same sort, where values stand. Whatever else differs is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from helix.memory.statements import Statement, Word
from helix.memory.values import (
    CODE,
    DATE,
    NAME,
    NUMBER,
    PLACE,
    TIME,
    has_versions,
    sort_of,
    sort_of_all,
)
from helix.memory.wording import LIGHT, MODALS, NEGATIONS, PREPOSITIONS

_LONGEST = 80
"""words of a statement that are aligned; longer ones are no statements"""

_LONGEST_VALUE = 3
# A thing may have, know or need several of these, so another one does not replace the first.
_COLLECTING = frozenset(
    [
        "support",
        "supported",
        "supports",
        "like",
        "love",
        "enjoy",
        "speak",
        "know",
        "depend",
        "dependency",
        "include",
        "contain",
        "install",
        "installed",
        "known",
        "available",
        "example",
        "can",
        "hold",
        "provide",
        "export",
        "call",
        "mean",
        "means",
        "mentor",
        "see",
        "read",
        "also",
        "extension",
        "plugin",
        "feature",
        "such",
        "some",
        "another",
        "each",
        "alias",
        "synonym",
        "keyword",
        "glossary",
        "shortcut",
        "step",
        "todo",
        "ask",
        "tip",
        "option",
        "add",
    ]
)
# `shard 2` names a thing; its number is no value of it.
_LABELS = frozenset(
    [
        "shard",
        "phase",
        "sprint",
        "step",
        "milestone",
        "issue",
        "ticket",
        "bug",
        "pr",
        "mr",
        "build",
        "release",
        "version",
        "chapter",
        "part",
        "section",
        "level",
        "tier",
        "node",
        "host",
        "replica",
        "worker",
        "team",
        "group",
        "room",
        "floor",
        "error",
        "code",
        "http",
        "status",
        "exit",
        "line",
        "page",
        "figure",
        "table",
        "case",
        "test",
        "scenario",
        "round",
        "week",
        "item",
        "task",
        "story",
        "epic",
        "adr",
        "rfc",
        "cve",
        "job",
        "attempt",
        "experiment",
        "option",
        "variant",
        "zone",
        "rack",
        "slot",
        "partition",
        "question",
    ]
)
_HAPPENED = frozenset(
    [
        "was",
        "went",
        "met",
        "had",
        "did",
        "yesterday",
        "today",
        "tonight",
        "failed",
        "shipped",
        "broke",
        "came",
        "took",
        "gave",
        "said",
        "told",
        "saw",
        "found",
        "left",
        "began",
        "incident",
    ]
)
_ROLE_VERBS = frozenset(["own", "maintain", "review", "lead", "manage", "coordinate", "approve", "chair"])
_ROLE_NOUNS = frozenset(
    [
        "owner",
        "maintainer",
        "lead",
        "manager",
        "contact",
        "reviewer",
        "on-call",
        "oncall",
        "responsible",
        "head",
        "captain",
        "chair",
        "approver",
        "champion",
        "author",
        "admin",
    ]
)
_PLACING = frozenset(
    [
        "live",
        "run",
        "go",
        "point",
        "default",
        "host",
        "hosted",
        "store",
        "stored",
        "listen",
        "cut",
        "deploy",
        "deployed",
        "move",
        "found",
        "kept",
        "located",
        "sit",
        "reside",
        "name",
        "named",
        "called",
        "write",
        "written",
        "build",
        "built",
        "render",
        "rendered",
        "send",
        "sent",
    ]
)
_VERBS = (
    _PLACING
    | _ROLE_VERBS
    | frozenset(
        [
            "use",
            "need",
            "have",
            "has",
            "get",
            "keep",
            "expire",
            "start",
            "end",
            "take",
            "cost",
            "retry",
            "last",
            "want",
            "prefer",
            "pin",
            "stay",
            "scrape",
            "require",
            "allow",
            "accept",
            "serve",
            "return",
            "wait",
            "poll",
            "sync",
            "refresh",
            "rotate",
            "close",
            "open",
            "handle",
            "process",
            "manage",
            "set",
            "bind",
            "connect",
            "belong",
            "report",
            "escalate",
            "happen",
        ]
    )
)
_FORWARDING = frozenset(["go", "report", "escalate", "belong", "assigned", "assign", "talk", "write"])
_DEADLINE = frozenset(["by", "until", "till", "due", "before", "on"])
_SWITCH = re.compile(
    r"\b(?:from (?P<old>\S+(?: \S+)?) to (?P<new>\S+)|(?:instead of|rather than|replacing) (?P<left>\S+))"
)
_SWITCHING = frozenset(
    [
        "switched",
        "switch",
        "moved",
        "move",
        "migrated",
        "migrate",
        "changed",
        "change",
        "replaced",
        "replace",
        "went",
        "from",
        "to",
        "instead",
        "of",
        "rather",
        "than",
        "replacing",
        "back",
        "was",
        "since",
        "use",
        "been",
        "have",
        "has",
        "=",
    ]
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
    for old_start, old_end, new_start, new_end in _differences(theirs, mine):
        before, after = theirs[old_start:old_end], mine[new_start:new_end]
        sort = _common_sort(before, after)
        where = theirs[:old_start], theirs[old_end:]
        if sort is None or not _is_value(sort, *where, in_code=new.in_code, kind=kind):
            return None
        changes.append(f"{_said(before)} → {_said(after)}")
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
    norms = [word.norm for word in before]
    content = [
        norm for norm in norms if norm not in PREPOSITIONS and norm not in LIGHT and norm not in ("=", ",")
    ]
    if kind == "task":
        return (
            sort in (DATE, TIME, NUMBER, "family monday", "family january")
            and bool(norms)
            and norms[-1] in _DEADLINE
        )
    if in_code or _is_setting(before, after):
        return len(content) == 1 and norms[-1] == "=" and not after
    is_subject = "=" in (word.norm for word in after) and "=" not in norms
    if sort in (NUMBER, TIME):
        return (not is_subject and _is_measured(norms, content)) or _is_version(norms, after)
    if is_subject and sort != NAME:
        return False
    if sort == DATE:
        return bool(content) and norms[-1] in (*PREPOSITIONS, "=")
    if _COLLECTING.intersection(norms) or _is_one_of_many(before):
        return False
    if sort.startswith("family "):
        return bool(content) and (
            "=" in norms or bool(_VERBS.intersection(norms)) or bool(PREPOSITIONS.intersection(norms))
        )
    if sort == NAME:
        return _is_person_in_charge(norms, content, after)
    if sort in (PLACE, CODE):
        return (
            bool(content)
            and ("=" in norms or bool(_PLACING.intersection(norms)))
            and norms[-1] in ("=", "at", "in", "to", "on", "from", "under")
        )
    return False


def _is_setting(before: Sequence[Word], after: Sequence[Word]) -> bool:
    """`LOG_LEVEL = info`"""
    return len(before) == 2 and before[1].norm == "=" and not after and sort_of(before[0]) in (CODE, PLACE)


def _is_measured(norms: list[str], content: list[str]) -> bool:
    if not content or (norms[-1] in _LABELS and "=" not in norms):
        return False
    if "=" in norms or PREPOSITIONS.intersection(norms) or _VERBS.intersection(norms):
        return True
    return len(content) > 1


def _is_version(norms: list[str], after: Sequence[Word]) -> bool:
    """`Node 18 is required`, but not `node 1 of the cluster`."""
    return bool(norms) and has_versions(norms[-1]) and bool(after) and after[0].norm != "of"


def _is_one_of_many(before: Sequence[Word]) -> bool:
    return bool(before) and before[0].norm in ("a", "an", "1")


def _is_person_in_charge(norms: list[str], content: list[str], after: Sequence[Word]) -> bool:
    following = [word.norm for word in after]
    if not content:  # Ana owns billing; Ana is the lead for search
        return bool(following) and (
            following[0] in _ROLE_VERBS
            or (following[0] == "=" and bool(_ROLE_NOUNS.intersection(following[1:4])))
        )
    if norms[-1] == "=":
        return bool(_ROLE_NOUNS.intersection(content)) or len(content) > 1 or norms[0] == "the"
    return norms[-1] == "to" and bool(_FORWARDING.intersection(norms))


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
    if left not in " ".join(old.key):
        return None
    gone = {*left.split(), *PREPOSITIONS, *_SWITCHING}
    mine = set(new.key) - gone - _VERBS
    theirs = set(old.key) - gone - _VERBS
    if not theirs or not theirs <= mine or len(mine - theirs) > 1 + bool(found["old"]):
        return None
    return f"the new one says it is no longer {left}"


def _said(words: Sequence[Word]) -> str:
    return " ".join(word.raw or word.norm for word in words)
