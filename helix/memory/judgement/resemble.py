"""How what is to be written resembles what is there: the same, the same with another value, near, or something else.

Only nearly the same text is the same memory, and only a clear change of value on the same subject replaces one. In
doubt both are kept and the caller is told; docs/decisions/010-write-decisions.md says why no threshold can do this.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from helix.memory.judgement.change import find_change
from helix.memory.judgement.statements import (
    LooseWords,
    ParsedText,
    Statement,
    Word,
    find_loose_words,
    is_reordered,
    parse_text,
)

_NEAR = 0.5
"""of the words in common; below that a memory is not worth naming"""
_LONGEST = 50_000
"""characters; a pasted file is the same to the word or another text, and nobody waits for more"""
_DIFFERING = 8
"""statements that may differ in a change of value; more is another text"""
_PLAIN_KINDS = frozenset({"fact", "preference", "decision"})
"""agents choose between these by mood; the other kinds are different things"""


class Verdict(StrEnum):
    SAME = "same"
    """merge"""
    CHANGED = "changed"
    """supersede"""
    NEAR = "near"
    """create, and name the other in the answer"""
    OTHER = "other"
    """create"""


@dataclass(frozen=True)
class ComparedMemory:
    """What two memories are compared by. It is taken apart once, however many others it is compared with."""

    title: str
    text: str
    kind: str = "fact"
    project: str | None = None
    tags: tuple[str, ...] = ()

    @cached_property
    def parsed(self) -> ParsedText:
        return parse_text(self.text)

    @cached_property
    def loose_words(self) -> LooseWords | None:
        return find_loose_words(f"{self.title}\n{self.text}")

    @property
    def is_parsed(self) -> bool:
        return "parsed" in vars(self)

    @cached_property
    def parsed_title(self) -> ParsedText:
        return parse_text(self.title)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return self.parsed.vocabulary | self.parsed_title.vocabulary


@dataclass(frozen=True)
class Resemblance:
    verdict: Verdict
    score: float
    """of words in common, from 0 to 1; for putting the near ones in order, not for deciding"""
    reason: str


def resemble(new: ComparedMemory, old: ComparedMemory) -> Resemblance:
    if new.project and old.project and new.project != old.project:
        return Resemblance(Verdict.OTHER, 0.0, "of another project")
    if new.text == old.text and new.title == old.title and new.kind == old.kind:
        return Resemblance(Verdict.SAME, 1.0, "the same text")
    if max(len(new.text), len(old.text)) > _LONGEST:
        is_same = new.kind == old.kind and new.text.split() == old.text.split()
        return (
            Resemblance(Verdict.SAME, 1.0, "the same text")
            if is_same
            else _apart(0.0, "too long to be compared")
        )
    if not old.is_parsed and is_surely_other(new, old):
        return _apart(0.0, "about something else")
    return _compare(new, old)


def _compare(new: ComparedMemory, old: ComparedMemory) -> Resemblance:
    mine, theirs = new.parsed, old.parsed
    titles = new.parsed_title, old.parsed_title
    score = _overlap(new.vocabulary, old.vocabulary)
    if not _is_one_kind(new.kind, old.kind):
        return _apart(score, f"a {new.kind} is no {old.kind}")
    if may_be_same(mine, theirs) and (reason := _find_sameness(mine, theirs, *titles)):
        return Resemblance(Verdict.SAME, 1.0, reason)
    if may_be_changed(mine, theirs) and (reason := _find_change(mine, theirs, *titles, new.kind)):
        return Resemblance(Verdict.CHANGED, score, reason)
    return _apart(score, "about similar things")


def _apart(score: float, reason: str) -> Resemblance:
    if score >= _NEAR:
        return Resemblance(Verdict.NEAR, score, reason)
    return Resemblance(Verdict.OTHER, score, "about something else")


def _is_one_kind(mine: str, theirs: str) -> bool:
    return mine == theirs or {mine, theirs} <= _PLAIN_KINDS


def _overlap(my_words: frozenset[str], their_words: frozenset[str]) -> float:
    shared = len(my_words & their_words)
    smaller = min(len(my_words), len(their_words))
    if not smaller:
        return 0.0
    if smaller <= 2:
        return 2 * shared / (len(my_words) + len(their_words))
    return _score(shared, len(my_words) + len(their_words), smaller)


def _score(shared: int, both: int, smaller: int) -> float:
    return max(2 * shared / both, 0.9 * (shared / smaller))


def is_surely_other(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Whether the words alone tell that the two have little in common, so that the old one is not taken apart.

    Most of what is compared is told apart here. It is never told otherwise than by a closer look: each test holds
    for every text that has these words.
    """
    theirs = old.loose_words
    if theirs is None or not theirs.certain_count:
        return False
    mine, words, possible = new.parsed, new.vocabulary, theirs.possible
    shared, smaller = len(words & possible), min(len(words), theirs.certain_count)
    if not smaller or _score(shared, len(words) + theirs.certain_count, smaller) >= _NEAR:
        return False
    if mine.vocabulary <= possible:
        return False  # it may be the same
    # A change of value leaves all but a few statements as they are.
    own = sum(not words_of <= possible for words_of in mine.vocabularies)
    return own > _DIFFERING


