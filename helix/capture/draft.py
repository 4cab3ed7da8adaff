"""What every host's transcript is read into: events for the log of a session, without contents of files.

A reader is a function from lines to drafts. It keeps what it must remember from one stretch of lines to the next in
a `SoFar`, which is plain data, so that whoever follows a file can write it down and go on after a restart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from helix.vault.times import parse_time

EXCERPT = 240
"""characters that are kept of what a command printed"""
_LONGEST_TURN = 32_000
_LONGEST_COMMAND = 1_000
_LONGEST_PATH = 1_000
_MOST_FILES = 50
_MOST_KEYS = 50
_MOST_OPEN_CALLS = 200

# What follows such an option is a credential, however it looks.
_OPTION = re.compile(
    r"(?i)(--?[\w-]*(?:token|password|passwd|secret|api-?key|credential)s?[= ]+)(\"[^\"]*\"|'[^']*'|\S+)"
)
_VARIABLE = re.compile(
    r"(?i)\b([\w]*(?:token|password|passwd|secret|api_?key|credential)s?=)(\"[^\"]*\"|'[^']*'|\S+)"
)
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_OPERATIONS = {"Add": "created", "Update": "modified", "Delete": "deleted"}


@dataclass(frozen=True)
class CapturedEvent:
    type: str
    actor: str
    payload: Mapping[str, Any]
    ref: str
    """where in which transcript it stands: a session takes one of a name once"""
    timestamp: str | None = None

    def to_given(self) -> dict[str, Any]:
        """As the verb `session_ingest` takes it."""
        given = {
            "type": self.type,
            "actor": self.actor,
            "payload": dict(self.payload),
            "external_ref": self.ref,
        }
        return given if self.timestamp is None else {**given, "timestamp": self.timestamp}


@dataclass
class SoFar:
    """What a reader knows of a transcript that it has read a part of."""

    turns: int = 0
    last_said: str = ""
    """a digest of the last turn: a host may write one twice"""
    last_name: str = ""
    """what names it in the transcript"""
    is_started: bool = False
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    """tools that were called and have not answered yet, by the id of the call"""

    def to_json(self) -> str:
        return json.dumps(vars(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> SoFar:
        return cls(**json.loads(text))

    def open_call(self, call_id: str, **known: Any) -> None:
        self.calls[call_id] = known
        while len(self.calls) > _MOST_OPEN_CALLS:  # of agents that were ended in the midst of it
            del self.calls[next(iter(self.calls))]


class Drafts:
    """The drafts of one stretch of one transcript, in the words that all hosts share."""

    def __init__(self, host: str, stem: str, so_far: SoFar) -> None:
        self.made: list[CapturedEvent] = []
        self.so_far = so_far
        self._host = host
        self._stem = stem

    def started(self, at: str | None, folder: str | None, **known: str | None) -> None:
        if self.so_far.is_started:
            return
        self.so_far.is_started = True
        payload = {"trigger": "session-start", "workspace": folder, **known}
        self._add("hook.session_started", self._host, payload, "start", at)

    def turn(self, role: str, text: str, name: str, at: str | None) -> None:
        text = text.strip()
        if not text:
            return
        self.so_far.last_said, self.so_far.last_name = said(role, text), name
        payload = {"role": role, "content": cut(text, _LONGEST_TURN), "turn_index": self.so_far.turns}
        self.so_far.turns += 1
        self._add("transcript.turn", role, payload, name, at)

    def command(
        self, command: str, exit_code: int, name: str, at: str | None, *, stdout: str = "", stderr: str = ""
    ) -> None:
        payload = command_payload(command, exit_code, stdout=stdout, stderr=stderr)
        self._add("command.completed", self._host, payload, name, at)

    def edit(self, files: Iterable[tuple[str, str]], name: str, at: str | None) -> None:
        """`files` are operations and paths; nothing of what is in them."""
        edited = [{"path": cut(path, _LONGEST_PATH), "operation": operation} for operation, path in files]
        if not edited:
            return
        more = {"files": edited[:_MOST_FILES]} if len(edited) > 1 else {}
        self._add("file.edit.applied", self._host, {**edited[0], **more}, name, at)

    def tool_call(self, tool: str, status: str, keys: Iterable[str], name: str, at: str | None) -> None:
        payload = {
            "tool_name": cut(tool, _LONGEST_PATH),
            "status": status,
            "call_id": name,
            "argument_keys": argument_keys(keys),
        }
        self._add("tool.call.completed", self._host, payload, name, at)

    def _add(self, kind: str, actor: str, payload: Mapping[str, Any], name: str, at: str | None) -> None:
        kept = {key: value for key, value in payload.items() if value not in (None, "")}
        ref = cut(f"{self._host}:{self._stem}:{name}", 500)
        at = at if parse_time(at or "") is not None else None
        self.made.append(CapturedEvent(kind, actor, {**kept, "source": self._host}, ref, at))


def command_payload(command: str, exit_code: int, *, stdout: str = "", stderr: str = "") -> dict[str, Any]:
    payload: dict[str, Any] = {
        "command": shown_command(command),
        "exit_code": exit_code,
        "outcome": "failed" if exit_code else "passed",
    }
    for key, text in (("stdout_excerpt", stdout), ("stderr_excerpt", stderr)):
        if text.strip():
            payload[key] = excerpt(text)
    return payload


def shown_command(command: str) -> str:
    """A command without credentials, and without the file that it may carry in a here-document."""
    first, _, rest = command.strip().partition("\n")
    if rest and "<<" in first:
        command = f"{first} …"
    command = _VARIABLE.sub(r"\1[REDACTED]", _OPTION.sub(r"\1[REDACTED]", command.strip()))
    return cut(command, _LONGEST_COMMAND)


def excerpt(text: str) -> str:
    return cut(_VARIABLE.sub(r"\1[REDACTED]", text.strip()), EXCERPT)


def argument_keys(keys: Iterable[str]) -> list[str]:
    return sorted(cut(str(key), 100) for key in keys)[:_MOST_KEYS]


def patched_files(patch: str) -> list[tuple[str, str]]:
    """Operations and paths of a patch as Codex writes it."""
    return [(_OPERATIONS[found[1]], found[2].strip()) for found in _PATCHED.finditer(patch)]


def cut(text: str, room: int) -> str:
    """What fits; half of a surrogate pair, which JSON allows and UTF-8 does not, is replaced."""
    text = text if len(text) <= room else text[: room - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


def said(role: str, text: str) -> str:
    return digest(f"{role}\n{text.strip()}")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def entries(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line that is a JSON object, and the object; a host may have died in the midst of one."""
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield line, entry


def text_of(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
