"""invalidate: what was stated holds no longer. An event says so, and the memory's note says until when it held.

The event is kept in the log that stated it, whichever session says so: the past of that log has to know.
"""

from __future__ import annotations

from typing import Any

from helix.memory.reading.view import Row
from helix.memory.request import Request, verb
from helix.memory.writing.write import check_time
from helix.sessions.answers import Invalidated
from helix.sessions.event_memory import find_named, is_closed
from helix.sessions.learn import learn
from helix.sessions.lessons import ANY_TYPE, INVALIDATED
from helix.sessions.whole_log import log_of
from helix.vault.log.event import CITATION, EventDraft
from helix.vault.log.log_paths import check_session
from helix.vault.times import format_time


@verb("session_invalidate")
def invalidate(
    request: Request,
    *,
    session_id: str,
    entity_name: str,
    entity_type: str = ANY_TYPE,
    invalid_at: str | None = None,
    reason: str | None = None,
    actor: str = "agent",
) -> Invalidated:
    log, session = log_of(request), check_session(session_id)
    until = check_time("invalid_at", invalid_at) or format_time(request.view().now())
    row = find_named(request, session, entity_name, entity_type)
    if row is None:
        return {"session_id": session, "status": "nothing_matched", "memory_id": None}
    if is_closed(row, until):
        return {"session_id": session, "status": "noop", "memory_id": row.id, "valid_until": row.valid_until}
    home, citation = _home(request, row)
    payload: dict[str, Any] = {
        "entity_name": entity_name, "entity_type": entity_type, "invalid_at": until, "memory_id": row.id,
        "citation": citation, "reason": reason,
    }  # fmt: skip
    kept = {key: value for key, value in payload.items() if value is not None}
    [event], degraded = log.append(home or session, [EventDraft(INVALIDATED, actor, kept)])
    _, why = learn(request, event)
    answer: Invalidated = {
        "session_id": event.thread,
        "status": "invalidated",
        "memory_id": row.id,
        "valid_until": until,
        "seq": event.seq,
        "hash": event.hash,
        "citation": event.citation(12),
    }
    if degraded or why:
        answer["degraded"] = degraded or why
    return answer


def _home(request: Request, row: Row) -> tuple[str | None, str | None]:
    """The session that stated it, and the citation of its event; nothing of a memory that no event made."""
    uri = (row.source or {}).get("uri")
    found = CITATION.fullmatch(uri) if isinstance(uri, str) else None
    index = None if request.events is None else request.events.find_index()
    if found is None or index is None:
        return None, None
    places = index.find(found["session"], int(found["seq"]), found["hash"])
    if not places:
        return None, None
    return found["session"], f"eventloom://{found['session']}/events/{found['seq']}#{places[0].hash}"
