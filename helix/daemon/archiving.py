"""Sessions that are over the limits are archived in the daemon, a few with every full scan, and it says which."""

from __future__ import annotations

import logging
import sqlite3
import threading
from itertools import islice

from helix.errors import HelixError
from helix.memory.followed_vault import FollowedVault

log = logging.getLogger(__name__)

_AT_ONCE = 20


class ArchiveSoon:
    def __init__(self, followed: FollowedVault) -> None:
        self._followed = followed
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def look(self) -> None:
        """With every full scan: whether there are limits at all."""
        limits = self._followed.config.sessions
        if limits.archive_after_days <= 0 and limits.archive_over_mb <= 0:
            return
        with self._lock:
            if not self._stopped.is_set() and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._run, name="helix-archive", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        with self._lock:
            self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def _run(self) -> None:
        # Here and not above: who has no limits has no use for it.
        from helix.sessions.archive import over_limits

        events, now = self._followed.events, self._followed.vault.clock()
        try:
            for session, reason, limit in islice(
                over_limits(events, self._followed.config.sessions, now), _AT_ONCE
            ):
                if self._stopped.is_set():
                    return
                events.archive(session, reason, limit)
                # A warning, so that it is read: at the default level nothing less is.
                log.warning("the session %s was archived, by its %s: the limit is %s", session, reason, limit)
        except (HelixError, OSError, sqlite3.Error) as error:
            log.warning("sessions could not be archived; it is tried again: %s", type(error).__name__)
