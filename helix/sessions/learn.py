"""What becomes a memory: events that state something, written through the one way that memories are written.

The memory names its event, and is written under a key made of the event's hash. So the same event never makes two, and
one that could not be written is written when it is met again. What a session states again under the same name replaces
what it stated before, and an event that says so ends the validity of what another one stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from helix.errors import BadValue, HelixError, MemoryErased, NotWorthKeeping, SecretRefused
from helix.memory.request import Request
from helix.memory.writing.write import NewText, write
from helix.sessions.answers import LearnedMemory
from helix.sessions.event_memory import close, key_of, row_of
from helix.sessions.lessons import INVALIDATED, EventStatement, statement_of
from helix.sessions.skill_note import keep_skill, skill_of
from helix.vault.log.event import LogEvent

if TYPE_CHECKING:
    from helix.index.event_index import UnlearnedEvent

_FOR_GOOD = (BadValue, MemoryErased, NotWorthKeeping, SecretRefused)
"""what is no other the next time"""
_LOOKED_BACK = 200
"""events of the same type among which one of the same name is looked for"""


def learn(request: Request, event: LogEvent) -> tuple[LearnedMemory | None, str | None]:
    """The memory that an event becomes, if it does; and why it is not written, if it should be."""
    try:
        return _learn(request, event)
    except HelixError as error:
        if request.events is not None and not isinstance(error, _FOR_GOOD):
            with suppress(HelixError):
                request.events.index().put_unlearned(
                    event.thread, event.seq, event.hash, request.place.project
                )
        return None, f"the event is safe, and no memory was made of it: {error.message}"


def relearn(request: Request, unlearned: Sequence[UnlearnedEvent]) -> int:
    """Try again what could not be learned; how many are done with. Raises nothing that a later try may mend."""
    done = 0
    if request.events is None:
        return done
    index = request.events.index()
    for entry in unlearned:
        places = index.find(entry.session, entry.seq, entry.hash)
        event = next((event for _, event in index.read(places)), None)
        reason = None
        if event is not None and event.erased_at is None:
            _, reason = learn(request.at(project=entry.project, session=entry.session), event)
        if reason is None:
            index.drop_unlearned(entry.session, entry.hash)
            done += 1
    return done


def _learn(request: Request, event: LogEvent) -> tuple[LearnedMemory | None, str | None]:
    if (skill_id := skill_of(event)) is not None:
        return keep_skill(request, skill_id)
    if event.type == INVALIDATED:
        return close(request, event)
    statement = statement_of(event)
    if statement is None:
        return None, None
    new_text = NewText(
        text=statement.text,
        title=statement.title,
        kind=statement.lesson.kind,
        tags=(event.type.partition(".")[0],),
        source={"agent": event.actor, "session": event.thread, "uri": event.citation(12)},
        valid_from=event.timestamp,
        idempotency_key=key_of(event.hash),
        supersede_hint=_stated_before(request, statement),
    )
    written = write(request, new_text)
    return {"id": written["id"], "status": written["status"]}, written.get("degraded")


def learn_all(request: Request, events: Sequence[LogEvent]) -> tuple[int, str | None]:
    """How many memories were written or changed; and the first reason why one was not."""
    written, first_reason = 0, None
    # The note of a skill is made of all its events: once, however many of them came.
    last = {skill_id: event.hash for event in events if (skill_id := skill_of(event)) is not None}
    for event in events:
        if last.get(skill_of(event) or "", event.hash) != event.hash:
            continue
        memory, reason = learn(request, event)
        written += memory is not None and memory["status"] != "noop"
        first_reason = first_reason or reason
    return written, first_reason


def _stated_before(request: Request, statement: EventStatement) -> str | None:
    if request.events is None:
        return None
    index, event = request.events.index(), statement.event
    before = index.before(event.thread, event.seq, statement.family, _LOOKED_BACK)
    for place, earlier in index.read(before):
        known = None if earlier is None else statement_of(earlier)
        if known is None or known.name != statement.name:
            continue
        row = row_of(request, place.hash)
        if row is not None and row.status == "active":
            return row.id
    return None
