"""One question to the index: candidates from words and vectors, fused, gated, explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from helix.errors import HelixError, ModelError
from helix.index.analyze import query_tokens, tokens
from helix.index.embed import Reranker
from helix.index.fuse import Candidate, Ranked, follow_links, rank, words_share
from helix.index.gate import Coverage, Signals, cover, judge
from helix.index.index import Index
from helix.index.query import Query, parse
from helix.index.rank import rarity
from helix.index.spelling import as_written
from helix.index.time_words import time_span
from helix.index.where import Reach, Where

if TYPE_CHECKING:
    from helix.index.matrix import VectorHit

_POOL = 100  # candidates from each side
_ANCHORS = 10  # whose neighbours in their sessions, and what they are linked with, are looked at too
_REACH = 2
_WORTH = 0.3  # of the best score; what lies below fills a limit and answers nothing (measured: costs no recall at 10)
_TELLING_WORDS = 40  # of a text that is compared with what is there
RERANKED = 15
_EXPLAINED = 60  # of what was found, how many are looked at for an explanation
_SPELLED_BY = 3  # memories that are read for the spelling of a suggestion
_RERANK_SHARE = 0.5  # of the score of the reranked; the rest is their order before

TextOf = Callable[[str], str | None]
"""title and body of a memory, for phrases and for the second stage"""


@dataclass(frozen=True)
class Question:
    text: str
    limit: int = 8
    now: datetime | None = None
    where: Where = Where(active_only=True)
    """what may be found, beside the filters that are typed in the text"""
    rerank: bool = False
    explain: bool = False
    """name also what was found and is not worth showing"""


@dataclass(frozen=True)
class Hit:
    memory_id: str
    score: float
    ordinal: int | None
    """the chunk that fits best, where the vectors found it"""
    reasons: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    hits: list[Hit]
    confidence: float
    """how sure it is, from 0 to 1, that the answer is among the hits"""
    note: str = ""
    """what the asker should know: nothing fits, or little does"""
    fits: bool = True
    """if not, the hits are merely what is nearest"""
    degraded: str | None = None
    """why search is by words only, or not up to date"""
    suggestions: list[str] = field(default_factory=list)
    below: list[Hit] = field(default_factory=list)
    """what was found and lies below the gate, for who asked to have it explained"""


class Searcher:
    def __init__(
        self,
        index: Index,
        clock: Callable[[], datetime],
        text_of: TextOf,
        reranker: Reranker | None = None,
    ) -> None:
        """`reranker` is that of the process; without one it has its own."""
        self._index = index
        self._clock = clock
        self._text_of = text_of
        self._reranker = reranker or Reranker()

    def search(self, question: Question) -> Answer:
        query = parse(question.text, question.where)
        now = question.now or self._clock()
        within = self._within(query.where)
        allowed = self._allowed(within, query.where)
        words = self._index.keywords.search(
            query.words, _POOL, without=query.without, allowed=allowed, within=within
        )
        near, trouble = self._nearest(query, within)
        near = [hit for hit in near if allowed(hit.memory_id)]
        pool = {one for one, _ in words} | {hit.memory_id for hit in near}
        if not query.text.strip():
            # Only filters were typed: everything that passes them.
            pool |= {one for one in self._index.facets.ids() if allowed(one)} if within is None else within
        pool |= self._around(
            [one for one, _ in words[:_ANCHORS]] + [hit.memory_id for hit in near[:_ANCHORS]], allowed
        )
        if query.phrases or query.without_phrases:
            pool = {one for one in pool if query.fits(self._text_of(one) or "")}
        found_by_words = words[0][1] / self._most(query) if words else 0.0
        ranked = rank(
            self._candidates(pool, dict(words), {hit.memory_id: hit.score for hit in near}),
            frozenset(query.words),
            words_share(found_by_words),
            now,
            time_span(query.text, now.date()),
        )
        ranked = follow_links(ranked, self._index.facets.linked)
        if question.rerank:
            ranked = self._rerank(query, ranked)
        return self._answer(query, question, ranked, found_by_words, near, trouble, allowed)

    def alike(
        self, text: str, limit: int, reaches: tuple[Reach, ...], among: frozenset[str] | None = None
    ) -> list[str]:
        """The memories that share the rarest words with a text: what a writer looks at before it writes."""
        keywords = self._index.keywords
        known = {word: keywords.document_frequency(word) for word in set(query_tokens(text))}
        rarest = sorted((word for word in known if known[word]), key=lambda word: (known[word], word))
        within = self._index.facets.within(Where(reaches=reaches, among=among, active_only=True))
        found = keywords.search(rarest[:_TELLING_WORDS], limit, allowed=within.__contains__, within=within)
        return [memory_id for memory_id, _ in found]

    # Candidates

    def _within(self, where: Where) -> set[str] | None:
        """What the asker may find, when filters or a narrow view leave things out; None when all that is active."""
        if not where.names_fields and where.reaches is None and where.among is None:
            return None
        return self._index.facets.within(where)

    def _allowed(self, within: set[str] | None, where: Where) -> Callable[[str], bool]:
        if within is not None:
            return within.__contains__
        return self._index.facets.is_active if where.active_only else self._index.facets.__contains__

    def _nearest(self, query: Query, within: set[str] | None) -> tuple[list[VectorHit], str | None]:
        """And why it could not be looked for by meaning, if so."""
        meaning = self._index.meaning
        if meaning is None or not query.text.strip():
            return [], None
        try:
            return meaning.search(query.text, _POOL, _where(query.where, within)), None
        except HelixError as error:  # a model that fails on this text, a store that was damaged a moment ago
            return [], f"this question was searched by its words only: {error.message}"

    def _around(self, anchors: Iterable[str], allowed: Callable[[str], bool]) -> set[str]:
        facts = self._index.facets
        return {
            other
            for one in anchors
            for other in (*facts.neighbours(one, _REACH), *facts.linked(one))
            if allowed(other)
        }

    def _candidates(
        self, pool: set[str], words: dict[str, float], cosines: dict[str, float]
    ) -> list[Candidate]:
        return [
            Candidate(
                row.id,
                words.get(row.id, 0.0),
                cosines.get(row.id),
                row.sitting,
                position,
                row.title_words,
                row.created_on,
                row.changed,
                row.importance,
                row.valid_from,
                row.valid_until,
            )
            for row, position in self._index.facets.placed(sorted(pool))
        ]

    # The answer

    def _rerank(self, query: Query, ranked: list[Ranked]) -> list[Ranked]:
        """Let the cross-encoder read the best few; the rest stay in their order behind them."""
        texts = {one.memory_id: self._text_of(one.memory_id) for one in ranked[:RERANKED]}
        head = [one for one in ranked[:RERANKED] if texts[one.memory_id]]
        if len(head) < 2:
            return ranked
        try:
            scores = self._reranker.scores(query.text, [texts[one.memory_id] or "" for one in head])
        except ModelError:
            return ranked
        low, high = min(scores), max(scores)
        first, last = head[0].score, head[-1].score
        again = []
        for one, score in zip(head, scores, strict=True):
            fine = (score - low) / (high - low) if high > low else 1.0
            before = (one.score - last) / (first - last) if first > last else 1.0
            mixed = first + _RERANK_SHARE * fine + (1 - _RERANK_SHARE) * before
            again.append(Ranked(one.memory_id, mixed, (*one.parts, mixed - one.score)))
        chosen = {one.memory_id for one in head}
        rest = [one for one in ranked if one.memory_id not in chosen]
        return sorted(again, key=lambda one: (-one.score, one.memory_id)) + rest

    def _answer(
        self,
        query: Query,
        question: Question,
        ranked: Sequence[Ranked],
        found_by_words: float,
        near: Sequence[VectorHit],
        trouble: str | None,
        allowed: Callable[[str], bool],
    ) -> Answer:
        health = self._index.health()
        degraded = trouble or health.degraded
        if not query.text.strip():
            hits = [_hit(one, {}) for one in ranked[: question.limit]]
            return Answer(hits, 1.0 if hits else 0.0, degraded=degraded)
        # The nearest of those that are embedded says little while others are not.
        complete = health.index_lag == 0 and self._index.cosines_are_calibrated
        cosine = near[0].score if near and complete else None
        coverage = self._coverage(query, ranked[0].memory_id) if ranked else None
        verdict = judge(Signals(cosine, found_by_words, bool(near), coverage))
        ordinals = {hit.memory_id: hit.ordinal for hit in near}
        worth = [one for one in ranked[: question.limit] if one.score >= _WORTH * ranked[0].score]
        hits = [_hit(one, ordinals) for one in worth] if verdict.worth_showing else []
        suggestions = [] if found_by_words else self._suggestions(query, allowed)
        shown = {hit.memory_id for hit in hits}
        below = [
            _hit(one, ordinals)
            for one in (ranked[:_EXPLAINED] if question.explain else ())
            if one.memory_id not in shown
        ]
        return Answer(
            hits, verdict.confidence, verdict.note, verdict.fits, degraded, suggestions, below
        )  # fmt: skip

    def _coverage(self, query: Query, memory_id: str) -> Coverage | None:
        text = self._text_of(memory_id)
        if text is None:
            return None
        keywords = self._index.keywords
        count = keywords.count()
        rarities = {word: rarity(count, keywords.document_frequency(word)) for word in query.words}
        return cover(rarities, frozenset(tokens(text)))

    def _most(self, query: Query) -> float:
        """The score of a document that had every word of the question, and short."""
        return max(self._index.keywords.best_possible(query.words), 1e-9)

    def _suggestions(self, query: Query, allowed: Callable[[str], bool]) -> list[str]:
        """Words that look like those nobody wrote, spelled as in a memory that the asker may see."""
        keywords = self._index.keywords
        unknown = [word for word in query.words if not keywords.document_frequency(word)]
        found = []
        for like in dict.fromkeys(like for word in unknown[:3] for like in keywords.terms_like(word)):
            holding = keywords.search([like], _SPELLED_BY, allowed=allowed)
            written = as_written(like, (self._text_of(memory_id) or "" for memory_id, _ in holding))
            if written is not None:
                found.append(written)
        return list(dict.fromkeys(found))[:5]


def _hit(ranked: Ranked, ordinals: dict[str, int]) -> Hit:
    return Hit(ranked.memory_id, ranked.score, ordinals.get(ranked.memory_id), dict(ranked.reasons))


def _where(where: Where, within: set[str] | None) -> Where:
    """The same for the vector search: by its own columns where they say it all, else by name."""
    if within is None or (not where.names_fields and where.among is None):
        return where
    return Where(among=frozenset(within))
