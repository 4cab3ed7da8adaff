"""recap: what the last sessions of a project left in their logs: hand-over, open tasks, decisions, the last words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from helix.errors import BadValue
from helix.memory.request import Request, verb
from helix.sessions.answers import Recap
from helix.vault.log.event import LogEvent

if TYPE_CHECKING:
    from helix.index.event_index import EventIndex
    from helix.memory.event_log import EventLog

_LOOKED_AT = 60
"""sessions of every project among which those of one are looked for"""
_LAST = 4
_STATED = ("handoff.created", "decision.made", "task.proposed", "task.claimed", "task.completed")
_MOST_STATED = 60
_TURN = "transcript.turn"
_MOST_DECISIONS, _MOST_TASKS = 5, 5
_LONGEST = 300


@verb("session_recap")
def recap(
    request: Request, *, project: str | None = None, without: str | None = None, max_tokens: int = 400
) -> Recap:
    log, wanted = request.events, project or request.place.project
    index = None if log is None else log.find_index()
    names = [] if log is None or index is None or wanted is None else _sessions(log, index, wanted, without)
    lines = [] if index is None else list(dict.fromkeys(_lines(index, names)))
    budget = request.budget(max_tokens)
    for kept in range(len(lines), -1, -1):
        answer = budget.measure({"project": wanted, "sessions": names, "text": "\n".join(lines[:kept])})
        if budget.holds(answer):
            return cast(Recap, answer)
    raise BadValue(f"nothing of it fits in {max_tokens} tokens; raise max_tokens")


def _sessions(log: EventLog, index: EventIndex, project: str, without: str | None) -> list[str]:
    """The last ones of a project, the last first; without the one that asks, by its name or by that of its host."""
    found = []
    for counts in index.sessions()[:_LOOKED_AT]:
        name = counts.session
        if without and (name == without or name.endswith(f"-{without}")):
            continue
        if log.project_of(name) == project:
            found.append(name)
            if len(found) == _LAST:
                break
    return found


def _lines(index: EventIndex, names: Sequence[str]) -> Iterator[str]:
    """What matters most first: a small budget keeps the beginning."""
    stated = [event for name in names for event in _stated(index, name)]
    handed = next((event for event in stated if event.type == "handoff.created"), None)
    if handed is not None:
        yield from _line("Handed over", handed, "summary", "title")
        yield from _line("Next", handed, "next_steps")
    yield from _open_tasks(stated)
    decisions = [event for event in stated if event.type == "decision.made"]
    for event in decisions[:_MOST_DECISIONS]:
        yield from _line("Decided", event, "decision", "title")
    for name in names[:1]:
        for opening, event in _turns(index, name):
            yield from _line(opening, event, "content")


def _stated(index: EventIndex, name: str) -> list[LogEvent]:
    places = index.before(name, 1 << 62, _STATED, _MOST_STATED)
    return [event for _, event in index.read(places) if event is not None and event.erased_at is None]


def _open_tasks(stated: Sequence[LogEvent]) -> Iterator[str]:
    """`stated` has the last first, so the first that is met of a task says how it stands."""
    states: dict[str, LogEvent] = {}
    for event in stated:
        name = event.payload.get("taskId") or event.payload.get("title") or event.payload.get("task")
        if event.type.startswith("task.") and isinstance(name, str):
            states.setdefault(name, event)
    still = [event for event in states.values() if event.type != "task.completed"]
    for event in still[:_MOST_TASKS]:
        yield from _line("Open", event, "title", "task", "taskId")


def _turns(index: EventIndex, name: str) -> Iterator[tuple[str, LogEvent]]:
    """What was asked first, and how the last answer began."""
    first = index.span(name, 1, None, 1, [_TURN])
    last = index.before(name, 1 << 62, [_TURN], 1)
    for opening, places in (("Asked first", first), ("Said last", last if last != first else [])):
        for _, event in index.read(places):
            if event is not None and event.erased_at is None:
                yield opening, event


def _line(opening: str, event: LogEvent, *keys: str) -> Iterator[str]:
    for key in keys:
        value = event.payload.get(key)
        text = "; ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(text, str) and text.strip():
            text = " ".join(text.split())
            text = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
            yield f"- {opening}: {text} ({event.citation(12)})"
            return
