"""What was known at a point of a session: made of its events up to there, and of nothing that came later.

No note is read for it. A fact is what an event stated, in the words of then; it is closed when an event up to there
states the same anew, or says that it holds no more. So the answer about a point is the same whenever it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from helix.errors import SessionNotFound
from helix.index.event_chain import Chain
from helix.memory.event_log import EventLog
from helix.memory.request import Request
from helix.sessions.contexts import (
    POOL,
    Context,
    Found,
    of_words,
    rank_of,
    share_of,
    weights_of,
    without_doubles,
)
from helix.sessions.lessons import ANY_TYPE, INVALIDATED, LESSONS, EventStatement, statement_of
from helix.vault.log.event import CITATION, LogEvent
from helix.vault.times import parse_time

_STATED_AT_MOST = 10_000
"""events that state something, the last ones"""
_ROOM = 600
"""characters of a fact that are quoted"""


@dataclass(frozen=True)
class StatedFact:
    statement: EventStatement
    valid_to: str | None = None
    """when an event up to the point closed it"""

    @property
    def event(self) -> LogEvent:
        return self.statement.event


def facts_then(log: EventLog, chain: Chain) -> list[StatedFact]:
    """What had been stated, in its order; what held no longer too."""
    index = log.index()
    kinds = [*LESSONS, INVALIDATED]
    places = index.before(chain.session, chain.seq + 1, kinds, _STATED_AT_MOST)[::-1]
    facts: dict[str, StatedFact] = {}
    current: dict[tuple[str, str], str] = {}
    for place, event in index.read(places):
        if event is None or not chain.holds(place):
            continue
        if event.type == INVALIDATED:
            _close(event, facts)
        elif (statement := statement_of(event)) is not None:
            stated_before = current.get((statement.family[0], statement.name))
            if stated_before is not None:
                _end(facts, stated_before, event.timestamp)
            facts[event.hash] = StatedFact(statement)
            current[statement.family[0], statement.name] = event.hash
    return list(facts.values())


def gather_then(request: Request, log: EventLog, query: str, chain: Chain, limit: int) -> Found:
    """The same as `gather`, of a point of a session."""
    weights = weights_of(request, query, chain)
    moment = moment_of(log, chain)
    stated = [_context(fact, moment, weights) for fact in facts_then(log, chain)]
    closed = {context.citation: context.valid_to for context in stated}
    relevant = sorted((context for context in stated if context.held > 0), key=rank_of)[:POOL]
    cited = {context.citation for context in relevant}
    index = log.index()
    found = index.search_chain(query, chain, POOL)
    best = max((score for _, score in found), default=1.0)
    scores = {place.hash: score / best for place, score in found}
    spoken = [
        of_words(event, scores[place.hash], closed.get(event.citation(12)), weights)
        for place, event in index.read([place for place, _ in found])
        if event is not None and event.erased_at is None and event.citation(12) not in cited
    ]
    ranked = without_doubles(sorted([*relevant, *spoken], key=rank_of))[: max(limit, 1) * 2]
    return Found(ranked, ranked[0].held if ranked else 0.0)


def moment_of(log: EventLog, chain: Chain) -> str:
    """When the last event of a chain happened."""
    for place in log.index().find(chain.session, chain.seq):
        if chain.holds(place):
            return place.time
    raise SessionNotFound(f"session {chain.session!r} has no event {chain.seq}")


def _context(fact: StatedFact, moment: str, weights: Mapping[str, float]) -> Context:
    statement, text = fact.statement, fact.statement.text
    held = share_of(weights, f"{statement.title}\n{text}")
    return Context(
        content=text if len(text) <= _ROOM else f"{text[: _ROOM - 1]}…",
        lane="graph",
        source="keyword",
        score=round(held, 4),
        citation=fact.event.citation(12),
        held=held,
        valid_from=fact.event.timestamp,
        # What was said to end after that moment still held then.
        valid_to=fact.valid_to if _is_before(fact.valid_to, moment) else None,
        entity_name=statement.title,
        entity_type=statement.lesson.kind,
    )


def _close(event: LogEvent, facts: dict[str, StatedFact]) -> None:
    """What an event says holds no more: by the event that stated it, or by its name and type."""
    payload = event.payload
    until = payload.get("invalid_at")
    until = until if isinstance(until, str) and parse_time(until) else event.timestamp
    citation = payload.get("citation")
    found = CITATION.fullmatch(citation) if isinstance(citation, str) else None
    if found is not None and found["hash"]:
        named = [known for known in facts if known.startswith(found["hash"])]
    else:
        name, entity_type = payload.get("entity_name"), payload.get("entity_type") or ANY_TYPE
        if not isinstance(name, str) or not isinstance(entity_type, str):
            return
        open_facts = [known for known, fact in facts.items() if fact.valid_to is None]
        named = [known for known in open_facts if facts[known].statement.is_called(name, entity_type)][-1:]
    for known in named:
        _end(facts, known, until)


def _end(facts: dict[str, StatedFact], known: str, until: str) -> None:
    if not _is_before(facts[known].valid_to, until):
        facts[known] = replace(facts[known], valid_to=until)


def _is_before(time: str | None, other: str) -> bool:
    """Whether a time is that of another, or before it."""
    first, second = parse_time(time), parse_time(other)
    return first is not None and second is not None and first <= second
