"""Adding to the log of a session, and taking content out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from helix.errors import BadValue
from helix.memory.distill.look import PROPOSED
from helix.memory.event_log import EventLog
from helix.memory.request import Request, verb
from helix.sessions.answers import Appended, ErasedEvent, Ingested
from helix.sessions.event_memory import memory_of
from helix.sessions.learn import learn, learn_all
from helix.sessions.whole_log import log_of
from helix.vault.log.event import EventDraft
from helix.vault.log.log_paths import check_session
from helix.vault.times import parse_time

if TYPE_CHECKING:
    from helix.index.event_index import EventPlace

_MOST_PROPOSALS = 10_000


@verb("session_append")
def append(
    request: Request,
    *,
    session_id: str,
    event_type: str,
    actor: str,
    payload: Mapping[str, Any],
    external_ref: str | None = None,
) -> Appended:
    log = log_of(request)
    draft = _draft(event_type, actor, payload, None, external_ref)
    with nullcontext() if external_ref is None else log.taking_refs():
        known = None if external_ref is None else log.find_ref(check_session(session_id), external_ref)
        [event], degraded = ([known], None) if known else log.append(session_id, [draft])
    memory, why = learn(request, event)
    answer: Appended = {
        "session_id": session_id,
        "seq": event.seq,
        "hash": event.hash,
        "citation": event.citation(12),
    }
    if memory is not None:
        answer["memory"] = memory
    if degraded or why:
        answer["degraded"] = degraded or why
    return answer


@verb("session_ingest")
def ingest(request: Request, *, session_id: str, events: Sequence[Mapping[str, Any]]) -> Ingested:
    log = log_of(request)
    drafts = [_of_given(number, given) for number, given in enumerate(events, 1)]
    refs = [given.get("external_ref") for given in events]
    first: dict[str, int] = {}
    new = []
    with log.taking_refs():
        found = [None if ref is None else log.find_ref(check_session(session_id), ref) for ref in refs]
        for at, (known, ref) in enumerate(zip(found, refs, strict=True)):
            # One that is named twice in one request is one event too.
            if known is None and (ref is None or first.setdefault(ref, at) == at):
                new.append(at)
        appended, degraded = log.append(session_id, [drafts[at] for at in new])
    for at, event in zip(new, appended, strict=True):
        found[at] = event
    _, why = learn_all(request, appended)
    done = [
        event if event is not None else found[first[str(ref)]] for event, ref in zip(found, refs, strict=True)
    ]
    answer: Ingested = {
        "session_id": session_id,
        "imported": len(new),
        "deduped": len(events) - len(new),
        "events": [{"seq": event.seq, "hash": event.hash} for event in done if event is not None],
    }
    if degraded or why:
        answer["degraded"] = degraded or why
    return answer


@verb("session_erase")
def erase(
    request: Request, *, session_id: str, seq: int, event_hash: str | None = None, through: int | None = None
) -> ErasedEvent:
    log = log_of(request)
    place = log.get_place(session_id, seq, event_hash)
    if place.type == "event.erased":
        raise BadValue("this event says that another was erased, and has no content of its own")
    others = [] if through is None else log.find_places(session_id, seq, through)
    places = {one.hash: one for one in (place, *others)}
    # What a program made of it says it too.
    places |= {one.hash: one for one in _made_of(log, session_id, set(places))}
    memory_id = memory_of(request, place.hash, next((event for _, event in log.read([place])), None))
    log.erase(session_id, list(places.values()))
    return {
        "session_id": session_id,
        "seq": place.seq,
        "hash": place.hash,
        "erased": len(places),
        "memory_id": memory_id,
    }


def _made_of(log: EventLog, session_id: str, hashes: set[str]) -> Iterator[EventPlace]:
    """The proposals that rest on these events."""
    index = log.index()
    for place, event in index.read(index.span(session_id, 1, None, _MOST_PROPOSALS, [PROPOSED])):
        evidence = () if event is None or event.erased_at is not None else event.payload.get("evidence")
        if any(isinstance(one, dict) and one.get("hash") in hashes for one in evidence or ()):
            yield place


def _of_given(number: int, given: Mapping[str, Any]) -> EventDraft:
    kind, actor, payload = given.get("type"), given.get("actor"), given.get("payload")
    if not isinstance(kind, str) or not isinstance(actor, str) or not isinstance(payload, Mapping):
        raise BadValue(f"event {number} needs a type, an actor and a payload")
    return _draft(kind, actor, payload, given.get("timestamp"), given.get("external_ref"))


def _draft(
    kind: str, actor: str, payload: Mapping[str, Any], timestamp: str | None, ref: str | None
) -> EventDraft:
    if timestamp is not None and parse_time(timestamp) is None:
        raise BadValue(f"timestamp is {timestamp[:60]!r}; write a time like 2026-06-18T09:12:44Z")
    kept = dict(payload) if ref is None else {**payload, "external_ref": ref}
    return EventDraft(kind, actor, kept, timestamp)
