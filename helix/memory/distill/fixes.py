"""A fix that worked, in the log of a session: a command fails, files are edited, the same command passes, and the agent
says what the cause was. Without that sentence nothing is proposed: that a test passes again teaches nobody anything.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from helix.memory.distill.statements import sentences

Place = TypeVar("Place")

REMEMBERED = 40
"""things done in a session between which a connection is looked for"""
KINDS = ("transcript.turn", "command.completed", "file.edit.applied")
_MOST_EDITS = 5
_SOON = 6
"""things done after the command passed, within which the cause is told"""

_CAUSE = re.compile(
    r"\b(?:(?:root )?cause|problem|issue|bug|culprit|reason)\b[^.?!;]{0,60}? (?:was|is|were)\b(?! "
    r"(?:fixed|gone|now|still))"
    r"|\bturn(?:s|ed) out\b"
    r"|\b(?:fail(?:ed|s)|broke|crashed|hung|was wrong|went wrong|timed out) because\b"
    r"|\bfixed (?:[\w`']+ ){0,4}by \w+ing\b",
    re.IGNORECASE,
)
# Their status says what was found, and not whether something works.
_LOOKS_ONLY = re.compile(
    r"(?:sudo |cd \S+ && )*(?:e?grep|rg|ls|cat|find|diff|test|\[|which|git (?:diff|status|log|show|grep)|"
    r"head|tail|curl)\b"
)


@dataclass(frozen=True)
class Fix(Generic[Place]):
    cause: Place
    """the turn that tells it"""
    start: int
    end: int
    command: Place
    """that passed"""
    edits: tuple[Place, ...]


@dataclass(frozen=True)
class _Deed(Generic[Place]):
    place: Place
    command: str = ""
    has_failed: bool = False
    is_edit: bool = False
    cause: tuple[int, int] | None = None


class Trail(Generic[Place]):
    """What was done in one session lately. A place is whatever its owner finds an event by."""

    def __init__(self) -> None:
        self._deeds: deque[_Deed[Place]] = deque(maxlen=REMEMBERED)

    def add(self, place: Place, kind: str, payload: Mapping[str, Any]) -> Fix[Place] | None:
        """The fix that this event completes, if it does."""
        deed = _deed(place, kind, payload)
        if deed is None:
            return None
        self._deeds.append(deed)
        if deed.is_edit or deed.has_failed:
            return None
        fix = self._completed(list(self._deeds))
        if fix is not None:
            self._deeds.clear()
        return fix

    def _completed(self, deeds: list[_Deed[Place]]) -> Fix[Place] | None:
        for at in range(len(deeds) - 1, max(-1, len(deeds) - 1 - _SOON), -1):
            passed = deeds[at]
            if not passed.command or passed.has_failed:
                continue
            failed = next((n for n in range(at) if deeds[n].command == passed.command), None)
            if failed is None or not deeds[failed].has_failed:
                continue
            edits = [deed.place for deed in deeds[failed:at] if deed.is_edit]
            telling = next((deed for deed in reversed(deeds[failed:]) if deed.cause is not None), None)
            if edits and telling is not None and telling.cause is not None:
                return Fix(
                    telling.place, *telling.cause, passed.place, tuple(dict.fromkeys(edits))[-_MOST_EDITS:]
                )
        return None


def _deed(place: Place, kind: str, payload: Mapping[str, Any]) -> _Deed[Place] | None:
    if kind == "file.edit.applied":
        return _Deed(place, is_edit=True)
    if kind == "command.completed":
        command = " ".join(str(payload.get("command") or "").split())
        if not command or _LOOKS_ONLY.match(command):
            return None
        return _Deed(place, command=command, has_failed=bool(payload.get("exit_code")))
    text = payload.get("content")
    if payload.get("role") != "assistant" or not isinstance(text, str):
        return None
    cause = next((place for place in sentences(text) if _tells_cause(text[slice(*place)])), None)
    return _Deed(place, cause=cause)


def _tells_cause(sentence: str) -> bool:
    return not sentence.rstrip().endswith("?") and _CAUSE.search(sentence) is not None
