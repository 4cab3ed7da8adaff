"""From candidates to an order, with reasons. Pure: no clock, no store.

Word and vector scores are put on one scale and added; what a memory's surroundings say comes on top: a better
neighbour in its session, a title that the question names, the time it asks about. Last come small priors
(recency, importance, validity), too small to lift a memory that does not fit over one that does.
The weights were chosen on one half of the questions of `make bench-recall`; docs/search.md gives the other half's
figures.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date, datetime
from math import exp
from typing import NamedTuple

from helix.index.time_words import Span

# Convex sum of the two scores, each scaled to its best candidate. How much the words count depends on how much of
# the question they found: a paraphrase shares few words with what it asks for, and those mislead.
WORDS_MOST, WORDS_LEAST = 0.7, 0.15
WORDS_MOST_FROM, WORDS_LEAST_TO = 0.2, 0.15
# How far a memory is pulled up towards the best of its session, and towards a better direct neighbour there.
SESSION_BEST = 0.3
NEIGHBOUR = 0.4
NEXT_NEIGHBOUR = 0.15
TITLE = 0.3
TIME = 0.1
RECENCY = 0.03
RECENCY_DAYS = 90.0
IMPORTANCE = 0.06
NOT_VALID = -0.25
# What one of the best few is linked with scores at least this share of it.
LINKED = 0.6
LINKED_FROM = 3


class Candidate(NamedTuple):
    memory_id: str
    words: float = 0.0
    """BM25, raw"""
    vector: float | None = None
    """cosine of the best chunk; None when the vector search did not find it"""
    session: Hashable | None = None
    position: int = 0
    """in its session, in order of time"""
    title_words: frozenset[str] = frozenset()
    created: date | None = None
    changed: datetime | None = None
    importance: float | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


PARTS = (
    "words",
    "vector",
    "session",
    "title",
    "time",
    "recency",
    "importance",
    "validity",
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
    candidates: Sequence[Candidate],
    question_words: frozenset[str],
    words: float,
    now: datetime,
    span: Span | None,
) -> list[Ranked]:
    """Best first; equal scores in the order of the ids, so that pages never shift. `words` is their share."""
    own = _own_scores(candidates, words)
    around = _from_session(candidates, [by_words + by_vector for by_words, by_vector in own])
    ranked = []
    for one, (by_words, by_vector), pulled in zip(candidates, own, around, strict=True):
        title = TITLE * _share_named(one.title_words, question_words)
        is_in_span = span is not None and one.created is not None and span.holds(one.created)
        parts = (by_words, by_vector, pulled, title, TIME if is_in_span else 0.0, *_priors(one, now))
        ranked.append(Ranked(one.memory_id, sum(parts), parts))
    return sorted(ranked, key=lambda one: (-one.score, one.memory_id))


def follow_links(ranked: Sequence[Ranked], linked: Callable[[str], set[str]]) -> list[Ranked]:
    """Lift what the best few are linked with: the second half of an answer often stands there."""
    least: dict[str, float] = {}
    for one in ranked[:LINKED_FROM]:
        for other in linked(one.memory_id):
            least[other] = max(least.get(other, 0.0), LINKED * one.score)
    lifted = []
    for one in ranked:
        lift = max(0.0, least.get(one.memory_id, 0.0) - one.score)
        lifted.append(Ranked(one.memory_id, one.score + lift, (*one.parts, lift)))
    return sorted(lifted, key=lambda one: (-one.score, one.memory_id))


def _own_scores(candidates: Sequence[Candidate], words: float) -> list[tuple[float, float]]:
    """What words and vector add, per candidate."""
    most = max((one.words for one in candidates), default=0.0)
    cosines = [one.vector for one in candidates if one.vector is not None]
    best, floor = max(cosines, default=0.0), min(cosines, default=0.0)
    # With words alone, or vectors alone, that score is all there is.
    share = words if most and cosines else 1.0 if most else 0.0
    scores = []
    for one in candidates:
        vector = 0.0 if one.vector is None else (one.vector - floor) / (best - floor) if best > floor else 1.0
        scores.append((share * one.words / most if most else 0.0, (1 - share) * vector))
    return scores


def _from_session(candidates: Sequence[Candidate], own: Sequence[float]) -> list[float]:
    """How far each is pulled up by better ones in its session."""
    sessions: dict[Hashable, dict[int, float]] = {}
    for one, score in zip(candidates, own, strict=True):
        if one.session is not None:
            sessions.setdefault(one.session, {})[one.position] = score
    best = {session: max(here.values()) for session, here in sessions.items()}
    pulled = []
    for one, score in zip(candidates, own, strict=True):
        if one.session is None or len(here := sessions[one.session]) < 2:
            pulled.append(0.0)
            continue
        beside = max(here.get(one.position - 1, score), here.get(one.position + 1, score), score)
        further = max(here.get(one.position - 2, score), here.get(one.position + 2, score), score)
        pulled.append(
            SESSION_BEST * max(0.0, best[one.session] - score)
            + NEIGHBOUR * (beside - score)
            + NEXT_NEIGHBOUR * (further - score)
        )
    return pulled


def _share_named(title: frozenset[str], question: frozenset[str]) -> float:
    return len(title & question) / len(title) if title else 0.0


def _priors(one: Candidate, now: datetime) -> tuple[float, float, float]:
    age = max(0.0, (now - one.changed).total_seconds() / 86400) if one.changed is not None else None
    over = one.valid_until is not None and one.valid_until < now
    early = one.valid_from is not None and one.valid_from > now
    return (
        RECENCY * exp(-age / RECENCY_DAYS) if age is not None else 0.0,
        IMPORTANCE * (one.importance - 0.5) if one.importance is not None else 0.0,
        NOT_VALID if over or early else 0.0,
    )
