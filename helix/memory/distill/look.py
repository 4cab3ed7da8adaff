"""Going through what is new in the logs of sessions, for what may be worth a memory: each event once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from helix.memory import answers
from helix.memory.distill.fixes import KINDS, REMEMBERED, Fix, Trail
from helix.memory.distill.proposals import EvidencePlace, ProposalPlace, Proposals, key_of
from helix.memory.distill.statements import statements

if TYPE_CHECKING:
    from helix.index.event_index import EventIndex, EventPlace
    from helix.vault.log.event import LogEvent

PROPOSED = "memory.proposed"
"""the event with which a program proposes a memory"""
_TURN = "transcript.turn"
_AT_ONCE = 400
# Who does all that others pass to somebody is not asked to listen in.
_READ = (*KINDS, PROPOSED)

_Trail = Trail["EventPlace"]


def look(index: EventIndex, proposals: Proposals, patience: float) -> bool:
    """Whether everything has been looked at; after `patience` seconds the rest is for the next look."""
    until = time.monotonic() + patience
    with proposals.looking:
        number, known_hash = proposals.mark()
        if number and index.hash_at(number) != known_hash:
            number = 0  # the index was made again, and counts otherwise
        trails: dict[str, _Trail] = {}
        while True:
            places = index.after(number, _READ, _AT_ONCE)
            if not places:
                return True
            found: list[tuple[ProposalPlace, str]] = []
            for place, event in index.read(places):
                if event is not None and event.erased_at is None:
                    found += [(one, place.time) for one in _of_event(index, trails, place, event)]
            last = places[-1]
            proposals.put(found, (last.id, last.hash))
            number = last.id
            if time.monotonic() > until:
                return not index.after(number, _READ, 1)


def _of_event(
    index: EventIndex, trails: dict[str, _Trail], place: EventPlace, event: LogEvent
) -> Iterator[ProposalPlace]:
    payload = event.payload
    if event.type == PROPOSED:
        text, kind = payload.get("text"), payload.get("kind")
        if isinstance(text, str) and isinstance(kind, str):
            yield _at(place, key_of(kind, text), "program", kind)
        return
    if event.type == _TURN:
        yield from _said(place, payload)
    if place.session not in trails:
        trails[place.session] = _trail_before(index, place)
    if (fix := trails[place.session].add(place, event.type, payload)) is not None:
        yield from _fixed(index, fix)


def _said(place: EventPlace, payload: Mapping[str, Any]) -> Iterator[ProposalPlace]:
    role, text = payload.get("role"), payload.get("content")
    if isinstance(role, str) and isinstance(text, str):
        for stated in statements(role, text):
            key = key_of(stated.kind, text[stated.start : stated.end])
            yield _at(place, key, "said", stated.kind, stated.start, stated.end)


def _trail_before(index: EventIndex, place: EventPlace) -> _Trail:
    trail: _Trail = Trail()
    before = index.before(place.session, place.seq, KINDS, REMEMBERED)
    for earlier, event in index.read(before[::-1]):
        if event is not None and event.erased_at is None:
            trail.add(earlier, event.type, event.payload)
    return trail


def _fixed(index: EventIndex, fix: Fix[EventPlace]) -> Iterator[ProposalPlace]:
    turn = next((event for _, event in index.read([fix.cause])), None)
    if turn is None or turn.erased_at is not None:
        return
    text = str(turn.payload.get("content"))[fix.start : fix.end]
    others = tuple(EvidencePlace(one.seq, one.hash) for one in (fix.command, *fix.edits))
    yield _at(fix.cause, key_of("fact", text), "fix", "fact", fix.start, fix.end, others)


def _at(
    place: EventPlace,
    key: str,
    rule: answers.Rule,
    kind: str,
    start: int = 0,
    end: int = 0,
    others: tuple[EvidencePlace, ...] = (),
) -> ProposalPlace:
    return ProposalPlace(key, place.session, place.seq, place.hash, rule, kind, start, end, others)
