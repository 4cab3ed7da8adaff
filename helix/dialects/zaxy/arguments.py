"""Arguments of this dialect: which session is meant, and what clients of it expect to be refused, in their words."""

from __future__ import annotations

import re
from typing import Any

from helix.dialects.dialect import Arguments
from helix.errors import BadValue
from helix.memory.request import Request
from helix.sessions.verbs import MOST_SEQ
from helix.vault.log.log_paths import check_session

LONGEST_QUERY = 4096
_MOST = 100
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_SLUG = 100


def session_of(request: Request, arguments: Arguments) -> str:
    """What the call names, as far as its connection may; else that of the connection, else that of its project."""
    place = request.place
    named = text(arguments, "session_id") or text(arguments, "thread")
    if named is not None:
        check_session(named)
    if place.session is not None and place.session_is == "held":
        held = check_session(place.session)
        if named not in (None, held):
            raise BadValue(
                f"session {named!r} is outside the session scope of this connection, {held!r}; leave session_id out"
            )
        return held
    if named is None and place.session is not None and place.session_is == "named":
        # It may be a name in any script, since it stands in notes; a log is named by a folder.
        return check_session(place.session)
    return named or default_session(place.project)


def default_session(project: str | None) -> str:
    if project is None:
        return "default"
    slug = re.sub(r"-{2,}", "-", _NOT_IN_A_NAME.sub("-", project.lower())).strip("-._")[:_LONGEST_SLUG]
    return f"{slug or 'project'}-default"


def text(arguments: Arguments, name: str) -> str | None:
    """A blank text counts as one that was not given."""
    given = arguments.get(name)
    return given.strip() or None if isinstance(given, str) else None


def needed(arguments: Arguments, name: str) -> str:
    given = text(arguments, name)
    if given is None:
        raise BadValue(f"{name} is required, and may not be blank")
    return given


def texts(arguments: Arguments, name: str) -> list[str]:
    return [one.strip() for one in arguments.get(name, ()) if one.strip()]


def query_of(arguments: Arguments, default: str | None = None) -> str:
    query = text(arguments, "query") or default
    if query is None or len(query) > LONGEST_QUERY:
        raise BadValue(f"query must be a text of 1 to {LONGEST_QUERY} characters")
    return query


def count_of(arguments: Arguments, name: str, default: int) -> int:
    given = int(arguments.get(name, default))
    if not 1 <= given <= _MOST:
        where = "" if name == "limit" else f"{name}: "
        raise BadValue(f"{where}limit must be between 1 and {_MOST}")
    return given


def seq_of(arguments: Arguments, name: str) -> int:
    given = int(arguments.get(name, 1))
    if not 1 <= given <= MOST_SEQ:
        raise BadValue(f"{name} must be 1 or more, the number of an event")
    return given


def share_of(arguments: Arguments, name: str) -> float | None:
    """What lies outside of 0 to 1 is brought to its nearest end."""
    given = arguments.get(name)
    return None if given is None else min(1.0, max(0.0, float(given)))


def one_of(arguments: Arguments, name: str, called: str, choices: tuple[str, ...]) -> str:
    given = needed(arguments, name).casefold()
    if given not in choices:
        raise BadValue(f"{called} must be one of {', '.join(choices)}")
    return given


def given(**values: Any) -> dict[str, Any]:
    """Without those that are not there."""
    return {name: value for name, value in values.items() if value not in (None, [])}
