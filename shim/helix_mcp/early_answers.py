"""What a client is answered while the daemon starts.

Where nothing listens, the daemon is started beside the shim's first answers, which are those that the daemon would
give (`known_answers`). The session that the client was promised is opened as soon as the daemon is there, and what was
said for it is held against what it says itself.
"""

from __future__ import annotations

import json
import threading

from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.endpoint import RequestRefused, say
from helix_mcp.exchange import find_result
from helix_mcp.known_answers import KnownAnswers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from helix_mcp.endpoint import DaemonEndpoint
    from helix_mcp.exchange import KnownTools
    from helix_mcp.message import Message
    from helix_mcp.session import Session

_TRIES = 3


class Starting:
    def __init__(
        self,
        endpoint: DaemonEndpoint,
        session: Session,
        tools: KnownTools,
        known: Callable[[], KnownAnswers],
        on_open: Callable[[], None],
        on_change: Callable[[str], None],
    ) -> None:
        """`on_open` is called when the promised session is open, `on_change` with a list that is another one than the
        client was given (`tools`)."""
        self._endpoint = endpoint
        self._session = session
        self._tools = tools
        self._load = known
        self._known: KnownAnswers | None = None
        self._on_open = on_open
        self._on_change = on_change
        self._lock = threading.Lock()
        self._is_over = not endpoint.may_start
        self._given: dict[str, tuple[Message, dict[str, Any]]] = {}

    def answer(self, request: Message) -> bytes | None:
        """The answer to a request; None when the daemon is to be asked."""
        with self._lock:
            if self._is_over:
                return None
            is_first = self._known is None
            if is_first and self._endpoint.answers():
                self._is_over = True  # it speaks for itself
                return None
            self._known = self._known or self._load()
            result = self._known.find(request) if self._is_in_order(request) else None
            if result is None:
                self._is_over = self._is_over or is_first
                return None
            if request.method == "initialize":
                self._session.promise(request, result["protocolVersion"])
            self._given[request.method] = (request, result)
        if is_first:
            threading.Thread(target=self._run, name="starting", daemon=True).start()
        return json.dumps({"jsonrpc": "2.0", "id": request.id, "result": result}).encode()

    def _is_in_order(self, request: Message) -> bool:
        """A session begins with `initialize`, once."""
        return bool(request.version) or self._session.is_open != (request.method == "initialize")

    def _run(self) -> None:
        try:
            self._have_daemon()
        except (RequestRefused, NotSent, Lost, NotHttp):
            pass  # the first request that needs the daemon says so
        finally:
            with self._lock:
                self._is_over = True

    def _have_daemon(self) -> None:
        promised = self._session.generation
        for _ in range(_TRIES):
            self._endpoint.reach("nothing listens there")
            try:
                self._session.renew(promised)
                break
            except NotSent:
                pass  # it went away between the two
        if self._session.is_open and not self._session.is_promised:
            self._on_open()
        with self._lock:
            self._is_over = True
            given = list(self._given.values())
        for request, result in given:
            self._compare(request, result)

    def _compare(self, request: Message, given: dict[str, Any]) -> None:
        """Hold an answer against the daemon's own. It is another one when another release was started."""
        if request.method == "ping":
            return
        real = (
            self._session.opening_result
            if request.method == "initialize"
            else find_result(self._endpoint, request, request.routing_headers() or self._session.headers())
        )
        if request.method == "tools/list" and real is not None:
            self._tools.learn(real)
        if real is None or real == given:
            return
        say(
            f"the daemon that was started answers {request.method} in another way than this release of helix-mcp"
        )
        kind, _, is_list = request.method.partition("/")
        if is_list:
            self._on_change(kind)
