"""How much at once: requests in flight, and the size of a request's body."""

from __future__ import annotations

import anyio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.surfaces.guard import access_in
from helix.surfaces.problems import refuse

# A body that trickles in holds a place that others wait for.
_BODY_PATIENCE = 30.0


class Limits:
    """A request counts until its answer begins, so that a stream that stays open takes no place."""

    def __init__(self, app: ASGIApp, *, max_in_flight: int, max_body_bytes: int) -> None:
        self._app = app
        self._most = max_in_flight
        self._largest = max_body_bytes
        self.in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or access_in(scope).is_unlimited:
            await self._app(scope, receive, send)
            return
        if self.in_flight >= self._most:
            await refuse("busy", "too much at once; try again in a second", {"Retry-After": "1"})(
                scope, receive, send
            )
            return
        counted = True
        self.in_flight += 1

        async def send_counted(message: Message) -> None:
            nonlocal counted
            if counted:
                self.in_flight -= 1
                counted = False
            await send(message)

        try:
            await self._with_body(scope, receive, send_counted)
        finally:
            if counted:
                self.in_flight -= 1

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        length = headers.get("content-length", "").strip()
        if not length and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        if length.isdecimal() and int(length) > self._largest:
            await self._too_large()(scope, receive, send)
            return
        body = bytearray()
        more = True
        with anyio.move_on_after(_BODY_PATIENCE) as patience:
            # Read here and not as it is used: whoever reads it would turn a refusal into an answer of its own.
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    return  # gone before all of it was here
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > self._largest:
                    await self._too_large()(scope, receive, send)
                    return
        if patience.cancelled_caught:
            await refuse("too-slow", "the body did not arrive in time", {"Connection": "close"})(
                scope, receive, send
            )
            return
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, replay, send)

    def _too_large(self) -> JSONResponse:
        message = f"the body is longer than {self._largest} bytes"
        return refuse("too-large", message, {"Connection": "close"})
