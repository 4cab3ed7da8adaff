"""The memory that an event became: how it is found, who is meant by a name, and until when it holds."""

from __future__ import annotations

from helix.errors import HelixError
from helix.memory.reading.view import Row
from helix.memory.request import Request
from helix.memory.writing.amend import Amendment, update
from helix.sessions.answers import LearnedMemory
from helix.sessions.lessons import ANY_TYPE, LESSONS, statement_of
from helix.sessions.skill_note import note_of_skill, skill_of
from helix.vault.log.event import CITATION, LogEvent, parse_citation
from helix.vault.times import parse_time

_LOOKED_THROUGH = 2_000
"""events that state something, among which one of a name is looked for"""
_CITATION = "eventloom://"


def key_of(event_hash: str) -> str:
    """A memory is written under a key of its event: so the same event never makes two."""
    return f"event-{event_hash[:32]}"


def row_of(request: Request, event_hash: str) -> Row | None:
    return request.view().find_by_key(request.keys.in_note(key_of(event_hash)))


def memory_of(request: Request, event_hash: str, event: LogEvent | None = None) -> str | None:
    """The id of the memory that an event became, or of the skill that it is about."""
    if event is not None and (skill_id := skill_of(event)) is not None:
        return note_of_skill(request, skill_id)
    row = row_of(request, event_hash)
    return None if row is None else row.id


def citation_of(row: Row) -> str:
    """Of the event that it came from, or else of the memory itself."""
    uri = (row.source or {}).get("uri")
    return uri if isinstance(uri, str) and CITATION.match(uri) else f"helix://memory/{row.id}"


def find_meant(request: Request, name: str, citation: str | None = None) -> str | None:
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


def find_stated(request: Request, session: str, name: str, entity_type: str) -> Row | None:
    """The memory that still stands of what a session stated under a name."""
    index = None if request.events is None else request.events.find_index()
    if index is None:
        return None
    for place, event in index.read(index.before(session, 1 << 62, list(LESSONS), _LOOKED_THROUGH)):
        statement = None if event is None else statement_of(event)
        if statement is not None and statement.is_called(name, entity_type):
            row = row_of(request, place.hash)
            if row is not None and row.status == "active":
                return row
    return None


def find_named(request: Request, session: str, name: str, entity_type: str) -> Row | None:
    """The same, or else whichever memory is meant by an id, a citation or a title."""
    stated = find_stated(request, session, name, entity_type)
    if stated is not None:
        return stated
    memory_id = find_meant(request, name)
    row = None if memory_id is None else request.view().find_row(memory_id)
    return row if row is not None and (row.title != name or entity_type in (row.kind, ANY_TYPE)) else None


def standing_of(request: Request, event_hash: str) -> tuple[str | None, str | None]:
    """Of the memory that an event became: which one took its place, and since when it no longer holds."""
    view = request.view()
    row = row_of(request, event_hash)
    if row is None:
        return None, None
    ends = None if row.valid_until is None else parse_time(row.valid_until)
    if ends is not None and ends <= view.now():
        return None, row.valid_until
    if row.status != "superseded":
        return None, None
    edges = view.links().edges
    newer = next((edge.source for edge in edges if edge.rel == "supersedes" and edge.target == row.id), None)
    return newer, row.updated_at or row.created_at


def is_closed(row: Row, until: str) -> bool:
    """Whether a memory holds no longer than that already."""
    ends, wanted = parse_time(row.valid_until), parse_time(until)
    return row.status != "active" or (ends is not None and wanted is not None and ends <= wanted)


def close(request: Request, event: LogEvent) -> tuple[LearnedMemory | None, str | None]:
    """End the validity of the memory that an event says holds no more."""
    until = event.payload.get("invalid_at") or event.timestamp
    row = _closed_by(request, event)
    if row is None or not isinstance(until, str) or parse_time(until) is None or is_closed(row, until):
        return None, None
    updated = update(request, row.id, Amendment(valid_until=until))
    return {"id": row.id, "status": "closed"}, updated.get("degraded")


def _closed_by(request: Request, event: LogEvent) -> Row | None:
    payload = event.payload
    citation, memory_id = payload.get("citation"), payload.get("memory_id")
    if isinstance(citation, str) and (cited := _cited(request, citation)) is not None:
        return request.view().find_row(cited)
    if isinstance(memory_id, str) and (row := request.view().find_row(memory_id)) is not None:
        return row
    name, entity_type = payload.get("entity_name"), payload.get("entity_type") or ANY_TYPE
    if not isinstance(name, str) or not isinstance(entity_type, str):
        return None
    return find_stated(request, event.thread, name, entity_type)


def _cited(request: Request, citation: str) -> str | None:
    if (row := request.view().find_typed(citation.strip())) is not None:
        return row.id
    if request.events is None or not citation.strip().startswith(_CITATION):
        return None
    try:
        session, seq, prefix = parse_citation(citation)
        place = request.events.get_place(session, seq, prefix)
    except HelixError:  # nothing that is here
        return None
    return memory_of(request, place.hash, next((event for _, event in request.events.read([place])), None))
