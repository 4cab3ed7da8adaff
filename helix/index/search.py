"""One question to the engine: its candidates, fused, gated, explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from helix.errors import ModelError
from helix.index.analyze import tokens
from helix.index.answer_cache import AnswerCache
from helix.index.chunk import chunks
from helix.index.confidence import Coverage, Signals, cover, judge
from helix.index.engine import CandidateColumns, Candidates, Engine, IndexHealth, Wording
from helix.index.feedback import FeedbackPrior
from helix.index.filters import Where
from helix.index.query import ParsedQuery, parse
from helix.index.ranking import PARTS, Ranked, follow_links, rank, words_share
from helix.index.rerank import Reranker
from helix.index.second_look import PASSAGE, READ, is_close, look_again
from helix.index.spelling import as_written
from helix.index.time_words import time_span
from helix.vault.note import Note

_POOL = 100  # candidates from each side
_WORTH = 0.25  # of the best score; what lies below answers nothing (measured: costs no recall)
RERANKED = 15
_EXPLAINED = 60  # of what was found, how many are looked at for an explanation
_SUGGESTIONS = 5
_SAME_SECONDS = 60  # within which the clock makes no difference to an answer that is kept
_RERANK_SHARE = 0.5  # of the score of the reranked; the rest is their order before

FindNote = Callable[[str], Note | None]
"""the note of a memory, for phrases and for the second stage"""


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


class SearchHit(NamedTuple):
    ranked: Ranked
    ordinal: int | None
    """the chunk that fits best, where the vectors found it"""

    @property
    def memory_id(self) -> str:
        return self.ranked.memory_id

    @property
    def score(self) -> float:
        return self.ranked.score

    @property
    def reasons(self) -> Mapping[str, float]:
        return self.ranked.reasons


@dataclass(frozen=True)
class SearchAnswer:
    hits: list[SearchHit]
    confidence: float
    """how sure it is, from 0 to 1, that the answer is among the hits"""
    note: str = ""
    """what the asker should know: nothing fits, or little does"""
    fits: bool = True
    """if not, the hits are merely what is nearest"""
    degraded: str | None = None
    """why search is by words only, or not up to date"""
    suggestions: list[str] = field(default_factory=list)
    below: list[SearchHit] = field(default_factory=list)
    """what was found and lies below the gate, for who asked to have it explained"""
    is_hasty: bool = False
    """a second look at the order was worth it, and took too long"""
    notes: Mapping[str, Note] = field(default_factory=dict, repr=False)
    """those of its memories that had to be read, so that who shows them need not read them again"""


class _Notes:
    """What one search reads, each note once."""

    def __init__(self, find: FindNote) -> None:
        self._find = find
        self._found: dict[str, Note | None] = {}

    def text(self, memory_id: str) -> str | None:
        if memory_id not in self._found:
            self._found[memory_id] = self._find(memory_id)
        note = self._found[memory_id]
        return None if note is None else f"{note.memory.title}\n{note.memory.body}"

    def passage(self, memory_id: str, ordinal: int, length: int) -> str | None:
        """The beginning of the chunk that the vectors found, under the title."""
        if self.text(memory_id) is None or (note := self._found[memory_id]) is None:
            return None
        body = note.memory.body
        if len(body) > length and ordinal > 0:
            pieces = chunks(note.memory)
            body = body[pieces[min(ordinal, len(pieces) - 1)].start :]
        return f"{note.memory.title}\n{body[:length]}"

    def of(self, hits: Sequence[SearchHit]) -> dict[str, Note]:
        return {hit.memory_id: note for hit in hits if (note := self._found.get(hit.memory_id)) is not None}


class Searcher:
    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], datetime],
        find: FindNote,
        reranker: Reranker | None = None,
        feedback: FeedbackPrior | None = None,
        second_look: float = 0.0,
    ) -> None:
        """`reranker` is that of the process; without one it has its own. `feedback` is what was said of earlier
        answers; without it nothing is made of that. It
        reads a close ranking again where it is waited for, `second_look` seconds at most."""
        self._engine = engine
        self._clock = clock
        self._find = find
        self._reranker = reranker or Reranker()
        self._feedback = feedback
        self._second_look = second_look
        self._answers: AnswerCache[SearchAnswer] = AnswerCache()

    def search(self, question: Question) -> SearchAnswer:
        now = question.now or self._clock()
        health = self._engine.health()
        # Before everything else: what changes meanwhile makes another version, in which nothing of this is kept.
        feedback = None if self._feedback is None else self._feedback.version()
        version = (self._engine.version(), health.degraded, feedback)
        key = (replace(question, now=None), now.timestamp() // _SAME_SECONDS)
        answer = self._answers.find(version, key)
        if answer is None:
            answer = self._search(question, now, health)
            # Not what quotes a memory, which may be erased, nor what failed or came late and will not again.
            if not answer.suggestions and answer.degraded == health.degraded and not answer.is_hasty:
                self._answers.keep(version, key, replace(answer, notes={}))
        return answer

    def _search(self, question: Question, now: datetime, health: IndexHealth) -> SearchAnswer:
        query = parse(question.text, question.where)
        notes = _Notes(self._find)
        candidates = self._engine.candidates(
            Wording(query.text, query.words, query.without), query.where, _POOL
        )
        found = candidates.found
        if query.phrases or query.without_phrases:
            fitting = (query.fits(notes.text(memory_id) or "") for memory_id in found.ids)
            found = found.only([at for at, fits in enumerate(fitting) if fits])
        found_by_words = float(candidates.found.words.max(initial=0.0))
        found_by_words /= max(candidates.best_possible, 1e-9)
        judged = {} if self._feedback is None else self._feedback.shares(query.text, now)
        ranked = rank(found, words_share(found_by_words), now, time_span(query.text, now.date()), judged)
        ranked = follow_links(ranked, found.linked)
        is_hasty = False
        if question.rerank:
            ranked = self._rerank(query, ranked, notes)
        elif self._second_look and health.model is not None and query.text.strip() and is_close(ranked):
            ranked, is_hasty = self._look_again(query, ranked, found, notes)
        answer = self._answer(query, question, ranked, candidates, found_by_words, notes, health)
        return replace(answer, is_hasty=is_hasty)

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        """The memories that share the rarest words with a text: what a writer looks at before it writes."""
        return self._engine.alike(text, limit, where)

    def _look_again(
        self, query: ParsedQuery, ranked: list[Ranked], found: CandidateColumns, notes: _Notes
    ) -> tuple[list[Ranked], bool]:
        """And whether it took too long."""
        ordinals = dict(zip(found.ids, found.ordinals.tolist(), strict=True))
        passages = [notes.passage(row.memory_id, ordinals[row.memory_id], PASSAGE) for row in ranked[:READ]]
        if None in passages:  # a file that is gone: the index hears of it in a moment
            return ranked, False
        scores = self._reranker.scores_within(
            query.text, [text for text in passages if text], self._second_look
        )
        return (ranked, True) if scores is None else (look_again(ranked, scores), False)

    def _rerank(self, query: ParsedQuery, ranked: list[Ranked], notes: _Notes) -> list[Ranked]:
        """Let the cross-encoder read the best few; the rest stay in their order behind them."""
        texts = {row.memory_id: text for row in ranked[:RERANKED] if (text := notes.text(row.memory_id))}
        head = [row for row in ranked[:RERANKED] if row.memory_id in texts]
        if len(head) < 2:
            return ranked
        try:
            scores = self._reranker.scores(query.text, list(texts.values()))
        except ModelError:
            return ranked
        low, high = min(scores), max(scores)
        first, last = head[0].score, head[-1].score
        again = []
        for row, score in zip(head, scores, strict=True):
            fine = (score - low) / (high - low) if high > low else 1.0
            before = (row.score - last) / (first - last) if first > last else 1.0
            mixed = first + _RERANK_SHARE * fine + (1 - _RERANK_SHARE) * before
            unlinked = (0.0,) * (len(PARTS) - 1 - len(row.parts))
            again.append(Ranked(row.memory_id, mixed, (*row.parts, *unlinked, mixed - row.score)))
        rest = [row for row in ranked if row.memory_id not in texts]
        return sorted(again, key=lambda row: (-row.score, row.memory_id)) + rest

    def _answer(
        self,
        query: ParsedQuery,
        question: Question,
        ranked: Sequence[Ranked],
        candidates: Candidates,
        found_by_words: float,
        notes: _Notes,
        health: IndexHealth,
    ) -> SearchAnswer:
        degraded = candidates.trouble or health.degraded
        if not query.text.strip():
            hits = [SearchHit(row, None) for row in ranked[: question.limit]]
            return SearchAnswer(hits, 1.0 if hits else 0.0, degraded=degraded, notes=notes.of(hits))
        ordinals, cosine = _nearest(candidates.found)
        # The nearest of those that are embedded says little while others are not.
        complete = health.index_lag == 0 and health.is_calibrated
        coverage = _coverage(candidates, notes.text(ranked[0].memory_id)) if ranked else None
        signals = Signals(cosine if complete else None, found_by_words, bool(ordinals), coverage)
        verdict = judge(signals)
        worth = [row for row in ranked[: question.limit] if row.score >= _WORTH * ranked[0].score]
        shown = worth if verdict.worth_showing else []
        hits = [SearchHit(row, ordinals.get(row.memory_id)) for row in shown]
        suggestions = [] if found_by_words else self._suggestions(query, notes)
        below: list[SearchHit] = []
        if question.explain:
            named = {row.memory_id for row in shown}
            others = [row for row in ranked[:_EXPLAINED] if row.memory_id not in named]
            below = [SearchHit(row, ordinals.get(row.memory_id)) for row in others]
        return SearchAnswer(
            hits,
            verdict.confidence,
            verdict.note,
            verdict.fits,
            degraded,
            suggestions,
            below=below,
            notes=notes.of(hits),
        )

    def _suggestions(self, query: ParsedQuery, notes: _Notes) -> list[str]:
        """Words that look like those nobody wrote, spelled as in a memory that the asker may see."""
        spellings = self._engine.spellings(query.words, query.where)
        written = [
            as_written(spelling.word, (notes.text(memory_id) or "" for memory_id in spelling.held_by))
            for spelling in spellings
        ]
        return list(dict.fromkeys(word for word in written if word is not None))[:_SUGGESTIONS]


def _nearest(found: CandidateColumns) -> tuple[dict[str, int], float | None]:
    """What the vectors found, each with its chunk, and the cosine of the best."""
    cosines, ordinals = found.cosines.tolist(), found.ordinals.tolist()
    near = {one: ordinal for one, ordinal in zip(found.ids, ordinals, strict=True) if ordinal >= 0}
    return near, max(cosine for cosine in cosines if cosine == cosine) if near else None


def _coverage(candidates: Candidates, text: str | None) -> Coverage | None:
    return None if text is None else cover(candidates.rarities, frozenset(tokens(text)))
