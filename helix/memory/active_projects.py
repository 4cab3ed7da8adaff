"""In which project somebody works, as they said it once: in a session, or wherever they do not say it.

A small file in the state folder; when it is lost nobody works in a project until they say so again.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from pathlib import Path

from helix.errors import StateUnwritable
from helix.state.permissions import FILE

ACTIVE_FILE = "active-projects.json"
_EVERYWHERE = ""
_MOST_SESSIONS = 1_000  # of one principal, the last ones


class ActiveProjects:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._known = _read(file)
        """by principal and session"""

    def read_again(self) -> None:
        """Another process has written it."""
        with self._lock:
            self._known = _read(self._file)

    def find(self, owner: str, session: str | None) -> str | None:
        """That of the session, or else the default."""
        own = self._known.get(owner)
        if own is None:
            return None
        return own.get(session or _EVERYWHERE) or own.get(_EVERYWHERE)

    def put(self, owner: str, session: str | None, project: str | None) -> None:
        """None takes it back."""
        with self._lock:
            own = dict(self._known.get(owner, {}))
            own.pop(session or _EVERYWHERE, None)
            if project is not None:
                own[session or _EVERYWHERE] = project
            sessions = [one for one in own if one != _EVERYWHERE]
            for oldest in sessions[:-_MOST_SESSIONS]:
                del own[oldest]
            known = {**self._known, owner: own}
            _write(self._file, known)
            self._known = known

    def drop(self, project: str) -> None:
        """Nobody works in it any more."""
        with self._lock:
            known = {
                owner: {session: name for session, name in own.items() if name != project}
                for owner, own in self._known.items()
            }
            if known != self._known:
                _write(self._file, known)
                self._known = known


def _read(file: Path) -> dict[str, dict[str, str]]:
    try:
        kept = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {
        owner: {session: project for session, project in own.items() if isinstance(project, str)}
        for owner, own in kept.items()
        if isinstance(own, dict)
    }


def _write(file: Path, known: dict[str, dict[str, str]]) -> None:
    draft = file.with_name(f"{file.name}-{secrets.token_hex(4)}")
    try:
        draft.touch(FILE)
        draft.write_text(json.dumps(known, ensure_ascii=False, indent=1), "utf-8")
        os.replace(draft, file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise StateUnwritable(f"{file} cannot be written ({error.strerror}); free some space") from error
