"""What becomes a memory: events that state something, written through the one way that memories are written.

The memory names its event, and is written under a key made of the event's hash. So the same event never makes two, and
one that could not be written is written when it is met again. What a session states again under the same name replaces
what it stated before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helix.errors import HelixError
from helix.memory.request import Request
from helix.memory.writing.write import NewText, write
from helix.sessions.answers import LearnedMemory
from helix.sessions.skill_note import keep_skill, note_of_skill, skill_of
from helix.vault.log.event import LogEvent

_LOOKED_BACK = 200
"""events of the same type among which one of the same name is looked for"""


@dataclass(frozen=True)
class Lesson:
    """How the events of a type are read."""

    kind: str
    name: Callable[[Mapping[str, Any]], str | None]
    fields: tuple[str, ...]
    """of the payload, that are told below the name"""


def _named(*keys: str) -> Callable[[Mapping[str, Any]], str | None]:
    def name(payload: Mapping[str, Any]) -> str | None:
        return next((text for key in keys if (text := _text(payload.get(key)))), None)

    return name


def _preference(payload: Mapping[str, Any]) -> str | None:
    key, value = _text(payload.get("key")), _text(payload.get("value"))
    return key if key and value else None


_TASK = Lesson("task", _named("taskId", "title", "task"), ("title", "summary", "goalTitle"))
LESSONS: Mapping[str, Lesson] = {
    "decision.made": Lesson(
        "decision", _named("decision", "title"), ("summary", "rationale", "alternatives_considered")
    ),
    "user.preference_changed": Lesson("preference", _preference, ("value", "userId")),
    "context.policy": Lesson("preference", _named("source", "project"), ("status", "instructions")),
    "issue.diagnosed": Lesson("fact", _named("issue"), ("root_cause", "evidence", "fix")),
    "verification.recorded": Lesson("fact", _named("command"), ("outcome", "summary", "evidence")),
    "goal.created": Lesson("task", _named("title"), ("description",)),
    "task.proposed": _TASK,
    "task.claimed": _TASK,
    "task.completed": _TASK,
    "handoff.created": Lesson("event", _named("title", "summary"), ("summary", "next_steps", "risks")),
}


def key_of(event_hash: str) -> str:
    return f"event-{event_hash[:32]}"


def memory_of(request: Request, event_hash: str, event: LogEvent | None = None) -> str | None:
    """The id of the memory that an event became, or of the skill that it is about."""
    if event is not None and (skill_id := skill_of(event)) is not None:
        return note_of_skill(request, skill_id)
    row = request.view().find_by_key(request.keys.in_note(key_of(event_hash)))
    return None if row is None else row.id


def learn(request: Request, event: LogEvent) -> tuple[LearnedMemory | None, str | None]:
    """The memory that an event becomes, if it does; and why it is not written, if it should be."""
    if (skill_id := skill_of(event)) is not None:
        return keep_skill(request, skill_id)
    lesson = LESSONS.get(event.type)
    name = None if lesson is None else lesson.name(event.payload)
    if lesson is None or name is None:
        return None, None
    new_text = NewText(
        text=_body(event.type, name, event.payload, lesson),
        title=_title(event.type, name),
        kind=lesson.kind,
        tags=(event.type.partition(".")[0],),
        source={"agent": event.actor, "session": event.thread, "uri": event.citation(12)},
        valid_from=event.timestamp,
        idempotency_key=key_of(event.hash),
        supersede_hint=_stated_before(request, event, name, lesson),
    )
    try:
        written = write(request, new_text)
    except HelixError as error:
        return None, f"the event is safe, and no memory was made of it: {error.message}"
    return {"id": written["id"], "status": written["status"]}, written.get("degraded")


def _stated_before(request: Request, event: LogEvent, name: str, lesson: Lesson) -> str | None:
    if request.events is None:
        return None
    index = request.events.index()
    family = [kind for kind, other in LESSONS.items() if other is lesson]
    before = index.before(event.thread, event.seq, family, _LOOKED_BACK)
    for place, earlier in index.read(before):
        if earlier is None or lesson.name(earlier.payload) != name:
            continue
        row = request.view().find_by_key(request.keys.in_note(key_of(place.hash)))
        if row is not None and row.status == "active":
            return row.id
    return None


def _title(kind: str, name: str) -> str:
    label = kind.partition(".")[0]
    title = name if label == "decision" else f"{label}: {name}"
    return title if len(title) <= 160 else f"{title[:159]}…"


def _body(kind: str, name: str, payload: Mapping[str, Any], lesson: Lesson) -> str:
    state = kind.rpartition(".")[2]
    first = f"{name} ({state})" if kind.startswith("task.") else name
    return "\n".join([first, *_told(payload, lesson, name)])


def _told(payload: Mapping[str, Any], lesson: Lesson, name: str) -> Iterator[str]:
    for key in lesson.fields:
        text = _text(payload.get(key))
        if text and text != name:
            yield f"{key.replace('_', ' ')}: {text}"


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return "; ".join(str(one) for one in value if isinstance(one, str | int | float)) or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
