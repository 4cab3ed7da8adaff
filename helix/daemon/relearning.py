"""Memories that could not be made of events, because a disk was full or an index not there, are made in the daemon."""

from __future__ import annotations

import logging
import threading

from helix.errors import HelixError
from helix.memory.place import Place
from helix.memory.principal import LOCAL
from helix.memory.workspace import Workspace

log = logging.getLogger(__name__)

_AT_ONCE = 100


class RelearnSoon:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._thread: threading.Thread | None = None
        self._is_stopped = False
        self._lock = threading.Lock()

    def look(self) -> None:
        """With every full scan: whether something is left to be learned."""
        index = self._workspace.followed.events.find_index()
        if index is None or not index.unlearned(1):
            return
        with self._lock:
            if not self._is_stopped and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._run, name="helix-relearn", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
        if self._thread is not None:
            self._thread.join(timeout=30)

    def _run(self) -> None:
        from helix.sessions.learn import relearn

        request = self._workspace.request(LOCAL, Place(None, None, "helix"))
        try:
            left = self._workspace.followed.events.index().unlearned(_AT_ONCE)
            done = relearn(request, left)
        except HelixError as error:
            log.warning("memories of events could not be made; it is tried again: %s", error.code)
            return
        if done:
            log.info("%d events were learned that could not be learned before", done)
