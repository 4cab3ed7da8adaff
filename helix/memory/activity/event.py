"""What can happen to a memory, and how somebody who asks about it is answered: as far as they see the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, get_args

from helix.memory import answers
from helix.memory.verbs.fields import What, Who

WHATS: tuple[str, ...] = get_args(What)
WHOS: tuple[str, ...] = get_args(Who)


@dataclass(frozen=True)
class Event:
    time: str
    what: What
    id: str
    title: str = ""
    kind: str | None = None
    project: str | None = None
    who: Who | None = None
    """None for what happened before there was a journal"""
    name: str | None = None
    path: str = ""
    detail: str = ""
    seq: int = 0

    def to_dict(self) -> answers.Event:
        return {
            "seq": self.seq, "time": self.time, "what": self.what, "id": self.id, "title": self.title,
            "kind": self.kind, "project": self.project, "who": self.who, "name": self.name,
            "path": self.path, "detail": self.detail,
        }  # fmt: skip


@dataclass(frozen=True)
class EventFilter:
    """Which events; what is empty narrows nothing."""

    since: str = ""
    until: str = ""
    project: str = ""
    whats: Sequence[str] = field(default=())
    whos: Sequence[str] = field(default=())


class Activity(Protocol):
    """What happened, to memories that are seen."""

    def before(self, seq: int | None, wanted: EventFilter, limit: int) -> list[Event]:
        """What came before an event, the latest first; before None is everything."""

    def after(self, seq: int, limit: int) -> tuple[list[Event], int | None]:
        """What came after an event, in order; and up to which event that is all, None when nothing follows."""

    def seen(self, events: Sequence[Event]) -> list[Event]:
        """Those of these events that are of memories which are seen."""
