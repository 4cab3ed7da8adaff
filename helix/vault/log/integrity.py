"""Whether the events of a log are chained as they say, and where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helix.vault.log.event import LogEvent


@dataclass(frozen=True)
class Head:
    """The last event of a chain."""

    seq: int
    hash: str
    timestamp: str


@dataclass(frozen=True)
class LogFault:
    path: str
    line: int
    reason: str
    seq: int | None = None


@dataclass(frozen=True)
class Integrity:
    total_events: int
    heads: Sequence[Head]
    erased: int
    problems: Sequence[LogFault]
    """in the order of the files"""

    @property
    def ok(self) -> bool:
        return not self.problems


def check_links(
    ordered: Sequence[tuple[LogEvent, str, int]], seen: Mapping[str, tuple[int, str]]
) -> list[LogFault]:
    problems: list[LogFault] = []
    begun: set[str] = set()
    for event, path, number in ordered:
        if event.prev_hash is None:
            # Two machines that began a session at once have a first event each, in files of their own.
            if path in begun:
                problems.append(LogFault(path, number, "a second first event", event.seq))
            elif event.seq != 1:
                problems.append(
                    LogFault(path, number, f"Sequence gap: the first event is {event.seq}", event.seq)
                )
            begun.add(path)
        elif event.prev_hash not in seen:
            reason = (
                "First event has prev_hash set"
                if event.seq == 1
                else f"Event {event.seq} prev_hash does not link to previous"
            )
            problems.append(LogFault(path, number, reason, event.seq))
        elif seen[event.prev_hash][0] + 1 != event.seq:
            problems.append(
                LogFault(
                    path, number, f"Sequence gap: {event.seq} after {seen[event.prev_hash][0]}", event.seq
                )
            )
    return problems


def ends_of(ordered: Sequence[tuple[LogEvent, str, int]]) -> list[Head]:
    parents = {event.prev_hash for event, _, _ in ordered}
    heads = [Head(e.seq, e.hash, e.timestamp) for e, _, _ in ordered if e.hash not in parents]
    return sorted(heads, key=lambda head: (-head.seq, head.hash))


def descends(event_hash: str, ancestor: str, parents: Mapping[str, str | None]) -> bool:
    at: str | None = event_hash
    for _ in range(len(parents) + 1):
        if at is None or at == ancestor:
            break
        at = parents.get(at)
    return at == ancestor
