"""One dialect at one path: what is looked at before the protocol's own code sees a request.

Who may use it has been decided by the guard.
"""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, authorization_context
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from helix.config import Config
from helix.dialects.dialect import SessionWords
from helix.memory.tokens import Payload
from helix.surfaces.guard import CREDENTIAL
from helix.surfaces.mcp.direct_calls import SESSION_ID, DirectCalls
from helix.surfaces.problems import refuse

_MOST_SESSIONS = 256
_IDLE_SECONDS = 1800.0
_ACCEPTED = b"application/json, text/event-stream"


class DialectEndpoint:
    def __init__(
        self,
        server: Server[Any],
        direct: DirectCalls,
        *,
        words: SessionWords | None = None,
        most_sessions: int = _MOST_SESSIONS,
        idle_seconds: float = _IDLE_SECONDS,
        max_body_bytes: int = Config.max_body_bytes,
    ) -> None:
        self._sessions = StreamableHTTPSessionManager(
            server,
            session_idle_timeout=idle_seconds,
            max_sessions=most_sessions,
            # Clients with words of their own do not all read a stream of events, and those that do read JSON, too.
            json_response=words is not None,
            # The library has a bound of its own, which must not be the narrower one.
            max_request_body_size=max(max_body_bytes, 1),
        )
        self._direct = direct
        self._words = words
        self._idle_seconds = idle_seconds
        self._under_way: set[tuple[str, str]] = set()
        """ids of requests; of two with the same id in one session neither would get its answer"""

    def count(self) -> int:
        """Sessions that are open; clients of the protocol's stateless era have none."""
        return len(self._sessions._server_instances)  # the library says it nowhere else

    def run(self) -> AbstractAsyncContextManager[None]:
        return self._sessions.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The library ties a session to the user that opened it, and hides it from every other.
        user = AuthenticatedUser(AccessToken(token="", client_id=scope[CREDENTIAL], scopes=[]))
        # The library compares headers with the body; httptools hands them on with the white space around them.
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        if self._words is not None and scope["method"] == "POST":
            headers = [pair for pair in headers if pair[0] != b"accept"] + [(b"accept", _ACCEPTED)]
        await self._answer({**scope, "user": user, "headers": headers}, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        session = headers.get(SESSION_ID)
        if self._words is not None and scope["method"] in ("POST", "GET", "DELETE"):
            first = await receive() if scope["method"] == "POST" and session is None else None
            if (refusal := self._refused(self._words, scope, headers, first)) is not None:
                await refusal(scope, receive, send)
                return
            receive = receive if first is None else _again(first, receive)
        if scope["method"] != "POST" or session is None:
            await self._sessions.handle_request(scope, receive, send)
            return
        first = await receive()
        message = _message(first)
        self._direct.hear(session, message)
        request_id = message.get("id") if "method" in message else None
        if not isinstance(request_id, str | int):
            await self._sessions.handle_request(scope, _again(first, receive), send)
            return
        key = (session, str(request_id))
        if key in self._under_way:
            await _refusal(request_id)(scope, receive, send)
            return
        self._under_way.add(key)
        try:
            call = self._direct.find(scope, headers, message) if self._stays_open(session) else None
            if call is None:
                await self._sessions.handle_request(scope, _again(first, receive), send)
            else:
                await (await self._direct.answer(call))(scope, receive, send)
        finally:
            self._under_way.discard(key)

    def _refused(
        self, words: SessionWords, scope: Scope, headers: Headers, first: Message | None
    ) -> Response | None:
        """What clients hear of sessions in words that they look for, before the library says it in its own."""
        owner, session = authorization_context(scope["user"]), headers.get(SESSION_ID)
        if session is not None:
            if session not in self._sessions._server_instances:
                return refuse("no-such-path", words.unknown)
            is_theirs = self._sessions._session_owners.get(session) == owner
            return None if is_theirs else refuse("forbidden", words.foreign)
        if headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS:
            return None  # that era knows no sessions
        message = {} if first is None else _message(first)
        if first is not None and message.get("method") in ("initialize", "server/discover"):
            open_ones = list(self._sessions._session_owners.values()).count(owner)
            if message["method"] == "initialize" and open_ones >= words.most_sessions:
                return refuse("rate-limited", words.too_many_sessions, {"Retry-After": "5"})
            return None
        if first is not None and not message:
            return None  # the library says that it is no JSON
        error = {"code": -32000, "message": words.missing_header}
        return JSONResponse({"jsonrpc": "2.0", "error": error, "id": None}, 400)

    def _stays_open(self, session_id: str) -> bool:
        """Whether there is such a session, which counts as used from now on."""
        transport = self._sessions._server_instances.get(session_id)  # the library says it nowhere else
        if transport is None or transport.is_terminated:
            return False
        idle = transport.idle_scope
        if idle is not None and not idle.cancel_called:
            idle.deadline = max(idle.deadline, anyio.current_time() + self._idle_seconds)
        return idle is None or not idle.cancel_called


def _message(first: Message) -> Payload:
    """What is sent, if it is one message; the library says what is wrong with everything else."""
    try:
        body = json.loads(first.get("body", b""))
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _refusal(request_id: str | int) -> JSONResponse:
    error = {
        "code": types.INVALID_REQUEST,
        "message": f"request id {str(request_id)[:80]} is already under way",
    }
    return JSONResponse({"jsonrpc": "2.0", "id": request_id, "error": error}, status_code=400)


def _again(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message
