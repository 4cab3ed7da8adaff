"""What a checkout is made of: memories and words of the log that bear on a question, and what happened last.

Each context says how much of the question it holds. Rare words count for more, and a word that nobody ever said counts
most: a question about something else shares its common words with everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal

from helix.index.analyze import query_tokens, tokens
from helix.index.event_chain import Chain
from helix.index.event_text import event_text, is_bookkeeping
from helix.memory.reading.passages import find_passage
from helix.memory.reading.search import ask
from helix.memory.reading.view import View
from helix.memory.request import Request
from helix.sessions.event_memory import citation_of, standing_of
from helix.vault.log.event import LogEvent
from helix.vault.log.log_paths import check_session
from helix.vault.note import Note
from helix.vault.times import format_time, parse_time

Lane = Literal["graph", "verbatim"]

_ROOM = 600
"""bytes of a memory that are quoted"""
_LONGEST_TURN = 600
POOL = 20
_LIGHT = frozenset(
    tokens(
        "many much often long hour day time times amount share kind sort now current currently exactly again"
        " use used using keep kept take takes get gets go goes make makes must should want wanted need needs"
    )
)
"""words that ask for a value, or hold one up: where the value stands, they need not"""
_LIGHT_WEIGHT = 0.25


@dataclass(frozen=True)
class Context:
    content: str
    lane: Lane
    source: Literal["vector", "keyword", "verbatim"]
    score: float
    citation: str
    held: float
    """of the question's words, the share that stands in it; rare ones count for more"""
    valid_from: str | None = None
    valid_to: str | None = None
    entity_name: str | None = None
    entity_type: str | None = None
    memory_id: str | None = None

    @property
    def is_current(self) -> bool:
        return self.valid_to is None


@dataclass(frozen=True)
class Found:
    contexts: Sequence[Context]
    """best first; those that no longer hold too"""
    confidence: float
    """of the search among the memories"""


def gather(request: Request, query: str, session: str | None, limit: int) -> Found:
    view = request.view()
    weights = weights_of(request, query)
    answer = ask(view, query, place=request.place, scope="all", limit=POOL, include_deleted=True)
    memories = list(_of_memories(view, answer.hits, query, weights))
    cited = {context.citation for context in memories}
    spoken = [one for one in _of_words(request, query, session, weights) if one.citation not in cited]
    ranked = sorted([*memories, *spoken], key=rank_of)
    return Found(without_doubles(ranked)[: max(limit, 1) * 2], answer.confidence)


def recent(
    request: Request, session: str, first: int, limit: int, chain: Chain | None = None
) -> tuple[list[LogEvent], bool]:
    """The last events of a session in their order, without what memory notes about itself; and whether there are
    more."""
    index = None if request.events is None else request.events.find_index()
    if index is None:
        return [], False
    found: list[LogEvent] = []
    last = None if chain is None else chain.seq
    for place, event in index.read(index.latest(check_session(session), first, last, 4 * limit + 1)):
        if chain is not None and not chain.holds(place):
            continue
        if event is not None and event.erased_at is None and not is_bookkeeping(event.type, event.payload):
            found.append(event)
        if len(found) > limit:
            break
    return found[:limit][::-1], len(found) > limit


def weights_of(request: Request, query: str, chain: Chain | None = None) -> Mapping[str, float]:
    """How much each word of a question counts, by how rare it is in all logs, or in one chain."""
    words = query_tokens(query)
    index = None if request.events is None else request.events.find_index()
    total, counts = (0, dict.fromkeys(words, 0)) if index is None else index.frequencies(words, chain)
    return {
        word: log(1 + (total + 1) / (counts[word] + 0.5)) * (_LIGHT_WEIGHT if word in _LIGHT else 1.0)
        for word in words
    }


def share_of(weights: Mapping[str, float], text: str) -> float:
    held = set(tokens(text))
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in held) / whole if whole else 0.0


def _of_memories(
    view: View, hits: Sequence[Any], query: str, weights: Mapping[str, float]
) -> Iterator[Context]:
    replaced = {edge.target for edge in view.links().edges if edge.rel == "supersedes"}
    now = view.now()
    for hit in hits:
        note = view.find(hit.memory_id)
        if note is None or note.memory.status in ("deleted", "erased"):
            continue
        memory = note.memory
        row = view.row(note.id)
        passage = passage_of(note, query, hit.ordinal)
        ends = None if row.valid_until is None else parse_time(row.valid_until)
        closed = row.valid_until if ends is not None and ends <= now else None
        if closed is None and (memory.status == "superseded" or note.id in replaced):
            closed = row.updated_at or row.created_at or format_time(now)
        yield Context(
            content=passage,
            lane="graph",
            source=source_of(hit.reasons),
            score=round(hit.score, 4),
            citation=citation_of(row),
            held=share_of(weights, f"{memory.title}\n{passage}"),
            valid_from=memory.valid_from or row.created_at,
            valid_to=closed,
            entity_name=memory.title,
            entity_type=memory.kind,
            memory_id=note.id,
        )


def passage_of(note: Note, query: str, ordinal: int | None) -> str:
    """Of a memory, what bears on the question most."""
    return find_passage(note.memory, frozenset(query_tokens(query)), ordinal, _ROOM).text


def source_of(reasons: Mapping[str, float]) -> Literal["vector", "keyword"]:
    return "vector" if reasons.get("vector", 0.0) > reasons.get("words", 0.0) else "keyword"


def _of_words(
    request: Request, query: str, session: str | None, weights: Mapping[str, float]
) -> Iterator[Context]:
    index = None if request.events is None else request.events.find_index()
    if index is None:
        return
    found = index.search(query, None if session is None else [check_session(session)], POOL)
    best = max((score for _, score in found), default=0.0)
    scores = {place.hash: score / best if best else 0.0 for place, score in found}
    for place, event in index.read([place for place, _ in found]):
        if event is not None and event.erased_at is None:
            _, closed = standing_of(request, event.hash)
            yield of_words(event, scores[place.hash], closed, weights)


def of_words(event: LogEvent, score: float, closed: str | None, weights: Mapping[str, float]) -> Context:
    text = event_text(event.payload)
    return Context(
        content=text if len(text) <= _LONGEST_TURN else f"{text[: _LONGEST_TURN - 1]}…",
        lane="verbatim",
        source="verbatim",
        score=round(score, 4),
        citation=event.citation(12),
        held=share_of(weights, text),
        valid_from=event.timestamp,
        valid_to=closed,
    )


def rank_of(context: Context) -> tuple[Any, ...]:
    return (
        -round(context.held, 2),
        context.lane != "graph",
        -context.score,
        context.citation,
    )


def without_doubles(contexts: Sequence[Context]) -> list[Context]:
    kept: dict[str, Context] = {}
    texts: set[str] = set()
    for context in contexts:
        folded = " ".join(context.content.split()).casefold()
        if context.citation not in kept and folded not in texts:
            kept[context.citation] = context
            texts.add(folded)
    return list(kept.values())
