"""The hooks of Claude Code: which events run helix-mcp, put into its settings and taken out again with care."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from helix.errors import HostFileError, NotConnected
from helix.hosts import change, splice
from helix.hosts.change import Done, Made
from helix.hosts.host import Machine, UserFile
from helix.hosts.record import Records
from helix.hosts.splice_json import JsonText

Where: TypeAlias = Literal["project", "local", "user"]

EVENTS = ("SessionStart", "PreCompact", "Stop", "SessionEnd")
PROMPT_EVENT = "UserPromptSubmit"
DEFAULT_BUDGET = 1500
# Ours ends long before that by itself; this is for a machine that stands still.
_TIMEOUT = 5

_PROGRAM = re.compile(r"(?:.*[/\\])?helix-mcp(?:\.exe)?", re.DOTALL)
_OPTIONS = re.compile(r"(--budget \d+)? ?(--remind)?")
_SETTING = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_TEXT = JsonText(lenient=True)
_PROJECT = {"project": ".claude/settings.json", "local": ".claude/settings.local.json"}
_USER = UserFile("~/.claude/settings.json", moved_by="CLAUDE_CONFIG_DIR")


@dataclass(frozen=True)
class Hooks:
    """What is wanted. `env` says where the daemon is, if not in the usual place; no secret belongs into it."""

    executable: str
    prompt_context: bool = False
    budget: int = DEFAULT_BUDGET
    remind: bool = False
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """For the shell that Claude Code runs hooks in: sh, and on Windows Git's bash."""
        before = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        budget = [] if self.budget == DEFAULT_BUDGET else ["--budget", str(self.budget)]
        remind = ["--remind"] if self.remind else []
        return " ".join([*before, shlex.quote(self.executable), "hook", *budget, *remind])

    @property
    def events(self) -> tuple[str, ...]:
        return (*EVENTS[:1], PROMPT_EVENT, *EVENTS[1:]) if self.prompt_context else EVENTS

    def group(self) -> dict[str, Any]:
        return {"hooks": [{"type": "command", "command": self.command, "timeout": _TIMEOUT}]}


def file_of(where: Where, machine: Machine) -> Path:
    return machine.path(_USER.template(machine) if where == "user" else _PROJECT[where])


def fragment(hooks: Hooks) -> str:
    return json.dumps({"hooks": {event: [hooks.group()] for event in hooks.events}}, indent=2) + "\n"


def install(where: Where, machine: Machine, hooks: Hooks, records: Records) -> Done:
    """Add ours to those that are there; earlier ones of ours are replaced."""

    def add(text: str, earlier: list[list[str]]) -> Made | None:
        document = _TEXT.parse(text)
        if _ours(document) == {event: [hooks.group()["hooks"][0]] for event in hooks.events}:
            return None
        after = _without_ours(text, earlier)
        made = []
        for event in hooks.events:
            made += splice.missing(_TEXT.parse(after), ("hooks", event, ""))
            after = _TEXT.append(after, ("hooks", event), hooks.group())
        _prove(text, after, hooks.events)
        return Made(after, made)

    return change.make(file_of(where, machine), "hooks", records, add)


def uninstall(where: Where, machine: Machine, records: Records) -> Done:
    path = file_of(where, machine)
    if not installed(where, machine):
        raise NotConnected(f"{machine.shown(path)} has no hooks of Helix")

    def take(text: str, made: list[list[str]]) -> str:
        after = _without_ours(text, made)
        _prove(text, after, ())
        return after

    return change.undo(
        path,
        "hooks",
        records,
        is_undone=lambda text, candidate: (
            not _ours(_TEXT.parse(candidate)) and _rest(text) == _rest(candidate)
        ),
        take=take,
        is_empty=lambda text: not _TEXT.parse(text),
    )


def installed(where: Where, machine: Machine) -> list[str]:
    """The events at which a hook of ours runs."""
    path = file_of(where, machine)
    return list(_ours(change.parsed(path, _TEXT.parse)))


def installed_commands(where: Where, machine: Machine) -> list[str]:
    """What the hooks of ours run."""
    ours = _ours(change.parsed(file_of(where, machine), _TEXT.parse))
    return [str(hook["command"]) for hooks in ours.values() for hook in hooks]


def _prove(before: str, after: str, events: Sequence[str]) -> None:
    if _rest(before) != _rest(after) or set(_ours(_TEXT.parse(after))) != set(events):
        raise HostFileError(
            "the hooks are written in a way that cannot be changed safely; change them by hand"
        )


def _groups(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    events = document.get("hooks")
    if not isinstance(events, dict):
        return {}
    return {event: groups for event, groups in events.items() if isinstance(groups, list)}


def _commands(group: Any) -> list[Any]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def _is_ours(hook: Any) -> bool:
    """A command as `Hooks.command` writes it, and nothing else: a person's own may run helix-mcp too, in a pipeline,
    behind `timeout`, with its output sent elsewhere."""
    if not isinstance(hook, dict) or not isinstance(command := hook.get("command"), str):
        return False
    # `|`, `;`, `&`, `>` are words of their own.
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that does not end
        return False
    while words and _SETTING.fullmatch(words[0]):
        words.pop(0)
    if len(words) < 2 or not _PROGRAM.fullmatch(words[0]) or words[1] != "hook":
        return False
    return _OPTIONS.fullmatch(" ".join(words[2:])) is not None


def _ours(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Our hooks by event."""
    by_event = {
        event: [hook for group in groups for hook in _commands(group) if _is_ours(hook)]
        for event, groups in _groups(document).items()
    }
    return {event: hooks for event, hooks in by_event.items() if hooks}


def _without_ours(text: str, made: Sequence[list[str]]) -> str:
    """Group by group from the last, so that the places of the others stay."""
    for event, groups in _groups(_TEXT.parse(text)).items():
        for number in reversed(range(len(groups))):
            hooks = _commands(groups[number])
            if hooks and all(map(_is_ours, hooks)):
                text = _TEXT.take(text, ("hooks", event, number), made)
                continue
            for index in reversed([index for index, hook in enumerate(hooks) if _is_ours(hook)]):
                text = _TEXT.take(text, ("hooks", event, number, "hooks", index), made)
    return text


def _rest(text: str) -> Any:
    """What the settings say besides our hooks, and besides what is empty without them."""
    document = _TEXT.parse(text)
    events = document.get("hooks")
    if isinstance(events, dict):
        events = {event: _theirs(groups) for event, groups in events.items()}
        events = {event: groups for event, groups in events.items() if groups != []}
        document = {**document, "hooks": events}
    return splice.canonical({key: value for key, value in document.items() if (key, value) != ("hooks", {})})


def _theirs(groups: Any) -> Any:
    if not isinstance(groups, list):
        return groups
    kept = []
    for group in groups:
        hooks = _commands(group)
        theirs = [hook for hook in hooks if not _is_ours(hook)]
        if theirs or not hooks:
            kept.append({**group, "hooks": theirs} if hooks else group)
    return kept
