"""Queries as people type them: `tag:auth kind:decision after:2026-06 "exact phrase" -draft retry policy`.

    tag: kind: project: scope: status: id:     narrow the answer; a list (`kind:fact,decision`) means any of them,
                                               but of tags all are asked for
    unfiled:                                   true or false: of a project, and nobody has said of which
    after: before:                             a year, a month, a day or a time; `after` includes it, `before` does not
    "…"                                        stands in the text like this
    -word  -tag:x  -"…"                        must not be there
    lane:                                      `source` looks into connected folders, and not into memories

No query is an error. What is not one of these is words: `std::vector`, `http://…`, `key: value`, a lonely quote,
`--flag`, `-v`. Only a filter with a value that cannot be meant, `after:yesterdayish`, is refused, with advice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from helix.errors import BadValue
from helix.index.analyze import fold, query_tokens
from helix.index.filters import FIELDS, Where
from helix.vault.times import parse_time

_FIELDS = {field.key: field for field in FIELDS.values()}
_TIMES = ("after", "before")
_UNFILED = "unfiled"
_KEYS = frozenset({*_FIELDS, *_TIMES, _UNFILED})
LANE = "lane"
LANES = (MEMORY_LANE, SOURCE_LANE) = ("memory", "source")
"""where is looked: in memories unless somebody says otherwise; never in two of them for one answer"""

_TYPED_QUOTES = str.maketrans("“”„", '"""')  # phones and word processors make these of "

# A filter, a phrase, or anything else up to the next space. Quotes close before a space or the end, so that the marks
# in `5" disk` and `say "hi` are just marks.
_QUOTED = r'"([^"]*)"(?=\s|$)'
_PIECE = re.compile(
    rf"(?P<minus>-)?(?:(?P<key>[A-Za-z]+):(?:(?P<dressed>{_QUOTED})|(?P<value>[^\s\"]+)(?=\s|$))|(?P<phrase>{_QUOTED}))"
    r"|(?P<word>\S+)"
)


@dataclass(frozen=True)
class ParsedQuery:
    words: list[str]
    """tokens to look for, those of the phrases too"""
    text: str
    """what is left without filters and negations, for the embedder"""
    phrases: list[str]
    without: list[str]
    """tokens that must not be there"""
    without_phrases: list[str]
    where: Where

    def fits(self, text: str) -> bool:
        """Whether a candidate's text has the phrases as they stand and none of the unwanted ones. The keyword index
        keeps no positions: phrases are checked on the few texts that are candidates."""
        if not self.phrases and not self.without_phrases:
            return True
        folded = fold(text)
        return all(fold(phrase) in folded for phrase in self.phrases) and not any(
            fold(phrase) in folded for phrase in self.without_phrases
        )


def narrow(where: Where, key: str, value: str) -> Where | None:
    """A filter more, as a program names it (`kind`, `fact,decision`); None when there is no such filter."""
    for name in (key.lower(), key.lower().removesuffix("s")):
        if name in _KEYS:
            return _narrow(where, name, value, False)
    return None


def find_lane(text: str) -> tuple[str, str]:
    """The lane that is asked for, and the question without it."""
    lane, left = "", []
    for piece in _PIECE.finditer(text.translate(_TYPED_QUOTES)):
        value = (piece["dressed"] or piece["value"] or "").strip()
        if (piece["key"] or "").lower() != LANE or piece["minus"] or not value:
            left.append(piece[0])
        elif lane and lane != check_lane(value):
            raise BadValue("a question is asked in one lane; give lane: once")
        else:
            lane = check_lane(value)
    return (lane, " ".join(left)) if lane else (MEMORY_LANE, text)


def check_lane(value: str) -> str:
    if value.lower() not in LANES:
        raise BadValue(f"lane:{value[:60]} is not known; write lane: with one of {', '.join(LANES)}")
    return value.lower()


def parse(text: str, where: Where | None = None) -> ParsedQuery:
    """What was typed, within filters that hold anyway."""
    left: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    without_phrases: list[str] = []
    where = where or Where()
    for piece in _PIECE.finditer(text.translate(_TYPED_QUOTES)):
        key, minus = (piece["key"] or "").lower(), bool(piece["minus"])
        value = (piece["dressed"] or piece["value"] or "").strip('"').strip()
        phrase = (piece["phrase"] or "").strip('"').strip()
        if value and key in _KEYS:
            where = _narrow(where, key, value, minus)
        elif phrase and minus:
            without_phrases.append(phrase)
        elif phrase:
            phrases.append(phrase)
            left.append(phrase)
        elif re.fullmatch(r"-[^\W\d_][^\s]+", piece[0]):  # --flags, -v and -1 are words
            without.append(piece[0][1:])
        else:
            left.append(piece[0])
    if without and not left and not where.names_fields:
        left, without = [f"-{word}" for word in without], []  # a lone `-rf` is what is looked for
    free = " ".join(left)
    unwanted = [token for word in without for token in query_tokens(word)[:1]]
    return ParsedQuery(query_tokens(free), free, phrases, unwanted, without_phrases, where)


def _narrow(where: Where, key: str, value: str, minus: bool) -> Where:
    if key in _TIMES:
        moment = _moment(key, value)
        if (key == "after") != minus:
            return replace(where, after=max(moment, where.after or moment))
        return replace(where, before=min(moment, where.before or moment))
    if key == _UNFILED:
        if value.lower() not in ("true", "false"):
            raise BadValue(f"{key}:{value} is not known; write {key}:true or {key}:false")
        return replace(where, unfiled=(value.lower() == "true") != minus)
    field = _FIELDS[key]
    values = [item.strip().lstrip("#") for item in value.split(",") if item.strip()]
    for item in values:
        if field.choices and item.lower() not in field.choices:
            raise BadValue(f"{key}:{item} is not known; write {key}: with one of {', '.join(field.choices)}")
    before = where.but_not if minus else where
    narrowed = replace(before, **{field.name: tuple(dict.fromkeys((*getattr(before, field.name), *values)))})
    return narrowed if isinstance(narrowed, Where) else replace(where, but_not=narrowed)


def _moment(key: str, value: str) -> datetime:
    """The start of the year, month, day or moment that is named."""
    if match := re.fullmatch(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?", value):
        year, month, day = (int(part or 1) for part in match.groups())
        try:
            return datetime(year, month, day, tzinfo=UTC)
        except ValueError as error:
            raise BadValue(f"{key}:{value} is not in the calendar: {error}") from error
    moment = parse_time(value)
    if moment is None:
        raise BadValue(
            f"{key}:{value} is not a date; write a year, month, day or time,"
            f" such as {key}:2026, {key}:2026-06, {key}:2026-06-18 or {key}:2026-06-18T09:30Z"
        )
    return moment
