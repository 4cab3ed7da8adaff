"""One dialect at one path: what is looked at before the protocol's own code sees a request.

Who may use it has been decided by the guard.
"""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from helix.config import Config
from helix.surfaces.guard import CREDENTIAL

_MOST_SESSIONS = 256
_IDLE_SECONDS = 1800.0


class DialectEndpoint:
    def __init__(
        self,
        server: Server[Any],
        *,
        most_sessions: int = _MOST_SESSIONS,
        idle_seconds: float = _IDLE_SECONDS,
        max_body_bytes: int = Config.max_body_bytes,
    ) -> None:
        self._sessions = StreamableHTTPSessionManager(
            server,
            session_idle_timeout=idle_seconds,
            max_sessions=most_sessions,
            # The library has a bound of its own, which must not be the narrower one.
            max_request_body_size=max(max_body_bytes, 1),
        )
        self._app = OneOfEachId(self._sessions)

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
        await self._app({**scope, "user": user, "headers": headers}, receive, send)


class OneOfEachId:
    """Refuses a request whose id is that of one under way in the same session: neither would get its answer."""

    def __init__(self, sessions: StreamableHTTPSessionManager) -> None:
        self._sessions = sessions
        self._under_way: set[tuple[str, str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = Headers(scope=scope).get("mcp-session-id")
        if scope["method"] != "POST" or session is None:
            await self._sessions.handle_request(scope, receive, send)
            return
        first = await receive()
        request_id = _request_id(first)
        if request_id is None:
            await self._sessions.handle_request(scope, _again(first, receive), send)
            return
        key = (session, str(request_id))
        if key in self._under_way:
            error = {
                "code": types.INVALID_REQUEST,
                "message": f"request id {key[1][:80]} is already under way",
            }
            refusal = JSONResponse({"jsonrpc": "2.0", "id": request_id, "error": error}, status_code=400)
            await refusal(scope, receive, send)
            return
        self._under_way.add(key)
        try:
            await self._sessions.handle_request(scope, _again(first, receive), send)
        finally:
            self._under_way.discard(key)


def _request_id(message: Message) -> str | int | None:
    """None for what is no request; the library says what is wrong with it."""
    try:
        body = json.loads(message.get("body", b""))
    except (ValueError, RecursionError):
        return None
    request_id = body.get("id") if isinstance(body, dict) and "method" in body else None
    return request_id if isinstance(request_id, str | int) else None


def _again(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message
