"""Connections that may not stay: half a request that never becomes a whole one, and more than there is room for.

uvicorn gives up on a connection that is idle between two requests, and on nothing else. Whoever opens a few hundred
connections and says half a header on each would take every file descriptor, and with them the daemon's own files.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# How long a request may take to say its method, path and headers; programs on this machine take a millisecond.
HEADER_PATIENCE = 10.0
# Descriptors that stay free for the vault, the databases and the index; and connections that are allowed anyway.
_KEPT_FREE = 128
_FEWEST = 32
_MOST = 1_000
# A connection is new for so long, in seconds.
_NEW = 1.0
# As many more may come while everybody else is being answered: that takes a moment, and being turned away is an error.
_SPARE = 32


class BoundedConnection(HttpToolsProtocol):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most = most_connections()
        self._header_due: asyncio.TimerHandle | None = None
        self._waiting_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_header()
        if len(self.connections) > self._most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        if self._header_due is None and self.is_waiting():
            self._expect_header()
        super().data_received(data)
        if not self.is_waiting():
            self._forget_header()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._waiting_since = self.loop.time()
        if len(self.connections) > self._most and self.is_waiting():
            self.transport.close()  # after the answer: its client opens another one when it needs it

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_header()
        super().connection_lost(exc)

    def is_waiting(self) -> bool:
        """Whether no request is under way: nothing was asked yet, or everything was answered."""
        return self.cycle is None or self.cycle.response_complete

    def _expect_header(self) -> None:
        self._waiting_since = self.loop.time()
        self._header_due = self.loop.call_later(HEADER_PATIENCE, self._give_up, self.cycle)

    def _forget_header(self) -> None:
        if self._header_due is not None:
            self._header_due.cancel()
            self._header_due = None

    def _give_up(self, before: object) -> None:
        self._header_due = None
        if self.cycle is before and not self.transport.is_closing():
            self.transport.abort()

    def is_new(self) -> bool:
        return self.cycle is None and self.loop.time() - self._waiting_since < _NEW

    def is_clients_turn(self) -> bool:
        """Whether it is the client's turn: to ask, or to send the rest of what it began."""
        return self.is_waiting() or self.cycle.more_body

    def _make_room(self) -> None:
        """The one whose client lets us wait longest goes: nobody keeps others out by holding all there are."""
        waiting_for = [
            connection
            for connection in self.connections
            if isinstance(connection, BoundedConnection)
            and connection is not self
            and connection.is_clients_turn()
            and not connection.transport.is_closing()
        ]
        if waiting_for:
            # Who has only just come may have asked already: nobody has looked yet.
            goes = min(waiting_for, key=lambda connection: (connection.is_new(), connection._waiting_since))
        elif len(self.connections) > self._most + _SPARE:
            goes = self
        else:
            return
        self.connections.discard(goes)
        goes.transport.abort()


def most_connections() -> int:
    """How many connections may be open at once: as many as the process may have files, less its own."""
    if sys.platform == "win32":
        return _MOST
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft == resource.RLIM_INFINITY else max(_FEWEST, min(_MOST, soft - _KEPT_FREE))
