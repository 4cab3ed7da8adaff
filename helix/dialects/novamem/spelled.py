"""How answers, times and refusals of this dialect are written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from helix.dialects.novamem.arguments import BadArguments
from helix.errors import BadValue, Forbidden, HelixError, MemoryNotFound, NotYours
from helix.vault.times import parse_time

NO_SUCH_MEMORY = "no such memory in your scope"


def to_time(written: str | None) -> str | None:
    """UTC, with milliseconds and a Z."""
    moment = parse_time(written)
    return None if moment is None else _spelled(moment)


def _spelled(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def say_error(error: HelixError) -> str:
    return f"error: {reason(error)}"


def say_unknown(name: str) -> str:
    return f"unknown tool: {name}"


def reason(error: HelixError) -> str:
    """Two texts are looked for by clients, of a key that may only read and of one that is bound to projects."""
    if isinstance(error, Forbidden):
        if any(f"'{permission}'" in error.message for permission in ("remember", "modify", "forget")):
            return "read-only token"
        if "this key is good for the project" in error.message:
            return "token is confined to its project"
    return error.message


def refusal(error: HelixError) -> dict[str, Any]:
    """The body of an answer over HTTP."""
    if isinstance(error, BadArguments):
        issues = [
            {"path": problem.path, "message": problem.message, "code": problem.code}
            for problem in error.problems
        ]
        return {"error": "invalid request body", "issues": issues, "code": error.code}
    return {"error": reason(error), "code": error.code}


def no_such_project(ref: str) -> HelixError:
    return MemoryNotFound(f"no such project '{ref[:128]}' — call project_list to see ids")


def only_owner(verb: str) -> HelixError:
    return NotYours(f"only the owner can {verb} a project")


def bad(message: str) -> HelixError:
    return BadValue(message)
