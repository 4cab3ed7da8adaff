"""Streams end with the key that opened them: whoever listens is not asked for it again."""

from __future__ import annotations

import logging
from collections.abc import Callable

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.errors import HelixError
from helix.surfaces.caller import principal_of

log = logging.getLogger(__name__)

_STREAM = "text/event-stream"
_LOOK_EVERY = 0.5


class OpenStreams:
    """Of the keys that were shown: which answers are still being given."""

    def __init__(self, is_valid: Callable[[str], bool]) -> None:
        """`is_valid` says of the id of a key whether it still opens anything."""
        self._is_valid = is_valid
        self._open: dict[str, set[anyio.CancelScope]] = {}

    def begin(self, key: str, stream: anyio.CancelScope) -> None:
        self._open.setdefault(key, set()).add(stream)

    def end(self, key: str, stream: anyio.CancelScope) -> None:
        streams = self._open.get(key, set())
        streams.discard(stream)
        if not streams:
            self._open.pop(key, None)

    async def watch(self) -> None:
        """Until it is cancelled."""
        while True:
            await anyio.sleep(_LOOK_EVERY)
            for key, streams in list(self._open.items()):
                if not self._still_opens(key):
                    for stream in list(streams):
                        stream.cancel()

    def _still_opens(self, key: str) -> bool:
        try:
            return self._is_valid(key)
        except HelixError as error:
            log.warning("streams are ended, since their keys cannot be looked up: %s", error.message)
            return False


class EndWithKey:
    """Inside the guard: an answer that is a stream is cut short when the key of its request is revoked or expires."""

    def __init__(self, app: ASGIApp, streams: OpenStreams) -> None:
        self._app = app
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = principal_of(scope).key if scope["type"] == "http" else None
        if key is None:
            await self._app(scope, receive, send)
            return
        is_complete = False
        stream = anyio.CancelScope()

        async def send_watched(message: Message) -> None:
            nonlocal is_complete
            if message["type"] == "http.response.start":
                if Headers(raw=message["headers"]).get("content-type", "").startswith(_STREAM):
                    self._streams.begin(key, stream)
            elif message["type"] == "http.response.body":
                is_complete = not message.get("more_body", False)
            await send(message)

        try:
            with stream:
                await self._app(scope, receive, send_watched)
        finally:
            self._streams.end(key, stream)
        if stream.cancelled_caught and not is_complete:
            await send({"type": "http.response.body", "body": b""})
