"""What people and agents said of earlier answers, as a small prior: a memory that helped stands a little higher.

Bounded, so that no praise lifts what does not fit over what does; decaying, so that what was useful last year says
little; and mostly about the question that it was said of. Made from the logs of sessions alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from helix.index.analyze import query_tokens
from helix.vault.times import parse_time

if TYPE_CHECKING:
    from helix.index.event_index import EventIndex

MOST = 0.1
"""how far a score is moved at most, up or down, as a share of it"""
HALF_LIFE_DAYS = 30.0
WEIGHTS: Mapping[str, float] = {"helpful": 1.0, "used": 0.5, "irrelevant": -1.0}
# How much counts of what was said of quite another question, and of what names no question.
ELSEWHERE, ANYWHERE = 0.1, 0.3
_READ_AT_MOST = 5_000
_FORGOTTEN_DAYS = 12 * HALF_LIFE_DAYS
_DAY = 86_400.0


class Judgement(NamedTuple):
    """What was said once of a memory."""

    memory_id: str
    weight: float
    words: frozenset[str] | None
    """of the question; None when it is not known"""
    time: float
    """seconds since the epoch"""


class FeedbackPrior:
    def __init__(self, find_index: Callable[[], EventIndex | None]) -> None:
        """`find_index` answers None where there are no logs; then nothing is looked up."""
        self._find_index = find_index
        self._known: tuple[object, list[Judgement]] = (None, [])

    def version(self) -> object:
        """Another one when the logs say something else."""
        index = self._find_index()
        return None if index is None else index.subjects_version()

    def shares(self, text: str, now: datetime) -> Mapping[str, float]:
        """By how much of its score each judged memory moves, for a question."""
        index = self._find_index()
        if index is None:
            return {}
        version = index.subjects_version()
        known_at, judgements = self._known
        if version != known_at:
            rows = index.feedback(_READ_AT_MOST)
            judgements = [found for row in rows if (found := _to_judgement(*row)) is not None]
            self._known = (version, judgements)
        return shares(judgements, text, now) if judgements else {}


def shares(judgements: Sequence[Judgement], text: str, now: datetime) -> dict[str, float]:
    words, moment = frozenset(query_tokens(text)), now.timestamp()
    totals: dict[str, float] = {}
    for judged in judgements:
        days = max(0.0, (moment - judged.time) / _DAY)
        if days < _FORGOTTEN_DAYS:
            weight = judged.weight * _nearness(judged.words, words) * 0.5 ** (days / HALF_LIFE_DAYS)
            totals[judged.memory_id] = totals.get(judged.memory_id, 0.0) + weight
    return {memory_id: MOST * math.tanh(total) for memory_id, total in totals.items()}


def weight_of(feedback: object, kind: str) -> float:
    """Of a word that is not known, what the type of its event says."""
    known = WEIGHTS.get(feedback.casefold().strip()) if isinstance(feedback, str) else None
    return known if known is not None else WEIGHTS["used" if kind == "memory.reinforced" else "irrelevant"]


def _nearness(judged_for: frozenset[str] | None, asked: frozenset[str]) -> float:
    if not judged_for:
        return ANYWHERE
    return ELSEWHERE + (1 - ELSEWHERE) * len(judged_for & asked) / len(judged_for | asked)


def _to_judgement(memory_id: str, weight: float, words: str | None, time: str) -> Judgement | None:
    moment = parse_time(time)
    if moment is None:
        return None
    return Judgement(memory_id, weight, frozenset(words.split(" ")) if words else None, moment.timestamp())
