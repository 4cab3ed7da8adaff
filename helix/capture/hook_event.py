"""What a hook of any agent saw, as an event: one trigger, one type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helix.capture.draft import argument_keys, command_payload, cut, excerpt
from helix.errors import BadValue

_LONGEST_TEXT = 32_000
_HOOK, _OBSERVER = "helix-hook", "helix-observer"


@dataclass(frozen=True)
class HookEvent:
    type: str
    actor: str
    payload: dict[str, Any]


_PLAIN = {
    "session-start": "hook.session_started",
    "start": "hook.session_started",
    "resume": "hook.resumed",
    "stop": "hook.stop",
    "precompact": "hook.precompact",
    "checkpoint": "hook.checkpoint",
    "heartbeat": "hook.heartbeat",
}
_OBSERVED = ("command", "file-edit", "tool-call", "transcript-turn")
TRIGGERS = (*_PLAIN, *_OBSERVED)


def hook_event(trigger: str, given: Mapping[str, Any]) -> HookEvent:
    """`given` is what the hook knows, by the names of the options."""
    name = trigger.strip().casefold().replace("_", "-")
    if name in _PLAIN:
        known = _said_of(given, "transcript_path", "summary", "reason", "turn_count")
        return HookEvent(
            _PLAIN[name], _HOOK, {"trigger": name, **known, **_said_of(given, "source", "workspace")}
        )
    match name:
        case "command":
            event = _command(given)
        case "file-edit":
            event = _file_edit(given)
        case "tool-call":
            event = _tool_call(given)
        case "transcript-turn":
            event = _turn(given)
        case _:
            raise BadValue(f"there is no trigger {trigger[:60]!r}; there are {', '.join(TRIGGERS)}")
    return HookEvent(event.type, event.actor, {**event.payload, **_said_of(given, "source", "workspace")})


def _command(given: Mapping[str, Any]) -> HookEvent:
    command, code = _needed("command", given, "command", "exit_code")
    payload = command_payload(
        command, code, stdout=given.get("stdout") or "", stderr=given.get("stderr") or ""
    )
    return HookEvent("command.completed", _OBSERVER, {**payload, **_said_of(given, "duration_ms")})


def _file_edit(given: Mapping[str, Any]) -> HookEvent:
    (path,) = _needed("file-edit", given, "path")
    payload = {"path": cut(path, _LONGEST_TEXT), "operation": given.get("operation") or "modified"}
    return HookEvent("file.edit.applied", _OBSERVER, {**payload, **_said_of(given, "summary", "line_count")})


def _tool_call(given: Mapping[str, Any]) -> HookEvent:
    """Of the arguments only their names: what stands in them may be anything."""
    (tool,) = _needed("tool-call", given, "tool_name")
    payload: dict[str, Any] = {
        "tool_name": tool,
        "status": given.get("tool_status") or "ok",
        "argument_keys": argument_keys(given.get("arguments") or {}),
        **_said_of(given, "call_id"),
    }
    if result := given.get("result_summary"):
        payload["result_summary"] = excerpt(result)
    return HookEvent("tool.call.completed", _OBSERVER, payload)


def _turn(given: Mapping[str, Any]) -> HookEvent:
    role, content = _needed("transcript-turn", given, "role", "content")
    payload = {"role": role, "content": cut(content, _LONGEST_TEXT), **_said_of(given, "turn_index")}
    return HookEvent("transcript.turn", role, payload)


def _needed(trigger: str, given: Mapping[str, Any], *names: str) -> list[Any]:
    missing = [name for name in names if given.get(name) in (None, "")]
    if missing:
        raise BadValue(f"{trigger} needs {' and '.join('--' + name.replace('_', '-') for name in missing)}")
    return [given[name] for name in names]


def _said_of(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """What was said of these, texts no longer than a turn."""
    known = {name: given[name] for name in names if given.get(name) not in (None, "")}
    return {name: cut(one, _LONGEST_TEXT) if isinstance(one, str) else one for name, one in known.items()}
