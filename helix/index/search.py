"""One question to the index: candidates from words and vectors, fused, gated, explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from helix.errors import ModelError
from helix.index.analyze import query_tokens, tokens
from helix.index.embed import Reranker
from helix.index.facts import Fact
from helix.index.fuse import Candidate, Ranked, follow_links, rank, words_share
from helix.index.gate import Coverage, Signals, cover, judge
from helix.index.index import Index
from helix.index.query import Filters, Query, parse
from helix.index.rank import rarity
from helix.index.when import time_span
from helix.index.where import Reach, Where

if TYPE_CHECKING:
    from helix.index.vectors import VectorHit

_POOL = 100  # candidates from each side
_ANCHORS = 10  # whose neighbours in their sessions, and what they are linked with, are looked at too
_REACH = 2
_WORTH = 0.3  # of the best score; what lies below fills a limit and answers nothing (measured: costs no recall at 10)
_TELLING_WORDS = 40  # of a text that is compared with what is there
RERANKED = 15
_RERANK_SHARE = 0.5  # of the score of the reranked; the rest is their order before

TextOf = Callable[[str], str | None]
"""title and body of a memory, for phrases and for the second stage"""


@dataclass(frozen=True)
class Asked:
    """A question, and who asks it."""

    text: str
    limit: int = 8
    now: datetime | None = None
    reaches: tuple[Reach, ...] | None = None
    include_hidden: bool = False
    rerank: bool = False
    filters: Filters = field(default_factory=Filters)
    """beside those that are typed in the text"""
    only: frozenset[str] | None = None
    """the memories that it is about, when the asker knows them by what the index does not"""


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
    degraded: str | None = None
    """why search is by words only, or not up to date"""
    suggestions: list[str] = field(default_factory=list)


class Searcher:
    def __init__(self, index: Index, clock: Callable[[], datetime], text_of: TextOf) -> None:
        self._index = index
        self._clock = clock
        self._text_of = text_of
        self._reranker = Reranker()

    def search(self, asked: Asked) -> Answer:
        query = parse(asked.text, asked.filters)
        now = asked.now or self._clock()
        allowed = self._allowed(query.filters, asked)
        words = self._index.keywords.search(query.words, _POOL, without=query.without, allowed=allowed)
        near = [hit for hit in self._nearest(query, asked) if allowed(hit.memory_id)]
        pool = {one for one, _ in words} | {hit.memory_id for hit in near}
        if not query.text.strip():
            pool |= self._all_allowed(allowed)  # only filters were typed: everything that passes them
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
        ranked = follow_links(ranked, self._index.facts.linked)
        if asked.rerank:
            ranked = self._rerank(query, ranked)
        return self._answer(query, asked, ranked, found_by_words, near)

    def alike(self, text: str, limit: int, reaches: tuple[Reach, ...]) -> list[str]:
        """The memories that share the rarest words with a text: what a writer looks at before it writes."""
        keywords = self._index.keywords
        words = sorted(set(query_tokens(text)), key=lambda word: (keywords.document_frequency(word), word))
        known = [word for word in words if keywords.document_frequency(word)][:_TELLING_WORDS]
        allowed = self._allowed(Filters(), Asked(text, reaches=reaches))
        return [memory_id for memory_id, _ in keywords.search(known, limit, allowed=allowed)]

    # Candidates

    def _allowed(self, filters: Filters, asked: Asked) -> Callable[[str], bool]:
        facts = self._index.facts
        plain = filters == Filters()

        def is_allowed(memory_id: str) -> bool:
            if asked.only is not None and memory_id not in asked.only:
                return False
            fact = facts.find(memory_id)
            if fact is None or not _is_visible(fact, filters, asked):
                return False
            return plain or filters.accept(
                id=memory_id,
                kind=fact.kind,
                project=fact.project,
                scope=fact.scope,
                status=fact.status,
                tags=fact.tags,
                when=fact.created.isoformat() if fact.created else None,
            )

        return is_allowed

    def _all_allowed(self, allowed: Callable[[str], bool]) -> set[str]:
        return {one for one in self._index.facts.ids() if allowed(one)}

    def _nearest(self, query: Query, asked: Asked) -> list[VectorHit]:
        meaning = self._index.meaning
        if meaning is None or not query.text.strip():
            return []
        try:
            return meaning.search(query.text, _POOL, self._where(query.filters, asked))
        except ModelError:
            return []  # the index says why in its health

    def _where(self, filters: Filters, asked: Asked) -> Where:
        """What the vector search can leave out by itself; the rest is left out of its answer."""
        statuses = None if asked.include_hidden or filters.statuses else frozenset({"active"})
        facets = (
            filters.tags,
            filters.kinds,
            filters.projects,
            filters.scopes,
            filters.ids,
            filters.after,
            filters.before,
        )
        if any(facets) or filters.but_not != Filters().but_not or asked.only is not None:
            # Case and nested tags are the catalog's business: it names the memories.
            return Where(statuses=statuses, ids=frozenset(self._all_allowed(self._allowed(filters, asked))))
        return Where(statuses=statuses, reaches=asked.reaches)

    def _around(self, anchors: Iterable[str], allowed: Callable[[str], bool]) -> set[str]:
        facts = self._index.facts
        return {
            other
            for one in anchors
            for other in (*facts.neighbours(one, _REACH), *facts.linked(one))
            if allowed(other)
        }

    def _candidates(
        self, pool: set[str], words: dict[str, float], cosines: dict[str, float]
    ) -> list[Candidate]:
        facts = self._index.facts
        found = []
        for memory_id in sorted(pool):
            fact = facts.find(memory_id)
            if fact is not None:
                found.append(
                    Candidate(
                        memory_id,
                        words.get(memory_id, 0.0),
                        cosines.get(memory_id),
                        fact.session,
                        facts.place(memory_id),
                        fact.title_words,
                        fact.created_on,
                        fact.changed,
                        fact.importance,
                        fact.valid_from,
                        fact.valid_until,
                    )
                )
        return found

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
        asked: Asked,
        ranked: Sequence[Ranked],
        found_by_words: float,
        near: Sequence[VectorHit],
    ) -> Answer:
        health = self._index.health()
        if not query.text.strip():
            hits = [_hit(one, {}) for one in ranked[: asked.limit]]
            return Answer(hits, 1.0 if hits else 0.0, "", health.degraded)
        # The nearest of those that are embedded says little while others are not.
        complete = health.index_lag == 0 and self._index.cosines_are_calibrated
        cosine = near[0].score if near and complete else None
        coverage = self._coverage(query, ranked[0].memory_id) if ranked else None
        verdict = judge(Signals(cosine, found_by_words, bool(near), coverage))
        ordinals = {hit.memory_id: hit.ordinal for hit in near}
        worth = [one for one in ranked[: asked.limit] if one.score >= _WORTH * ranked[0].score]
        hits = [_hit(one, ordinals) for one in worth] if verdict.worth_showing else []
        suggestions = [] if found_by_words else self._suggestions(query)
        return Answer(hits, verdict.confidence, verdict.note, health.degraded, suggestions)

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

    def _suggestions(self, query: Query) -> list[str]:
        keywords = self._index.keywords
        unknown = [word for word in query.words if not keywords.document_frequency(word)]
        return list(dict.fromkeys(like for word in unknown[:3] for like in keywords.terms_like(word)))[:5]


def _hit(ranked: Ranked, ordinals: dict[str, int]) -> Hit:
    return Hit(ranked.memory_id, ranked.score, ordinals.get(ranked.memory_id), dict(ranked.reasons))


def _is_visible(fact: Fact, filters: Filters, asked: Asked) -> bool:
    if fact.status != "active" and not asked.include_hidden and not filters.statuses:
        return False
    return asked.reaches is None or any(
        reach.scope == fact.scope
        and reach.project in (None, fact.project)
        and (reach.session is None or fact.session == f"{fact.project or ''}/{reach.session}")
        for reach in asked.reaches
    )
