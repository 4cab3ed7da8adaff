"""Which files are logs of which session: by their names alone, for it is asked of every file of a vault."""

from __future__ import annotations

import re

from helix.errors import BadValue

FOLDER = "sessions"
ARCHIVED = "archived-sessions"
"""where sessions lie that nobody reads any more, in folders of their own"""
REFS = "__refs__"
"""the log of the refs: no session, though it lies beside those"""
ERASED = "event.erased"
"""the type of an event that says of another, by its hash, that its content was erased"""
_BELOW = f"{FOLDER}/"
_SESSION = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,128}")
# With what rclone puts behind the name of a conflict copy.
_PATH = re.compile(rf"{FOLDER}/(?P<session>[^/]+)/[^/]+\.(?i:jsonl)(?:\.(?:\.path\d+|conflict\d+))?")


def session_of(path: str) -> str | None:
    """The session that a file of this name is a log of; None for any other file."""
    found = _PATH.fullmatch(path) if path.startswith(_BELOW) else None
    return found["session"] if found is not None and _SESSION.fullmatch(found["session"]) else None


def check_session(session: str) -> str:
    """The same name when it can only be that of a folder."""
    if not _SESSION.fullmatch(session):
        raise BadValue(
            f"Invalid session_id {session[:140]!r}: 1 to 128 letters, digits, `_`, `-` and `.`, and no dot in front"
        )
    return session
