"""Which events state something that is kept as a memory, under which name, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helix.vault.log.event import LogEvent

INVALIDATED = "memory.invalidated"
"""the event that ends the validity of what another one stated"""
ANY_TYPE = "memory"
"""the type under which anything may be named"""


@dataclass(frozen=True)
class Lesson:
    """How the events of a type are read."""

    kind: str
    """of the memory"""
    entity: str
    """what agents call it"""
    name: Callable[[Mapping[str, Any]], str | None]
    fields: tuple[str, ...]
    """of the payload, that are told below the name"""
    owner: str = ""
    """the field of the payload that may stand before the name, with a colon"""


def _named(*keys: str) -> Callable[[Mapping[str, Any]], str | None]:
    def name(payload: Mapping[str, Any]) -> str | None:
        return next((text for key in keys if (text := text_of(payload.get(key)))), None)

    return name


def _preference(payload: Mapping[str, Any]) -> str | None:
    key, value = text_of(payload.get("key")), text_of(payload.get("value"))
    return key if key and value else None


def text_of(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return "; ".join(str(one) for one in value if isinstance(one, str | int | float)) or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


_TASK = Lesson("task", "task", _named("taskId", "title", "task"), ("title", "summary", "goalTitle"))
LESSONS: Mapping[str, Lesson] = {
    "decision.made": Lesson(
        "decision",
        "decision",
        _named("decision", "title"),
        ("summary", "rationale", "alternatives_considered"),
    ),
    "user.preference_changed": Lesson("preference", "preference", _preference, ("value", "userId"), "userId"),
    "context.policy": Lesson(
        "preference", "context_policy", _named("source", "project"), ("status", "instructions"), "project"
    ),
    "issue.diagnosed": Lesson("fact", "issue", _named("issue"), ("root_cause", "evidence", "fix")),
    "verification.recorded": Lesson(
        "fact", "verification", _named("command"), ("outcome", "summary", "evidence")
    ),
    "goal.created": Lesson("task", "goal", _named("title"), ("description",)),
    "task.proposed": _TASK,
    "task.claimed": _TASK,
    "task.completed": _TASK,
    "handoff.created": Lesson(
        "event", "handoff", _named("title", "summary"), ("summary", "next_steps", "risks")
    ),
}


@dataclass(frozen=True)
class EventStatement:
    """What an event states."""

    event: LogEvent
    lesson: Lesson
    name: str

    @property
    def family(self) -> list[str]:
        """The types of events that restate it."""
        return [kind for kind, other in LESSONS.items() if other is self.lesson]

    @property
    def title(self) -> str:
        label = self.event.type.partition(".")[0]
        title = self.name if label == "decision" else f"{label}: {self.name}"
        return title if len(title) <= 160 else f"{title[:159]}…"

    @property
    def text(self) -> str:
        kind = self.event.type
        first = f"{self.name} ({kind.rpartition('.')[2]})" if kind.startswith("task.") else self.name
        return "\n".join([first, *self._details()])

    def is_called(self, name: str, entity_type: str) -> bool:
        """Whether somebody who names it so means it."""
        entity = entity_type.strip().casefold()
        if entity not in (self.lesson.entity, self.lesson.kind, ANY_TYPE):
            return False
        owner = text_of(self.event.payload.get(self.lesson.owner))
        names = (self.name, self.title, *([] if owner is None else [f"{owner}:{self.name}"]))
        return _folded(name) in map(_folded, names)

    def _details(self) -> Iterator[str]:
        for key in self.lesson.fields:
            text = text_of(self.event.payload.get(key))
            if text and text != self.name:
                yield f"{key.replace('_', ' ')}: {text}"


def statement_of(event: LogEvent) -> EventStatement | None:
    lesson = LESSONS.get(event.type)
    name = None if lesson is None else lesson.name(event.payload)
    return None if lesson is None or name is None else EventStatement(event, lesson, name)


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
