"""Erasing everything that was taken in from transcripts: of sessions that are named after a host, what refers to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from helix.capture.registry import HOSTS

Ask = Callable[..., dict[str, Any]]
"""asks a verb about sessions, by its name and its fields"""
Progress = Callable[[int, int], None]

_AT_ONCE = 1_000
_PAGE = {"limit": 200, "max_tokens": 20_000}


def purge(ask: Ask, progress: Progress = lambda done, total: None) -> tuple[int, int]:
    """Of how many sessions how many events were erased. Capture has to be off."""
    sessions, events = _erase(ask, progress)
    # A daemon may have been in the midst of one when it was turned off.
    while more := _erase(ask, progress)[1]:
        events += more
    return sessions, events


def _erase(ask: Ask, progress: Progress) -> tuple[int, int]:
    starts = tuple(f"{name}-" for name in HOSTS)
    listed = [one["session_id"] for one in _every(ask, "sessions", "sessions")]
    found = [name for name in listed if name.startswith(starts)]
    sessions = events = 0
    for done, session in enumerate(found):
        progress(done, len(found))
        count = _erase_session(ask, session)
        sessions, events = sessions + bool(count), events + count
    return sessions, events


def _erase_session(ask: Ask, session: str) -> int:
    refs = tuple(f"{name}:" for name in HOSTS)
    answer = list(_every(ask, "session_replay", "events", session_id=session))
    taken = {
        event["hash"]: event["seq"]
        for event in answer
        if str(event["payload"].get("external_ref", "")).startswith(refs)
    }
    # Of two machines that went on at once, one may have had something of its own under the same number.
    shared = {event["seq"] for event in answer if event["hash"] not in taken}
    for first, last in _spans(sorted(set(taken.values()) - shared)):
        ask("session_erase", session_id=session, seq=first, through=last)
    for event_hash, seq in taken.items():
        if seq in shared:
            ask("session_erase", session_id=session, seq=seq, event_hash=event_hash)
    return len(taken)


def _every(ask: Ask, verb: str, key: str, **fields: Any) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        page = ask(verb, **fields, **_PAGE, cursor=cursor)
        yield from page[key]
        if (cursor := page["next_cursor"]) is None:
            return


def _spans(numbers: list[int]) -> list[tuple[int, int]]:
    """Numbers in order, as the first and the last of those that follow each other."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1 and number - spans[-1][0] < _AT_ONCE:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
