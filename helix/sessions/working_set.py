"""What the work is about right now: the last goals, decisions, tasks, commands and edits of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helix.sessions.contexts import Context
from helix.vault.log.event import LogEvent

_MOST = 8
_LONGEST = 160
_CATEGORIES = {
    "goal": "goal",
    "decision": "decision",
    "task": "task",
    "command.completed": "action",
    "document.indexed": "artifact",
    "code.file.indexed": "artifact",
    "file.edit.applied": "artifact",
    "issue.diagnosed": "blocker",
    "blocker.created": "blocker",
}
_NAMES = ("title", "decision", "summary", "task", "issue", "content", "path")


def working_set(events: Sequence[LogEvent], contexts: Sequence[Context]) -> dict[str, Any]:
    """The newest of the events, in their order, then what the facts stand on."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for event in reversed(events):
        category = _CATEGORIES.get(event.type) or _CATEGORIES.get(event.type.partition(".")[0])
        summary = None if category is None else summary_of(event)
        if category is not None and summary:
            _put(found, category, summary, event.citation(12), "eventloom")
    happened = list(found.values())
    items = happened[:_MOST][::-1]
    anchors: dict[tuple[str, str, str], dict[str, Any]] = {}
    for context in contexts:
        _put(anchors, "source_anchor", context.content, context.citation, context.source)
    room = _MOST - len(items)
    return {
        "items": [*items, *list(anchors.values())[:room]],
        "truncated": len(happened) + len(anchors) > _MOST,
    }


def summary_of(event: LogEvent) -> str | None:
    """One line that says what an event was."""
    payload: Mapping[str, Any] = event.payload
    if event.type == "command.completed" and isinstance(payload.get("command"), str):
        return _line(f"{payload['command']} ({payload.get('outcome') or payload.get('exit_code')})")
    if event.type == "file.edit.applied" and isinstance(payload.get("path"), str):
        return _line(f"{payload['path']} ({payload.get('operation') or 'modified'})")
    text = next((payload[name] for name in _NAMES if isinstance(payload.get(name), str)), None)
    return _line(text) if text else None


def _put(
    into: dict[tuple[str, str, str], dict[str, Any]], category: str, summary: str, citation: str, source: str
) -> None:
    line = _line(summary)
    item = {"category": category, "summary": line, "citation": citation, "source": source}
    into.setdefault((category, line.casefold(), citation), item)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
