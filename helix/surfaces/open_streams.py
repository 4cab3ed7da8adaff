"""Streams end with the key that opened them, or the session of a browser: whoever listens is not asked for it again."""

from __future__ import annotations

import logging
from collections.abc import Callable

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.errors import HelixError
from helix.memory.principal import Principal
from helix.surfaces.caller import principal_of

log = logging.getLogger(__name__)

_STREAM = "text/event-stream"
_LOOK_EVERY = 0.5


class OpenStreams:
    """Of those who were let in: which answers are still being given."""

    def __init__(self, is_let_in: Callable[[Principal], bool]) -> None:
        """`is_let_in` says whether what they showed still opens anything."""
        self._is_let_in = is_let_in
        self._open: dict[Principal, set[anyio.CancelScope]] = {}

    def begin(self, principal: Principal, stream: anyio.CancelScope) -> None:
        self._open.setdefault(principal, set()).add(stream)

    def end(self, principal: Principal, stream: anyio.CancelScope) -> None:
        streams = self._open.get(principal, set())
        streams.discard(stream)
        if not streams:
            self._open.pop(principal, None)

    async def watch(self) -> None:
        """Until it is cancelled."""
        while True:
            await anyio.sleep(_LOOK_EVERY)
            for principal, streams in list(self._open.items()):
                if not self._is_still_let_in(principal):
                    for stream in list(streams):
                        stream.cancel()

    def _is_still_let_in(self, principal: Principal) -> bool:
        try:
            return self._is_let_in(principal)
        except HelixError as error:
            log.warning("streams are ended, since those who listen cannot be looked up: %s", error.message)
            return False


class EndWithKey:
    """Inside the guard: an answer that is a stream is cut short when the key of its request is revoked or expires, or
    the session of the browser ends."""

    def __init__(self, app: ASGIApp, streams: OpenStreams) -> None:
        self._app = app
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = principal_of(scope)
        if scope["type"] != "http" or (principal.key is None and principal.browser_session is None):
            await self._app(scope, receive, send)
            return
        is_complete = False
        stream = anyio.CancelScope()

        async def send_watched(message: Message) -> None:
            nonlocal is_complete
            if message["type"] == "http.response.start":
                if Headers(raw=message["headers"]).get("content-type", "").startswith(_STREAM):
                    self._streams.begin(principal, stream)
            elif message["type"] == "http.response.body":
                is_complete = not message.get("more_body", False)
            await send(message)

        try:
            with stream:
                await self._app(scope, receive, send_watched)
        finally:
            self._streams.end(principal, stream)
        if stream.cancelled_caught and not is_complete:
            await send({"type": "http.response.body", "body": b""})
