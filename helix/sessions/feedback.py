"""Feedback: somebody says that an answer was used, helped, or was beside the point. Kept in the log and nowhere else.

It moves what it is about a little up or down in later answers (`helix.index.feedback`); no note is touched, and no
citation leads anywhere else than before.
"""

from __future__ import annotations

from typing import Any

from helix.errors import HelixError
from helix.memory.request import Request, verb
from helix.sessions.answers import FeedbackGiven
from helix.sessions.learn import memory_of
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft, parse_citation

_TYPES = {"used": "memory.reinforced", "helpful": "memory.reinforced", "irrelevant": "memory.feedback"}


@verb("session_feedback")
def feedback(
    request: Request,
    *,
    session_id: str,
    entity_name: str,
    entity_type: str,
    feedback: str,
    query: str | None = None,
    citation: str | None = None,
    score: float | None = None,
    reason: str | None = None,
    importance: float | None = None,
    source: str | None = None,
    actor: str = "agent",
    purpose: str | None = None,
    outcome: str | None = None,
) -> FeedbackGiven:
    log = log_of(request)
    given: dict[str, Any] = {
        "entity_name": entity_name, "entity_type": entity_type, "feedback": feedback, "query": query,
        "citation": citation, "score": score, "reason": reason, "importance": importance, "source": source,
        "purpose": purpose, "outcome": outcome,
    }  # fmt: skip
    # By its id, which no later title changes.
    memory_id = _find_judged(request, entity_name, citation)
    payload = {key: value for key, value in {**given, "memory_id": memory_id}.items() if value is not None}
    [event], degraded = log.append(session_id, [EventDraft(_TYPES[feedback], actor, payload)])
    answer: FeedbackGiven = {
        "session_id": session_id,
        "seq": event.seq,
        "hash": event.hash,
        "event_type": event.type,
        "citation": event.citation(12),
        "memory_id": memory_id,
    }
    if degraded:
        answer["degraded"] = degraded
    return answer


def _find_judged(request: Request, name: str, citation: str | None) -> str | None:
    """The memory that is meant: by its id, by the event that it came from, or by its title."""
    view = request.view()
    if (row := view.find_typed(name.strip())) is not None:
        return row.id
    for cited in (citation, name):
        if cited is not None and (memory_id := _cited(request, cited)) is not None:
            return memory_id
    title = " ".join(name.split()).casefold()
    titled = [row.id for row in view.everything() if row.status == "active" and row.title.casefold() == title]
    # Of two with one title nobody knows which was meant.
    return titled[0] if len(titled) == 1 else None


def _cited(request: Request, citation: str) -> str | None:
    if (row := request.view().find_typed(citation.strip())) is not None:
        return row.id
    if not citation.strip().startswith("eventloom://"):
        return None
    try:
        log, (session, seq, prefix) = log_of(request), parse_citation(citation)
        place = log.get_place(session, seq, prefix)
    except HelixError:  # nothing that is here
        return None
    return memory_of(request, place.hash, next((event for _, event in log.read([place])), None))
