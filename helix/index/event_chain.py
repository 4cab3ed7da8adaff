"""A session up to one of its events: what was known when that event was the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Placed(Protocol):
    """An event by where it stands."""

    @property
    def id(self) -> int: ...
    @property
    def session(self) -> str: ...
    @property
    def seq(self) -> int: ...


@dataclass(frozen=True)
class Chain:
    session: str
    seq: int
    """the number of its last event"""
    beside: frozenset[int] = frozenset()
    """rows of events with lower numbers that are not in it: where two machines went on at once, those of the other"""

    def holds(self, place: Placed) -> bool:
        return place.session == self.session and place.seq <= self.seq and place.id not in self.beside
