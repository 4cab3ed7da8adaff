"""How writers are ordered: they work side by side, and two that say the same thing are still one memory.

Who writes looks first for memories that say the same, and what others are just writing is in no index yet. So
everybody announces what they write, and whoever finds the like of it announced since they looked waits until that is
done and looks again. Nothing else waits: not the looking, not the disk, not the index.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from helix.index.filters import ComparedPlace
from helix.memory.judgement.resemble import ComparedMemory, Verdict, resemble
from helix.memory.writing.compared_texts import ComparedTexts

T = TypeVar("T")
_IN_THE_WAY = (Verdict.SAME, Verdict.CHANGED)


@dataclass(frozen=True)
class WritePlan(Generic[T]):
    """What somebody found who is about to write."""

    found: T
    touches: frozenset[str] = frozenset()
    """the memories that are merged into or replaced"""


@dataclass(eq=False)
class _Announced:
    place: ComparedPlace
    memory: ComparedMemory
    touches: frozenset[str]
    done: threading.Event = field(default_factory=threading.Event)
    ended: int | None = None
    """which one it was to end; None while it is under way"""


class WriteOrder:
    """Of one workspace."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held for microseconds
        self._announced: list[_Announced] = []
        """those under way, and those that somebody who is looking may have missed"""
        self._looking: list[int] = []
        """of each who is looking, how many had ended when they began"""
        self._ended = 0
        self.texts = ComparedTexts()

    @contextmanager
    def turn(
        self,
        place: ComparedPlace,
        memory: ComparedMemory,
        look: Callable[[], WritePlan[T]],
        *,
        compares: bool = True,
    ) -> Iterator[T]:
        """What `look` finds, when nobody is writing anything like it; until the end nobody will.

        It may be called again. Without `compares` whoever writes the same is in nobody's way.
        """
        while True:
            since = self._begin_looking()
            try:
                plan = look()
                mine = _Announced(place, memory, plan.touches)
                in_the_way = self._announce(mine, since, compares)
            finally:
                self._end_looking(since)
            if not in_the_way:
                break
            for other in in_the_way:
                other.done.wait()
        try:
            yield plan.found
        finally:
            self._end(mine)

    def _begin_looking(self) -> int:
        with self._lock:
            self._looking.append(self._ended)
            return self._ended

    def _end_looking(self, since: int) -> None:
        with self._lock:
            self._looking.remove(since)

    def _announce(self, mine: _Announced, since: int, compares: bool) -> Sequence[_Announced]:
        """Announce it, unless one like it is under way or ended since: then those."""
        known: set[_Announced] = set()
        while True:
            with self._lock:
                others = [one for one in self._announced if one.ended is None or one.ended > since]
                others = [one for one in others if one not in known]
                if not others:
                    self._announced.append(mine)
                    return ()
            # Outside the lock: comparing takes a moment, in which others may be announced.
            if in_the_way := [one for one in others if _is_in_the_way(mine, one, compares)]:
                return in_the_way
            known.update(others)

    def _end(self, mine: _Announced) -> None:
        with self._lock:
            self._ended += 1
            mine.ended = self._ended
            oldest = min(self._looking, default=self._ended)
            self._announced = [one for one in self._announced if one.ended is None or one.ended > oldest]
        mine.done.set()


def _is_in_the_way(mine: _Announced, other: _Announced, compares: bool) -> bool:
    if not mine.touches.isdisjoint(other.touches):
        return True
    if not compares or _about(mine.place) != _about(other.place):
        return False
    return resemble(mine.memory, other.memory).verdict in _IN_THE_WAY


def _about(place: ComparedPlace) -> tuple[str | None, ...]:
    """All but the projects, which are compared with the texts."""
    return place.reach.scope, place.reach.session, place.visibility, place.owner
