"""A tool call in an open session, answered with one JSON body.

The protocol leaves it to the server whether the answer to a request is a body or a stream of events. The library makes
a stream with four tasks for each; that costs more than the search that is asked for. What needs a stream (a call that
wants to be told of progress), and everything but a plain call of a known tool in a session whose handshake is complete,
is left to the library, which also says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import anyio
from mcp.server.streamable_http import REQUEST_CANCELLED
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from helix.dialects.dialect import Tool
from helix.memory.tokens import Payload, serialize
from helix.surfaces.guard import CREDENTIAL
from helix.surfaces.mcp.call import ToolAnswer, Tools
from helix.surfaces.mcp.caller import Caller, Context, caller_in
from helix.surfaces.mcp.worker_threads import Stage

SESSION_ID = "mcp-session-id"
_VERSION = "mcp-protocol-version"
_VERSIONS = frozenset({"2025-06-18", "2025-11-25"})
"""in which tools have output schemas, so that the answers are of one form; older ones are left to the library"""
_CALL = "tools/call"
_PARAMETERS = frozenset({"name", "arguments", "_meta"})

Id = str | int


class OpenSession(NamedTuple):
    """What was agreed on in its handshake."""

    version: str
    client: str
    credential: str
    """that of whoever opened it; to anybody else there is no such session"""


class DirectCall(NamedTuple):
    session_id: str
    id: Id
    tool: Tool
    arguments: Mapping[str, Any]
    caller: Caller


class DirectCalls:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._open: dict[str, OpenSession] = {}
        self._under_way: dict[tuple[str, str], anyio.CancelScope] = {}

    def initialized(self, ctx: Context) -> None:
        """The handshake of a session is complete."""
        if ctx.request is None or ctx.protocol_version not in _VERSIONS:
            return
        session_id = ctx.request.headers.get(SESSION_ID)
        if session_id is not None and session_id not in self._open:
            caller, credential = caller_in(ctx), ctx.request.scope[CREDENTIAL]
            self._open[session_id] = OpenSession(ctx.protocol_version, caller.client, credential)
            connection = ctx.session._connection  # the only way from a call to what outlives it
            connection.exit_stack.callback(self._open.pop, session_id, None)

    def find(self, scope: Scope, headers: Headers, message: Payload) -> DirectCall | None:
        """The call that a message makes; None for one that is left to the library."""
        session = self._open.get(headers.get(SESSION_ID, ""))
        if session is None or message.get("method") != _CALL or message.get("jsonrpc") != "2.0":
            return None
        accepted = headers.get("accept", "")
        if (
            headers.get(_VERSION) != session.version
            or scope[CREDENTIAL] != session.credential
            or not ("application/json" in accepted and "text/event-stream" in accepted)
        ):
            return None
        request_id, params = message.get("id"), message.get("params")
        if not isinstance(request_id, Id) or isinstance(request_id, bool) or not isinstance(params, dict):
            return None
        tool, arguments = _asked(self._tools, params)
        if tool is None:
            return None
        caller = Caller(scope, session.client)
        return DirectCall(headers[SESSION_ID], request_id, tool, arguments, caller)

    async def answer(self, call: DirectCall) -> Response:
        key = (call.session_id, str(call.id))
        done: ToolAnswer | None = None
        with anyio.CancelScope() as cancelling:
            self._under_way[key] = cancelling
            try:
                done = await self._tools.answer(call.tool, call.arguments, call.caller, Stage())
            finally:
                del self._under_way[key]
        headers = {SESSION_ID: call.session_id}
        if done is None:
            # As the library answers, too: its client stumbles over a body that comes while it is being closed.
            return Response(_cancelled(call.id), headers=headers, media_type="text/event-stream")
        return Response(_body(call.id, done), headers=headers, media_type="application/json")

    def hear(self, session_id: str, message: Payload) -> None:
        """Of a notification, before the library does: a call may be cancelled that it knows nothing of."""
        params = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            cancelling = self._under_way.get((session_id, str(params.get("requestId"))))
            if cancelling is not None:
                cancelling.cancel()


def _asked(tools: Tools, params: Payload) -> tuple[Tool | None, Mapping[str, Any]]:
    name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    arguments = {} if arguments is None else arguments
    is_plain = isinstance(name, str) and isinstance(arguments, dict) and params.keys() <= _PARAMETERS
    wants_progress = meta is not None and (not isinstance(meta, dict) or "progressToken" in meta)
    return (tools.find(str(name)) if is_plain and not wants_progress else None), arguments


def _body(request_id: Id, done: ToolAnswer) -> bytes:
    content = [{"type": "text", "text": done.text}]
    structured = {} if done.payload is None else {"structuredContent": done.payload}
    result = {"content": content, **structured, "isError": done.is_error}
    return serialize({"jsonrpc": "2.0", "id": request_id, "result": result}).encode()


def _cancelled(request_id: Id) -> bytes:
    error = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
    message = serialize({"jsonrpc": "2.0", "id": request_id, "error": error})
    return f"event: message\r\ndata: {message}\r\n\r\n".encode()
