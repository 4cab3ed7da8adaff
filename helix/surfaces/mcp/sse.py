"""The transport of 2024-11-05, for clients that know no other: a stream of events, and messages posted beside it.

The library has one of its own, which can neither end a stream that nobody uses nor bound how many there are.
"""

from __future__ import annotations

import secrets
import uuid
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from helix.dialects.dialect import SessionWords
from helix.memory.principal import Principal
from helix.surfaces.guard import CREDENTIAL, PRINCIPAL
from helix.surfaces.mcp.direct_calls import SESSION_ID
from helix.surfaces.mcp.routes import MESSAGES, STREAM
from helix.surfaces.problems import refuse

_PING_SECONDS = 25.0  # nginx, for one, closes a connection that was silent for a minute
_IDLE_SECONDS = 1800.0
_MOST_STREAMS = 10
_POST_PATIENCE = 10.0
_PARAMETER = "session_id"
_STILL_HERE = b": still here\n\n"
_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]


class _Stream:
    def __init__(self, server: Server[Any], scope: Scope, idle_seconds: float) -> None:
        self.id = str(uuid.UUID(bytes=secrets.token_bytes(16), version=4))
        self.server = server
        self.credential: str = scope[CREDENTIAL]
        self.user = _user(scope)
        # Where a call comes from is what was said when the stream was opened; the id makes a session of it.
        own = [(name, value) for name, value in scope["headers"] if name != SESSION_ID.encode()]
        self._scope = {**scope, "headers": [*own, (SESSION_ID.encode(), self.id.encode())]}
        self.to_server, self.incoming = create_context_streams[SessionMessage | Exception](0)
        self.to_client, self.outgoing = create_context_streams[SessionMessage](0)
        self.open = anyio.CancelScope()
        self._idle_seconds = idle_seconds

    def is_used(self) -> None:
        self.open.deadline = anyio.current_time() + self._idle_seconds

    def close(self) -> None:
        for end in (self.to_server, self.incoming, self.to_client, self.outgoing):
            end.close()

    def request(self, scope: Scope) -> Request:
        """A posted message as if it had come with the stream; whoever posts it has just been looked at again."""
        return Request({**self._scope, PRINCIPAL: scope[PRINCIPAL]})


class SseStreams:
    """Those of all dialects: how many somebody may have open does not depend on what they speak."""

    def __init__(
        self,
        *,
        ping_seconds: float = _PING_SECONDS,
        idle_seconds: float = _IDLE_SECONDS,
        most_streams: int = _MOST_STREAMS,
        post_patience: float = _POST_PATIENCE,
    ) -> None:
        """`most_streams` is for each user; `post_patience` for a client that does not read what it asked for."""
        self._ping_seconds = ping_seconds
        self._idle_seconds = idle_seconds
        self._most = most_streams
        self._post_patience = post_patience
        self._open: dict[str, _Stream] = {}
        self._has_ended = False

    def count(self) -> int:
        return len(self._open)

    def end(self) -> None:
        """On the event loop: for good."""
        self._has_ended = True
        for stream in self._open.values():
            stream.open.cancel()

    async def open(
        self, server: Server[Any], words: SessionWords | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if self._has_ended:
            await refuse("busy", "the daemon is about to stop", {"Retry-After": "1"})(scope, receive, send)
            return
        user = _user(scope)
        if sum(stream.user == user for stream in self._open.values()) >= self._most:
            message = f"{self._most} streams are open already; close one first"
            message = message if words is None else words.too_many_streams
            await refuse("rate-limited", message, {"Retry-After": "5"})(scope, receive, send)
            return
        stream = _Stream(server, scope, self._idle_seconds)
        self._open[stream.id] = stream
        try:
            with stream.open:
                stream.is_used()
                await self._serve(stream, words, scope, receive, send)
        finally:
            del self._open[stream.id]
            stream.close()
        await send({"type": "http.response.body"})

    async def _serve(
        self, stream: _Stream, words: SessionWords | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        async def tell(data: bytes) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": True})

        async def ping() -> None:
            while True:
                await anyio.sleep(self._ping_seconds)
                await tell(_STILL_HERE)

        async def leave_with_client() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            stream.open.cancel()

        path, parameter = (MESSAGES, _PARAMETER) if words is None else (words.messages, words.parameter)
        posted_to = f"{scope['path'].removesuffix(STREAM)}{path}?{parameter}={stream.id}"
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await tell(_event("endpoint", posted_to))
        async with anyio.create_task_group() as group:
            options = stream.server.create_initialization_options()
            group.start_soon(stream.server.run, stream.incoming, stream.to_client, options)
            group.start_soon(ping)
            group.start_soon(leave_with_client)
            async for message in stream.outgoing:
                stream.is_used()
                body = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await tell(_event("message", body))
            group.cancel_scope.cancel()

    async def take(
        self, server: Server[Any], words: SessionWords | None, scope: Scope, receive: Receive
    ) -> Response:
        """A posted message. Its answer comes over the stream."""
        posted = Request(scope, receive)
        stream_id = posted.query_params.get(_PARAMETER if words is None else words.parameter, "")
        if words is not None and not stream_id:
            return refuse("bad-request", words.missing)
        stream = self._open.get(stream_id)
        # To anybody but who opened it, and to another dialect, there is no such stream.
        if stream is None or stream.server is not server:
            return _gone(words)
        if stream.credential != scope[CREDENTIAL]:
            return _gone() if words is None else refuse("forbidden", words.foreign)
        try:
            message = types.jsonrpc_message_adapter.validate_json(await posted.body(), by_name=False)
        except ValidationError:
            return refuse("bad-request", "the body is not one message of JSON-RPC")
        stream.is_used()
        metadata = ServerMessageMetadata(request_context=stream.request(scope))
        try:
            # A client that posts and does not read would otherwise hold places that others wait for.
            with anyio.fail_after(self._post_patience):
                await stream.to_server.send(SessionMessage(message, metadata=metadata))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return _gone(words)
        except TimeoutError:
            return refuse("busy", "the stream is not being read", {"Retry-After": "1"})
        return Response("Accepted", status_code=202)


class SseEndpoint:
    """A dialect at its two paths."""

    def __init__(self, server: Server[Any], streams: SseStreams, words: SessionWords | None = None) -> None:
        self._server = server
        self._streams = streams
        self._words = words

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wanted = "GET" if scope["path"].endswith(STREAM) else "POST"
        if scope["method"] != wanted:
            refusal = refuse("wrong-method", f"this path takes {wanted}", {"Allow": wanted})
            await refusal(scope, receive, send)
        elif wanted == "GET":
            await self._streams.open(self._server, self._words, scope, receive, send)
        else:
            await (await self._streams.take(self._server, self._words, scope, receive))(scope, receive, send)


def _user(scope: Scope) -> str:
    """With whichever of their keys somebody comes."""
    principal: Principal = scope[PRINCIPAL]
    return principal.user or principal.id


def _event(kind: str, data: str) -> bytes:
    return f"event: {kind}\ndata: {data}\n\n".encode()


def _gone(words: SessionWords | None = None) -> Response:
    return refuse("no-such-path", "there is no such stream; open one" if words is None else words.unknown)
