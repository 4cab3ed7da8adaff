"""Both directions: the client's lines to the daemon, the daemon's messages to the client."""

from __future__ import annotations

import _thread
import os
import threading
import time

from helix_mcp.early_answers import Starting
from helix_mcp.endpoint import DaemonEndpoint
from helix_mcp.exchange import Exchange, KnownTools, find_result, post_quietly
from helix_mcp.known_answers import KnownAnswers
from helix_mcp.message import INVALID_REQUEST, Malformed, error_line, parse
from helix_mcp.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from helix_mcp.listener import Listener
    from helix_mcp.message import Message
    from helix_mcp.settings import Settings

_OUTPUT = 1
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_NOTIFICATION_SECONDS = 5.0
_LAST_WORDS_SECONDS = 1.0
# Each has a thread and a connection; a client with more of them at once has run wild.
_MOST_IN_FLIGHT = 512


class Relay:
    def __init__(self, settings: Settings) -> None:
        self._endpoint = DaemonEndpoint(settings)
        self._session = Session(self._endpoint)
        self._tools = KnownTools()
        self._starting = Starting(
            self._endpoint,
            self._session,
            self._tools,
            lambda: KnownAnswers(settings.dialect, dotted=settings.is_dotted, tools=settings.tools),
            self._listen,
            self._tell_changed,
        )
        self._listener: Listener | None = None
        self._is_initialized = False
        self._output = threading.Lock()
        self._changed = threading.Condition()
        self._in_flight: dict[tuple[type, object], Exchange] = {}
        self._is_greeted = False
        self._posting = 0
        self._modern_version = ""
        if hasattr(os, "set_blocking"):
            os.set_blocking(_OUTPUT, True)  # a host may hand over a pipe that is not

    def accept(self, line: bytes) -> None:
        """One line of the client's. Requests are answered by threads of their own; the rest keeps its order."""
        line = line.strip(b" \t\r\n")
        if not line:
            return
        try:
            message = parse(line)
        except Malformed as error:
            self._write(error.answers)
            return
        if message.is_request:
            self._request(message)
        elif message.method == "notifications/cancelled":
            self._cancel(message)
        elif message.is_notification:
            self._notify(message)
        else:
            self._in_thread(self._post_answer, message)

    def _request(self, message: Message) -> None:
        if (known := self._starting.answer(message)) is not None:
            self._modern_version = message.version or self._modern_version
            self._is_greeted = self._is_greeted or message.method == "initialize"
            self._write(known)
            return
        exchange = Exchange(self._endpoint, self._session, self._tools, message, self._write)
        key = _key(message.id)
        with self._changed:
            crowded = len(self._in_flight) >= _MOST_IN_FLIGHT
            if taken := key in self._in_flight or crowded:
                reason = "too many requests in flight" if crowded else "a request with this id is in flight"
            else:
                self._in_flight[key] = exchange
        if taken:
            self._write(error_line(message.id, INVALID_REQUEST, reason))
            return
        self._modern_version = message.version or self._modern_version
        if message.method == "initialize":
            self._run(key, exchange)  # what comes after it needs the session
        else:
            self._in_thread(self._run, key, exchange)

    def _run(self, key: tuple[type, object], exchange: Exchange) -> None:
        try:
            exchange.run()
            self._listen()
        finally:
            with self._changed:
                del self._in_flight[key]
                self._changed.notify_all()
        if exchange.message.method == "tools/call":
            self._learn_tools(exchange.message)

    def _learn_tools(self, call: Message) -> None:
        """For a client that calls tools without listing them: a call that may be repeated needs no fresh connection."""
        with self._changed:
            if self._tools.is_asked:
                return
            self._tools.is_asked = True
        request = _list_of_tools(call)
        headers = request.routing_headers() or self._session.headers()
        self._tools.learn(find_result(self._endpoint, request, headers))

    def _in_thread(self, act: Callable[..., None], *arguments: object) -> None:
        # Not `Thread`, whose start waits until it runs: two switches more for each call.
        _thread.start_new_thread(act, arguments)

    def _notify(self, message: Message) -> None:
        is_initialized = message.method == "notifications/initialized"
        if self._is_greeted and is_initialized:
            self._is_greeted = False  # the daemon hears it when the session is opened there
        elif not self._session.is_promised:  # otherwise nothing is there yet that it could be about
            post_quietly(self._endpoint, message, self._headers(message), _NOTIFICATION_SECONDS)
        if is_initialized:
            self._is_initialized = True
            self._listen()

    def _listen(self) -> None:
        """To what the daemon says on its own account, once both sides know the session."""
        with self._changed:
            if self._listener is not None or not (self._is_initialized and self._session.id):
                return
            from helix_mcp.listener import Listener

            self._listener = Listener(self._endpoint, self._session, self._write)
            self._listener.start()

    def _tell_changed(self, kind: str) -> None:
        """As the daemon would: on the session's stream, or on each that was asked for since 2026-07-28."""
        with self._changed:
            requests = [exchange.message for exchange in self._in_flight.values()]
        streams = [{_SUBSCRIPTION: one.id} for one in requests if one.method == "subscriptions/listen"]
        for meta in streams if self._modern_version else [{}]:
            changed = _message(method=f"notifications/{kind}/list_changed", params={"_meta": meta})
            self._write(changed.line)

    def _post_answer(self, message: Message) -> None:
        """The client's answer to something that the daemon asked."""
        with self._changed:
            self._posting += 1
        try:
            post_quietly(self._endpoint, message, self._headers(message), _NOTIFICATION_SECONDS)
        finally:
            with self._changed:
                self._posting -= 1
                self._changed.notify_all()

    def _headers(self, message: Message) -> dict[str, str]:
        if headers := message.routing_headers():
            return headers
        if self._session.is_open or not self._modern_version:
            return self._session.headers()
        return {"MCP-Protocol-Version": self._modern_version}

    def _cancel(self, message: Message) -> None:
        wanted = message.params.get("requestId")
        with self._changed:
            exchange = self._in_flight.get(_key(wanted))
        if exchange is None:
            return  # it was answered meanwhile
        if not exchange.is_modern and exchange.is_under_way(_NOTIFICATION_SECONDS):
            post_quietly(self._endpoint, message, self._session.headers(), _NOTIFICATION_SECONDS)
        exchange.abandon()

    def _write(self, line: bytes) -> None:
        data = memoryview(line + b"\n")
        try:
            with self._output:
                while data:
                    data = data[os.write(_OUTPUT, data) :]
        except OSError:  # nobody reads the answers any more
            self._session.close(_LAST_WORDS_SECONDS)
            os._exit(0)

    def finish(self, patience: float) -> None:
        """No more lines will come: let what is under way end, for a while, then stop it and close the session."""
        deadline = time.monotonic() + patience
        with self._changed:
            while self._waited_for() and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            rest = list(self._in_flight.values())
        deadline = time.monotonic() + _LAST_WORDS_SECONDS
        for exchange in rest:
            if not exchange.is_modern and exchange.is_under_way(0) and time.monotonic() < deadline:
                post_quietly(
                    self._endpoint, _cancelled(exchange.message), self._session.headers(), _LAST_WORDS_SECONDS
                )
            exchange.abandon()
        if self._listener is not None:
            self._listener.stop()
        self._session.close(_LAST_WORDS_SECONDS)

    def _waited_for(self) -> bool:
        """A subscription never ends by itself."""
        return self._posting > 0 or any(
            exchange.message.method != "subscriptions/listen" for exchange in self._in_flight.values()
        )


def _key(identity: object) -> tuple[type, object]:
    """`1` and `"1"` are two ids, and `1` and `1.0` are, too."""
    return (type(identity), identity)


def _cancelled(request: Message) -> Message:
    return _message(
        method="notifications/cancelled", params={"requestId": request.id, "reason": "the client is gone"}
    )


def _list_of_tools(call: Message) -> Message:
    """A request for it, of the same revision as a call."""
    meta = call.params.get("_meta") if call.version else None
    return _message(id="helix-mcp", method="tools/list", params={"_meta": meta} if meta else {})


def _message(**fields: object) -> Message:
    import json

    from helix_mcp.message import Message

    body = {"jsonrpc": "2.0", **fields}
    return Message(json.dumps(body).encode(), body)
