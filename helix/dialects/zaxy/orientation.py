"""Tools that tell a model what memory is and what to call first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments
from helix.dialects.zaxy.arguments import given, session_of, text
from helix.dialects.zaxy.spelled import indented
from helix.errors import SessionNotFound
from helix.memory.request import Request

_OBSERVED = ("hook.", "transcript.", "command.", "file.edit.", "tool.call.")
"""how the types of events begin that are taken in while an agent works"""


def capabilities(request: Request, arguments: Arguments) -> str:
    session = session_of(request, arguments)
    able = ask(request, "session_capabilities", session_id=session, **_task(arguments))
    return indented(_spelled(able, _observations(request, session)))


def bootstrap(request: Request, arguments: Arguments) -> str:
    session = session_of(request, arguments)
    # Before the call, which leaves a mark of its own.
    observed = _observations(request, session)
    packet = ask(request, "session_bootstrap", session_id=session, **_task(arguments))
    return indented(
        {
            **packet,
            "capabilities": _spelled(packet["capabilities"], observed),
            # Who takes them in is a matter of the daemon and no process of its own.
            "capture": {
                "configured": observed is not None,
                "running": observed is not None,
                "pids": [],
                "latest_observation": observed,
            },
            "prompt": _titled(packet["prompt"], "Session Bootstrap"),
        }
    )


def _task(arguments: Arguments) -> dict[str, Any]:
    return given(current_task=text(arguments, "current_task"))


def _spelled(able: Mapping[str, Any], observed: str | None) -> dict[str, Any]:
    message = "nothing was taken in while the agent worked" if observed is None else f"last at {observed}"
    status = {
        **able["status"],
        "hooks": {"status": "missing" if observed is None else "observed", "message": message},
        "packet_memory": {
            "status": "unavailable",
            "message": "requests to a model's provider are not recorded",
            "details": {},
        },
    }
    return {**able, "status": status, "prompt": _titled(able["prompt"], "Memory Contract")}


def _titled(prompt: str, title: str) -> str:
    return prompt.replace(f"# {title}", f"# Zaxy {title}", 1)


def _observations(request: Request, session: str) -> str | None:
    """When the log of a session last grew, if what an agent does is taken in there."""
    try:
        known = ask(request, "session", session_id=session)
    except SessionNotFound:
        return None
    return str(known["last"]) if any(kind.startswith(_OBSERVED) for kind in known["types"]) else None
