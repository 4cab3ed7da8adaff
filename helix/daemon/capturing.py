"""Capture in the daemon: a thread for who has turned it on, and for anybody else one look for a file."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helix.capture.settings import is_on
from helix.memory.place import Place
from helix.memory.principal import LOCAL
from helix.memory.workspace import Workspace

if TYPE_CHECKING:
    from helix.capture.follower import CaptureFollower


class CaptureSoon:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._state = workspace.followed.state
        self._follower: CaptureFollower | None = None
        self._is_stopped = False
        self._lock = threading.Lock()

    def look(self) -> None:
        """With every full scan: whether somebody has turned it on since."""
        if not is_on(self._state):
            return
        # Here and not above: most vaults have no use for it.
        from helix.capture.follower import CaptureFollower

        with self._lock:
            if not self._is_stopped and (self._follower is None or not self._follower.is_alive):
                self._follower = CaptureFollower(self._state, self._ingest)
                self._follower.start()

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
        if self._follower is not None:
            self._follower.stop()

    def _ingest(self, session: str, events: Sequence[Mapping[str, Any]]) -> int:
        from helix.sessions.append import ingest

        self._workspace.freeze.check()  # what is refused is taken in when the vault is thawed
        # The user's own agents wrote it, on the user's own machine.
        request = self._workspace.request(LOCAL, Place(None, session, "capture"))
        return ingest(request, session_id=session, events=events)["imported"]
