"""From candidates to an order, with reasons. Pure: no clock, no store.

Word and vector scores are put on one scale and added; what a memory's surroundings say comes on top: a better
neighbour in its session, a title that the question names, the time it asks about. Last come small priors
(recency, importance, validity), too small to lift a memory that does not fit over one that does.
The weights were chosen on one half of the questions of `make bench-recall`; docs/search.md gives the other half's
figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from math import exp
from typing import NamedTuple

from helix.index.engine import Candidate
from helix.index.facets import Facets
from helix.index.time_words import TimeSpan

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
    span: TimeSpan | None,
) -> list[Ranked]:
    """Best first; equal scores in the order of the ids, so that pages never shift. `words` is their share."""
    own = _own_scores(candidates, words)
    around = _from_session(candidates, own)
    scored = []
    for candidate, (by_words, by_vector), pulled in zip(candidates, own, around, strict=True):
        facets = candidate.facets
        title = TITLE * _share_named(facets.title_words, question_words)
        is_in_span = span is not None and facets.created is not None and span.holds(facets.created.date())
        parts = (by_words, by_vector, pulled, title, TIME if is_in_span else 0.0, *_priors(facets, now))
        scored.append((-sum(parts), facets.id, parts))
    scored.sort()  # no two have the same id
    return [Ranked(memory_id, -below, parts) for below, memory_id, parts in scored]


def follow_links(ranked: Sequence[Ranked], linked: Mapping[str, Set[str]]) -> list[Ranked]:
    """Lift what the best few are linked with: the second half of an answer often stands there."""
    least: dict[str, float] = {}
    for row in ranked[:LINKED_FROM]:
        for other in linked.get(row.memory_id, ()):
            least[other] = max(least.get(other, 0.0), LINKED * row.score)
    if not least:  # most questions
        return list(ranked)
    lifted = []
    for row in ranked:
        lift = max(0.0, least.get(row.memory_id, 0.0) - row.score)
        lifted.append(Ranked(row.memory_id, row.score + lift, (*row.parts, lift)))
    return sorted(lifted, key=lambda row: (-row.score, row.memory_id))


def _own_scores(candidates: Sequence[Candidate], words: float) -> list[tuple[float, float]]:
    """What words and vector add, per candidate."""
    most = max((candidate.words for candidate in candidates), default=0.0)
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    best, floor = max(cosines, default=0.0), min(cosines, default=0.0)
    # With words alone, or vectors alone, that score is all there is.
    share = words if most and cosines else 1.0 if most else 0.0
    rest = 1 - share
    scores = []
    for candidate in candidates:
        cosine = candidate.cosine
        vector = 0.0 if cosine is None else (cosine - floor) / (best - floor) if best > floor else 1.0
        scores.append((share * candidate.words / most if most else 0.0, rest * vector))
    return scores


def _from_session(candidates: Sequence[Candidate], own: Sequence[tuple[float, float]]) -> list[float]:
    """How far each is pulled up by better ones in its session."""
    sittings = [candidate.facets.sitting for candidate in candidates]
    pulled = [0.0] * len(candidates)
    sessions: dict[str, dict[int, float]] = {}
    for candidate, sitting, (by_words, by_vector) in zip(candidates, sittings, own, strict=True):
        if sitting is not None:
            sessions.setdefault(sitting, {})[candidate.position] = by_words + by_vector
    best = {sitting: max(scores.values()) for sitting, scores in sessions.items() if len(scores) > 1}
    if not best:
        return pulled
    for number, (candidate, sitting) in enumerate(zip(candidates, sittings, strict=True)):
        if sitting is None or sitting not in best:
            continue
        scores, at = sessions[sitting], candidate.position
        score = sum(own[number])
        beside = max(scores.get(at - 1, score), scores.get(at + 1, score), score)
        further = max(scores.get(at - 2, score), scores.get(at + 2, score), score)
        pulled[number] = (
            SESSION_BEST * max(0.0, best[sitting] - score)
            + NEIGHBOUR * (beside - score)
            + NEXT_NEIGHBOUR * (further - score)
        )
    return pulled


def _share_named(title: frozenset[str], question: frozenset[str]) -> float:
    return 0.0 if title.isdisjoint(question) else len(title & question) / len(title)


def _priors(facets: Facets, now: datetime) -> tuple[float, float, float]:
    changed, importance = facets.changed, facets.importance
    age = None if changed is None else max(0.0, (now - changed).total_seconds() / 86400)
    over = facets.valid_until is not None and facets.valid_until < now
    early = facets.valid_from is not None and facets.valid_from > now
    return (
        RECENCY * exp(-age / RECENCY_DAYS) if age is not None else 0.0,
        IMPORTANCE * (importance - 0.5) if importance is not None else 0.0,
        NOT_VALID if over or early else 0.0,
    )