def may_be_same(mine: ParsedText, theirs: ParsedText) -> bool:
    """Whether it is worth a closer look: what says the same, or a part of it, has no word of its own."""
    return mine.vocabulary <= theirs.vocabulary


def may_be_changed(mine: ParsedText, theirs: ParsedText) -> bool:
    """Of two texts that differ in as many statements as the other, one makes as many as the other."""
    return len(mine.statements) == len(theirs.statements)


def _find_sameness(
    mine: ParsedText, theirs: ParsedText, my_title: ParsedText, their_title: ParsedText
) -> str | None:
    if not mine.flat or not theirs.flat or not _titles_agree(mine, theirs, my_title, their_title):
        return None
    if mine.flat == theirs.flat:
        return "the same but for the writing"
    only_mine, only_theirs = _differing(mine, theirs)
    if mine.is_ordered or theirs.is_ordered:
        return _find_moved_words(only_mine, only_theirs)
    if not only_mine and not only_theirs:
        return "the same in another order"
    if moved := _find_moved_words(only_mine, only_theirs):
        return moved
    if not only_mine and len(theirs.statements) <= 2 * len(mine.statements) and len(mine.flat) > 5:
        return "adds nothing to it"
    return None


def _find_moved_words(only_mine: list[Statement], only_theirs: list[Statement]) -> str | None:
    if not only_mine or not len(only_mine) == len(only_theirs) <= _DIFFERING:
        return None
    return "the same in another order" if all(map(is_reordered, only_mine, only_theirs)) else None


def _titles_agree(
    mine: ParsedText, theirs: ParsedText, my_title: ParsedText, their_title: ParsedText
) -> bool:
    """A title may hold the subject (`Owner of billing`: Ana), so its words have to be in the other one somewhere."""
    if my_title.flat == their_title.flat:
        return True
    my_words, their_words = my_title.vocabulary, their_title.vocabulary
    if (not my_words or not their_words) and len(mine.flat) > 5:
        return True
    return (my_words ^ their_words) <= (mine.vocabulary | theirs.vocabulary)


def _find_change(
    mine: ParsedText, theirs: ParsedText, my_title: ParsedText, their_title: ParsedText, kind: str
) -> str | None:
    only_mine, only_theirs = _differing(mine, theirs)
    if not only_mine or len(only_mine) != len(only_theirs) or len(only_mine) > _DIFFERING:
        return None
    reasons = []
    has_subject = my_title.flat == their_title.flat != ()
    for new, old in zip(only_mine, only_theirs, strict=True):
        reason = find_change(new, old, kind)
        if reason is None and has_subject:
            reason = find_change(_under(my_title, new), _under(their_title, old), kind)
        if reason is None and not is_reordered(new, old):
            return None
        reasons += [reason] if reason else []
    if not reasons or not (has_subject or _title_follows(mine, theirs, my_title, their_title, kind)):
        return None
    return "; ".join(reasons)


def _under(title: ParsedText, statement: Statement) -> Statement:
    """`Friday` under the title `Deploy day` says that the deploy day is Friday."""
    subject = [word for part in title.statements for word in part.words]
    return Statement((*subject, Word("=", ":"), *statement.words), statement.in_code)


def _title_follows(
    mine: ParsedText, theirs: ParsedText, my_title: ParsedText, their_title: ParsedText, kind: str
) -> bool:
    """Titles that differ may do so in the value, or in words that the text has too."""
    if _titles_agree(mine, theirs, my_title, their_title):
        return True
    my_claims, their_claims = my_title.statements, their_title.statements
    return (
        len(my_claims) == len(their_claims) == 1
        and find_change(my_claims[0], their_claims[0], kind) is not None
    )


def _differing(mine: ParsedText, theirs: ParsedText) -> tuple[list[Statement], list[Statement]]:
    """The statements that only one of the two makes, in their order."""
    return _without(mine, theirs), _without(theirs, mine)


def _without(mine: ParsedText, theirs: ParsedText) -> list[Statement]:
    left = Counter(statement.key for statement in theirs.statements)
    found = []
    for statement in mine.statements:
        if left[statement.key] > 0:
            left[statement.key] -= 1
        else:
            found.append(statement)
    return found
