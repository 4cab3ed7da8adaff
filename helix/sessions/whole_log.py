"""The log of a request, and its events as they are shown."""

from __future__ import annotations

from helix.errors import SessionNotFound
from helix.memory.event_log import EventLog
from helix.memory.request import Request
from helix.sessions.answers import LoggedEvent
from helix.vault.log.event import LogEvent


def log_of(request: Request) -> EventLog:
    """Who does not see the whole vault sees no log: a log tells of everything."""
    if request.events is None:
        raise SessionNotFound("there are no sessions here")
    return request.events


def shown(event: LogEvent) -> LoggedEvent:
    entry: LoggedEvent = {
        "seq": event.seq,
        "timestamp": event.timestamp,
        "type": event.type,
        "actor": event.actor,
        "thread": event.thread,
        "payload": dict(event.payload),
        "security": None if event.security is None else dict(event.security),
        "prev_hash": event.prev_hash,
        "hash": event.hash,
        "citation": event.citation(12),
    }
    if event.erased_at is not None:
        entry["erased_at"] = event.erased_at
    return entry
