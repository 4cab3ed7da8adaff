"""From candidates to an order, with reasons. Pure: no clock, no store.

Word and vector scores are put on one scale and added; what a memory's surroundings say comes on top: a better
neighbour in its session or of its day, a title that the question names, the time it asks about. What says little is
put back. Last come small priors
(recency, importance, validity, feedback), too small to lift a memory that does not fit over one that does.
The weights were chosen on one half of the questions of `make bench-recall`; docs/search.md gives the other half's
figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime
from typing import NamedTuple

import numpy as np

from helix.index.column_masks import NO_DAY, NO_TIME
from helix.index.engine import CandidateColumns
from helix.index.filters import to_micros
from helix.index.telling import ENOUGH
from helix.index.time_words import TimeSpan

# Convex sum of the two scores, each scaled to its best candidate. How much the words count depends on how much of
# the question they found: a paraphrase shares few words with what it asks for, and those mislead.
WORDS_MOST, WORDS_LEAST = 0.5, 0.15
WORDS_MOST_FROM, WORDS_LEAST_TO = 0.2, 0.05
# What is found by both, and by one of them barely, counts a little less than the sum.
BOTH = -0.1
# How far a memory is pulled up towards the best of its session, and towards a better direct neighbour there.
SESSION_BEST = 0.4
NEIGHBOUR = 0.4
NEXT_NEIGHBOUR = 0.15
# The same without a session, for those whose texts name the same day.
DAY_BEST = 0.4
# How far back the shortest is put, beside a candidate that says enough.
BREVITY = 0.3
TITLE = 0.2
TIME = 0.1
RECENCY = 0.03
RECENCY_DAYS = 90.0
IMPORTANCE = 0.06
NOT_VALID = -0.25
# What one of the best few is linked with scores at least this share of it.
LINKED = 0.6
LINKED_FROM = 3

_DAY = 86_400_000_000  # microseconds
_EPOCH = date(1970, 1, 1)

PARTS = (
    "words",
    "vector",
    "session",
    "day",
    "brevity",
    "title",
    "time",
    "recency",
    "importance",
    "validity",
    "feedback",
    "link",
    "rerank",
)


class Ranked(NamedTuple):
    memory_id: str
    score: float
    parts: tuple[float, ...]
    """what each of PARTS added, as far as they got a say; they sum up to the score"""

    @property
    def reasons(self) -> Mapping[str, float]:
        return {name: value for name, value in zip(PARTS, self.parts, strict=False) if value}


def words_share(found: float) -> float:
    """How much the word scores count when the best of them is this share of the best possible."""
    step = (found - WORDS_LEAST_TO) / (WORDS_MOST_FROM - WORDS_LEAST_TO)
    return WORDS_LEAST + (WORDS_MOST - WORDS_LEAST) * min(1.0, max(0.0, step))


def rank(
    found: CandidateColumns,
    words: float,
    now: datetime,
    span: TimeSpan | None,
    feedback: Mapping[str, float] | None = None,
) -> list[Ranked]:
    """Best first; equal scores in the order of the ids, so that pages never shift. `words` is their share, `feedback`
    by how much of its score each judged memory moves."""
    if not len(found):
        return []
    by_words, by_vector = _own_scores(found, words)
    own = by_words + by_vector
    parts = [
        by_words,
        by_vector,
        _from_session(found, own),
        _from_day(found, own),
        BREVITY * (found.telling - found.telling.max()) / ENOUGH,
        TITLE * found.named,
        np.where(_is_in(span, found), TIME, 0.0),
        *_priors(found, to_micros(now)),
    ]
    scores = np.zeros(len(found))
    for part in parts:
        scores += part
    moved = np.zeros(len(found))
    if feedback:
        moved = np.abs(scores) * np.array([feedback.get(one, 0.0) for one in found.ids])
    parts.append(moved)
    scores += moved
    order = np.argsort(-scores, kind="stable")
    ids = map(found.ids.__getitem__, order.tolist())
    rows = zip(*(part[order].tolist() for part in parts), strict=True)
    return list(map(Ranked, ids, scores[order].tolist(), rows))


def follow_links(ranked: Sequence[Ranked], linked: Callable[[str], Set[str]]) -> list[Ranked]:
    """Lift what the best few are linked with: the second half of an answer often stands there."""
    least: dict[str, float] = {}
    for row in ranked[:LINKED_FROM]:
        for other in linked(row.memory_id):
            least[other] = max(least.get(other, 0.0), LINKED * row.score)
    if not least:
        return list(ranked)
    lifts = (max(0.0, least.get(row.memory_id, 0.0) - row.score) for row in ranked)
    lifted = [
        Ranked(row.memory_id, row.score + lift, (*row.parts, lift)) if lift else row
        for row, lift in zip(ranked, lifts, strict=True)
    ]
    return sorted(lifted, key=lambda row: (-row.score, row.memory_id))


def _own_scores(found: CandidateColumns, words: float) -> tuple[np.ndarray, np.ndarray]:
    """What words and vector add."""
    most, cosines = found.words.max(), found.cosines
    is_near = ~np.isnan(cosines)
    # With words alone, or vectors alone, that score is all there is.
    share = words if most and is_near.any() else 1.0 if most else 0.0
    by_words = share * found.words / most if most else np.zeros(len(found))
    if not is_near.any():
        return by_words, np.zeros(len(found))
    best, floor = cosines[is_near].max(), cosines[is_near].min()
    scaled = np.where(is_near, (cosines - floor) / (best - floor) if best > floor else 1.0, 0.0)
    if most:
        by_words += BOTH * np.minimum(found.words / most, scaled)
    return by_words, (1 - share) * scaled


def _from_session(found: CandidateColumns, own: np.ndarray) -> np.ndarray:
    """How far each is pulled up by better ones in its session."""
    order = np.lexsort((found.positions, found.sessions))
    order = order[found.sessions[order] >= 0]
    pulled = np.zeros(len(found))
    if not len(order):
        return pulled
    sessions, positions, scores = found.sessions[order], found.positions[order], own[order]
    firsts = np.flatnonzero(np.diff(sessions, prepend=-1))
    sizes = np.diff(firsts, append=len(order))
    best = np.repeat(np.maximum.reduceat(scores, firsts), sizes)
    beside, further = scores.copy(), scores.copy()
    for step in (1, 2):  # who stands two places further on is the next but one at most in this order
        is_same, apart = sessions[step:] == sessions[:-step], positions[step:] - positions[:-step]
        for distance, near in ((1, beside), (2, further)):
            at = np.flatnonzero(is_same & (apart == distance))
            near[at] = np.maximum(near[at], scores[at + step])
            near[at + step] = np.maximum(near[at + step], scores[at])
    pulled[order] = (
        SESSION_BEST * (best - scores) + NEIGHBOUR * (beside - scores) + NEXT_NEIGHBOUR * (further - scores)
    )
    return pulled


def _from_day(found: CandidateColumns, own: np.ndarray) -> np.ndarray:
    """How far each is pulled up by the best of its day. In which order they were written nobody says."""
    pulled = np.zeros(len(found))
    dated = np.flatnonzero((found.days != NO_DAY) & (found.sessions < 0))
    if len(dated):
        days, which = np.unique(found.days[dated], return_inverse=True)
        best = np.full(len(days), -np.inf)
        np.maximum.at(best, which, own[dated])
        pulled[dated] = DAY_BEST * (best[which] - own[dated])
    return pulled


def _is_in(span: TimeSpan | None, found: CandidateColumns) -> np.ndarray:
    """Whether it is of that time: by the day that its text names, or when it was written."""
    if span is None:
        return np.zeros(len(found), bool)
    first, last = span.first.toordinal(), span.last.toordinal()
    written = np.where(found.created == NO_TIME, NO_DAY, found.created // _DAY + _EPOCH.toordinal())
    is_in: np.ndarray = np.zeros(len(found), bool)
    for days in (written, found.days):
        is_in |= (days != NO_DAY) & (days >= first) & (days <= last)
    return is_in


def _priors(found: CandidateColumns, now: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    days = np.maximum(0.0, (now - found.changed) / _DAY)
    over = (found.valid_until != NO_TIME) & (found.valid_until < now)
    early = (found.valid_from != NO_TIME) & (found.valid_from > now)
    return (
        np.where(found.changed == NO_TIME, 0.0, RECENCY * np.exp(-days / RECENCY_DAYS)),
        np.where(np.isnan(found.importance), 0.0, IMPORTANCE * (found.importance - 0.5)),
        np.where(over | early, NOT_VALID, 0.0),
    )
