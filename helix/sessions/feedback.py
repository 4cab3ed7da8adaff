"""Feedback: somebody says that an answer was used, helped, or was beside the point. Kept in the log and nowhere else.

It moves what it is about a little up or down in later answers (`helix.index.feedback`); no note is touched, and no
citation leads anywhere else than before.
"""

from __future__ import annotations

from typing import Any

from helix.memory.request import Request, verb
from helix.sessions.answers import FeedbackGiven
from helix.sessions.event_memory import find_meant
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft

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
    memory_id = find_meant(request, entity_name, citation)
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
