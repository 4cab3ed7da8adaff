"""A text as the statements it makes: sentences, lines and list entries, in words that can be compared.

Case, accents, markdown, quotes, dashes, contractions, plurals, units and the spelling of dates and numbers are gone
afterwards. Everything here is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from helix.index.analyze import fold
from helix.memory.judgement.wording import (
    CLOSINGS,
    FILLERS,
    HEADINGS,
    LIGHT,
    OPENINGS,
    PREPOSITIONS,
    PRONOUNS,
    SAME,
    SEQUENCE,
    singular,
    spelled_out,
)

LONGEST = 400_000
"""characters that are looked at; a memory is never that long, a pasted file may be"""

_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "—": ",", "–": "-", "\u00a0": " "}
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_MARKS = re.compile(r"\*\*|__|[*\"]|(?<!\w)'|'(?!\w)|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_LINE_START = re.compile(
    r"^[ \t]*(?:(#{1,6})(?=\s)|>|[-*+•](?=\s)(?:[ \t]+\[ \])?|(\d{1,3})[.)](?=\s))[ \t]*"
)
# What it may begin with stands first: it is looked for at every letter.
_ENDS = re.compile(r"(?=[\s;。！？；।.…])(?:(?<=[^\s.][.!?])\s+(?=\S)|;\s|[。！？；।]|\.{3}|…)")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:[a-z]{1,6})?\.?"
_HAS_MONTH = re.compile("Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (\d{{4}}))?\b")
_MONTH_FIRST = re.compile(rf"\b{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b(?!:)")

_UNSPACED = r"\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_PART = rf"[^\W{_UNSPACED}]"
_TOKEN = re.compile(
    r"[A-Za-z][A-Za-z+]{1,9}://[^\s<>()]{1,300}"
    r"|\d{1,3}(?:,\d{3})+(?![\d,])"
    rf"|[-./#$€£~@]{{0,3}}{_PART}+(?:[-./:@+~'&]{{1,2}}{_PART}+)*(?:\+\+|#|/)?"
    rf"|[{_UNSPACED}]"
    r"|[,:%?+^|≤≥≠±←→↑↓✅❌✔✖✗☑👍👎🔴🟢🟡🟠🔵⚪⚫🟥🟩🟨⬆⬇➕➖🚫⛔]|[=<>]{1,2}|!=|\[[xX]\]"
)
_CODE_TOKEN = re.compile(rf"{_TOKEN.pattern}|[^\s\w;]")
_MEASURE = re.compile(r"([$€£]?\d+(?:\.\d+)?)(ms|s|sec|min|h|d|kb|mb|gb|tb|kib|mib|gib|am|pm|px|k|x|m)")
_VERSION = re.compile(r"v(\d+(?:\.\d+)*)")
_SEPARATORS = frozenset({",", "and", "or", "&"})
# What makes of a text other words than those between its spaces: code, quotations and unusual ends of sentences.
_UNCLEAR = re.compile(r"[`>。！？；।…]|\.{3}|~~~")
# The words of a vault are few, and each is met again and again. A long one is a URL or a key that is met once.
_KNOWN_CHUNKS = 8_192
_LONGEST_KNOWN = 40
_COURTEOUS = OPENINGS | HEADINGS | CLOSINGS | {"you", ","}
_NOT_COMPARED = LIGHT | {"=", ",", "and", "of", ":"}


@dataclass(frozen=True, slots=True)
class Word:
    norm: str
    """what is compared"""
    raw: str
    """as it was written, for what only the writing shows: names, identifiers, the reason given to a person"""


@dataclass(frozen=True)
class Statement:
    words: tuple[Word, ...]
    """with the small words, because they show which word is the subject and which the value"""
    in_code: bool = False
    is_ordered: bool = False
    """it means something else in another place: a step, a heading, a line of code, `it runs on 8080`"""

    @cached_property
    def norms(self) -> tuple[str, ...]:
        return tuple([word.norm for word in self.words])

    @cached_property
    def key(self) -> tuple[str, ...]:
        """What has to be equal for two statements to be the same."""
        return tuple([norm for norm in self.norms if norm not in _NOT_COMPARED])


@dataclass(frozen=True)
class ParsedText:
    """A text as the statements that it makes."""

    statements: tuple[Statement, ...] = field(default=())

    @cached_property
    def flat(self) -> tuple[str, ...]:
        return tuple(norm for statement in self.statements for norm in statement.key)

    @cached_property
    def is_ordered(self) -> bool:
        return any(statement.is_ordered for statement in self.statements)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.flat) - PREPOSITIONS

    @cached_property
    def vocabularies(self) -> list[frozenset[str]]:
        """Of each statement."""
        return [frozenset(statement.key) - PREPOSITIONS for statement in self.statements]


def parse_text(text: str) -> ParsedText:
    text = text[:LONGEST].translate(_QUOTES)
    found: list[Statement] = []
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
            continue
        if in_code:
            found.append(Statement(tuple(_code_words(line)), in_code=True, is_ordered=True))
            continue
        start = _LINE_START.match(line)
        has_place = (start is not None and (start[1] or start[2]) is not None) or line.rstrip().endswith(":")
        for piece in _ENDS.split(_with_dates(line[start.end() :] if start else line)):
            words = _words(piece)
            norms = [word.norm for word in words]
            moves = has_place or not SEQUENCE.isdisjoint(norms)
            moves = moves or (bool(norms) and norms[0] in PRONOUNS)
            found.append(Statement(_canonical(words, norms), is_ordered=moves))
    return ParsedText(tuple(statement for statement in found if statement.key))


def _has_dates(text: str) -> bool:
    if _HAS_MONTH.search(text) is None or not any(digit in text for digit in "0123456789"):
        return False
    return _DAY_FIRST.search(text) is not None or _MONTH_FIRST.search(text) is not None


def _with_dates(text: str) -> str:
    """`3rd of March 2026` and `March 3, 2026` as 2026-03-03, and without the year as 03-03."""
    if _HAS_MONTH.search(text) is None or not any(digit in text for digit in "0123456789"):
        return text
    text = _DAY_FIRST.sub(lambda found: _date(found[3], found[2], found[1]), text)
    return _MONTH_FIRST.sub(lambda found: _date(found[3], found[1], found[2]), text)


def _date(year: str | None, month: str, day: str) -> str:
    return f"{year + '-' if year else ''}{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}"


def _words(piece: str) -> tuple[Word, ...]:
    """Between backticks there is code, of which no word is changed."""
    found: list[Word] = []
    for place, part in enumerate(piece.split("`")):
        if place % 2:
            found += _code_words(part)
            continue
        for chunk in spelled_out(part).split():
            found += _known_words(chunk) if len(chunk) <= _LONGEST_KNOWN else _words_in(chunk)
    return tuple(_without_courtesies(found))


def _words_in(chunk: str) -> tuple[Word, ...]:
    """What stands between two spaces: no mark and no word reaches over one."""
    if (letters := _only_letters(chunk)) is not None:
        norm = _known_or_singular(letters.lower())
        return () if norm in FILLERS else (Word(norm, letters),)
    tokens = _TOKEN.findall(_MARKS.sub("", chunk))
    return tuple([word for token in tokens for word in _word(token) if word.norm not in FILLERS])


def _norms_in(chunk: str) -> tuple[str, ...]:
    if (letters := _only_letters(chunk)) is not None:
        norm = _known_or_singular(letters.lower())
        return () if norm in FILLERS else (norm,)
    return tuple([word.norm for word in _words_in(chunk)])


def _only_letters(chunk: str) -> str | None:
    """A plain word, which most are, perhaps with the full stop behind it that is no word."""
    letters = chunk[:-1] if chunk.endswith(".") else chunk
    return letters if letters.isascii() and letters.isalpha() else None


def _known_or_singular(norm: str) -> str:
    single = singular(norm)
    return SAME.get(norm) or SAME.get(single) or single


_known_words = lru_cache(_KNOWN_CHUNKS)(_words_in)
_known_norms = lru_cache(_KNOWN_CHUNKS)(_norms_in)


def _without_courtesies(words: list[Word]) -> list[Word]:
    if not words or (words[0].norm not in _COURTEOUS and words[-1].norm not in _COURTEOUS):
        return words
    norms = [word.norm for word in words]
    start, end = 0, len(words)
    while start < end:
        if norms[start] in HEADINGS and norms[start + 1 : start + 2] in (["="], [","]):
            start += 2
        elif norms[start] in OPENINGS or norms[start] == ",":
            start += 1
        else:
            break
    while (
        end > start and norms[end - 1] in ("you", *CLOSINGS) and not CLOSINGS.isdisjoint(norms[end - 2 : end])
    ):
        end -= 1
    return words[start:end]


def _code_words(line: str) -> list[Word]:
    """`users` is no `user` here, and signs count."""
    return [
        Word("=" if token in (":", "==") else fold(_path(token)), token)
        for token in _CODE_TOKEN.findall(line)
    ]


def _path(token: str) -> str:
    return token.removeprefix("./").rstrip("/") or token


def _word(token: str) -> tuple[Word, ...]:
    raw = _path(token)
    norm = fold(raw)
    if norm.isalpha():
        return (Word(_known_or_singular(norm), raw),)
    if norm in (":", "=", "=="):
        return (Word("=", raw),)
    if "," in norm and len(norm) > 1:
        norm = norm.replace(",", "")
    if measure := _MEASURE.fullmatch(norm):
        return (Word(measure[1], measure[1]), Word(SAME.get(measure[2], measure[2]), ""))
    if version := _VERSION.fullmatch(norm):
        norm = version[1]
    return (Word(SAME.get(norm, norm), raw),)


@dataclass(frozen=True)
class LooseWords:
    """The words of a text that was not taken apart: its vocabulary lies between the certain and the possible."""

    found: frozenset[str]
    certain_count: int

    @property
    def possible(self) -> frozenset[str]:
        return self.found | _MADE_OF_OTHERS

    @property
    def certain(self) -> set[str]:
        return _certain(self.found)


def find_loose_words(text: str) -> LooseWords | None:
    """For a small part of what `parse_text` costs; None where only that can tell."""
    if _UNCLEAR.search(text) is not None or _has_dates(text):
        return None
    chunks = set(spelled_out(text[:LONGEST].translate(_QUOTES)).split())
    long = {chunk for chunk in chunks if len(chunk) > _LONGEST_KNOWN}
    found: set[str] = set().union(*map(_known_norms, chunks - long), *map(_norms_in, long))
    return LooseWords(frozenset(found), len(_certain(found)))


def _certain(found: AbstractSet[str]) -> set[str]:
    # The number of a list entry is no word of it.
    return {norm for norm in found if norm not in _UNCERTAIN and not (len(norm) <= 3 and norm.isdecimal())}


_ROLES = {"owner": "own", "maintainer": "maintain"}
_PASSIVES = {
    "owned": "own",
    "maintained": "maintain",
    "reviewed": "review",
    "led": "lead",
    "managed": "manage",
}


_MADE_OF_OTHERS = frozenset((*_ROLES.values(), *_PASSIVES.values()))
# Left out of a vocabulary, of a statement, or of the line; or made into another word.
_UNCERTAIN = _NOT_COMPARED | PREPOSITIONS | _COURTEOUS | _ROLES.keys() | _PASSIVES.keys() | {"+"}


def _canonical(words: tuple[Word, ...], norms: Sequence[str]) -> tuple[Word, ...]:
    """One order for what can be said in several: `the port of the API` is `the API port`."""
    if "=" in norms:
        at = norms.index("=")
        subject, value = words[:at], words[at + 1 :]
        if passive := _without_passive(subject, value):
            return passive
        if "of" in norms[:at] or "for" in norms[:at]:
            words = (*_genitive(subject), *words[at:])
    return _phrase_last(words)


def _without_passive(subject: tuple[Word, ...], value: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """`X is owned by Ana`, `Ana is the owner of X` and `the owner of X is Ana` are `Ana owns X`."""
    value = _bare(value)
    if len(value) > 2 and value[0].norm in _PASSIVES and value[1].norm == "by":
        return (*value[2:], Word(_PASSIVES[value[0].norm], value[0].raw), *subject)
    if len(value) > 2 and value[0].norm in _ROLES and value[1].norm in ("of", "for"):
        return (*subject, Word(_ROLES[value[0].norm], value[0].raw), *value[2:])
    bare = _bare(subject)
    if len(bare) > 2 and bare[0].norm in _ROLES and bare[1].norm in ("of", "for") and value:
        return (*value, Word(_ROLES[bare[0].norm], bare[0].raw), *bare[2:])
    return None


def _bare(words: tuple[Word, ...]) -> tuple[Word, ...]:
    return words[1:] if words and words[0].norm in ("the", "a", "an") else words


def _genitive(subject: tuple[Word, ...]) -> tuple[Word, ...]:
    at = next(place for place, word in enumerate(subject) if word.norm in ("of", "for"))
    if at == 0 or at == len(subject) - 1 or subject[0].norm in ("1", "a", "an"):
        return subject  # one of the reviewers is any of them
    return (*subject[at + 1 :], *subject[:at])


def _phrase_last(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """`In staging, mail is caught` is `mail is caught in staging`."""
    if words[:1] and words[0].norm in PREPOSITIONS:
        comma = next((place for place, word in enumerate(words[:8]) if word.norm == ","), None)
        if comma is not None:
            return (*words[comma + 1 :], *words[:comma])
    return words


def is_reordered(mine: Statement, theirs: Statement) -> bool:
    """Whether two statements differ only in the order of a list, or in where `on Fridays` stands."""
    if mine.in_code or len(mine.words) > 80 or sorted(mine.key) != sorted(theirs.key):
        return False
    if _is_rotated(mine.key, theirs.key):
        return True
    return SEQUENCE.isdisjoint(mine.key) and _has_list_reordered(mine, theirs)


def _is_rotated(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    if mine[0] not in PREPOSITIONS and theirs[0] not in PREPOSITIONS:
        return False
    return any(theirs[place:] + theirs[:place] == mine for place in range(1, len(theirs)))


def _has_list_reordered(statement: Statement, other: Statement) -> bool:
    mine, theirs = _compared(statement), _compared(other)
    start = 0
    while start < min(len(mine), len(theirs)) and mine[start] == theirs[start]:
        start += 1
    mine, theirs = mine[start:], theirs[start:]
    items, others = _items(mine), _items(theirs)
    return len(items) > 1 and sorted(items) == sorted(others)


def _compared(statement: Statement) -> list[str]:
    return [norm for norm in statement.norms if norm in _SEPARATORS or norm in statement.key]


def _items(norms: list[str]) -> list[tuple[str, ...]]:
    items: list[list[str]] = [[]]
    for norm in norms:
        if norm in _SEPARATORS:
            items.append([])
        else:
            items[-1].append(norm)
    return [tuple(item) for item in items if item]
