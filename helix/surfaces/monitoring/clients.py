"""Who has asked lately: a short table of names, the one that was longest silent falling out first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime

from helix.memory.place import Place
from helix.memory.tokens import Payload
from helix.vault.times import format_time

_KEPT = 100
_SESSIONS_KEPT = 200


class Clients:
    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: OrderedDict[tuple[str, str | None, str], tuple[datetime, OrderedDict[str, None]]] = (
            OrderedDict()
        )

    def saw(self, place: Place, transport: str) -> None:
        key = (place.client or "unknown", place.project, transport)
        with self._lock:
            _, sessions = self._seen.pop(key, (None, OrderedDict()))
            if place.session is not None:
                sessions.pop(place.session, None)
                sessions[place.session] = None
                if len(sessions) > _SESSIONS_KEPT:
                    sessions.popitem(last=False)
            self._seen[key] = (self._clock(), sessions)
            if len(self._seen) > _KEPT:
                self._seen.popitem(last=False)

    def lately(self) -> list[Payload]:
        """The last one first."""
        with self._lock:
            return [
                {
                    "name": name,
                    "project": project,
                    "session_count": len(sessions),
                    "transport": transport,
                    "last_seen": format_time(at),
                }
                for (name, project, transport), (at, sessions) in reversed(self._seen.items())
            ]
