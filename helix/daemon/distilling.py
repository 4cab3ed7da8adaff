"""The program that proposes memories, in the daemon: a thread while there is something to ask it, and else none."""

from __future__ import annotations

import logging
import sqlite3
import threading

from helix.errors import HelixError
from helix.memory.followed_vault import FollowedVault

log = logging.getLogger(__name__)


class DistillSoon:
    def __init__(self, followed: FollowedVault) -> None:
        self._followed = followed
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def look(self) -> None:
        """With every full scan: whether a session has ended."""
        if not self._followed.config.distill.command or not self._followed.events.is_kept:
            return
        with self._lock:
            if not self._stopped.is_set() and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._work, name="helix-distill", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """The program that runs is ended; the session is asked about again later."""
        with self._lock:
            self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _work(self) -> None:
        # Here and not above: most vaults have no use for it.
        from helix.memory.distill.finished import Distiller

        followed = self._followed
        try:
            Distiller(followed.events, followed.state, followed.config.distill, self._stopped.is_set).work()
        except (HelixError, OSError, sqlite3.Error) as error:
            # What was not asked about is still there at the next look.
            log.warning("distilling failed; it is tried again: %s", type(error).__name__)
