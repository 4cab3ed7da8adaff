"""The session that the daemon keeps for this client, in the revisions of MCP that begin with `initialize`.

It outlives the daemon: when a new one does not know the session, it is opened again as the client opened it.
"""

from __future__ import annotations

import threading

from helix_mcp.connection import Lost, NotHttp, NotSent, TooSlow
from helix_mcp.endpoint import RequestRefused, say
from helix_mcp.events import EventParser
from helix_mcp.message import NOT_TAKEN, UNREACHABLE, header_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from helix_mcp.endpoint import DaemonEndpoint
    from helix_mcp.message import Message

HANDSHAKE_SECONDS = 30.0
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Session:
    def __init__(self, endpoint: DaemonEndpoint) -> None:
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._opening: Message | None = None
        self._standing: dict[str, bytes] = {}
        self.id = ""
        self.version = ""
        self.is_promised = False
        """the client was answered, and the daemon does not know the session yet"""
        self.opening_result: dict[str, Any] | None = None
        """what the daemon answered to `initialize` last"""
        self.generation = 0
        """counts the sessions, so that of several threads that lost one only the first opens the next"""

    @property
    def is_open(self) -> bool:
        return self._opening is not None

    def headers(self) -> dict[str, str]:
        headers = {"Mcp-Session-Id": self.id} if self.id else {}
        if self.version:
            headers["MCP-Protocol-Version"] = self.version
        return headers

    def promise(self, opening: Message, version: str) -> None:
        """The client was answered while the daemon starts. The session is opened as one that was lost is: `renew`."""
        with self._lock:
            self._opening, self.version, self.is_promised = opening, version, True

    def opened(self, opening: Message, session_id: str, answer: Message) -> None:
        """The daemon took `initialize`."""
        result = answer.body.get("result")
        if not isinstance(result, dict):
            return
        version = result.get("protocolVersion")
        self._opening = opening
        self.is_promised = False
        self.opening_result = result
        self.id = session_id
        self.version = header_value(version) if isinstance(version, str) else ""
        self.generation += 1

    def remember(self, request: Message) -> None:
        """What the client asked to hold for the whole session is asked again of the next one."""
        uri = str(request.params.get("uri", ""))
        if request.method == "logging/setLevel":
            self._standing["level"] = request.line
        elif request.method == "resources/subscribe":
            self._standing[f"resource {uri}"] = request.line
        elif request.method == "resources/unsubscribe":
            self._standing.pop(f"resource {uri}", None)

    def renew(self, lost: int) -> None:
        """Open the next session after the one numbered `lost`. NotSent when the daemon went away meanwhile."""
        with self._lock:
            if self.generation != lost or self._opening is None:
                return
            try:
                self._open_again(self._opening)
            except TooSlow as error:
                raise RequestRefused(
                    UNREACHABLE, f"the daemon did not open the session again: {error}"
                ) from error
            except Lost as error:
                raise NotSent(str(error)) from error  # nothing that must not be repeated was sent

    def _open_again(self, opening: Message) -> None:
        response = self._endpoint.post(opening.line, {}, seconds=HANDSHAKE_SECONDS)
        if not 200 <= response.status < 300:
            raise self._endpoint.refusal(response)
        for message in self._endpoint.messages(response, EventParser()):
            if message.is_answer:
                if "error" in message.body:
                    raise RequestRefused(
                        NOT_TAKEN, "the daemon restarted and refused the session", message.body["error"]
                    )
                before = self.version
                self.opened(opening, response.headers.get("mcp-session-id", ""), message)
                if self.version != before:
                    say(f"the daemon now speaks MCP {self.version} instead of {before}")
                break
        else:
            raise NotSent("it did not answer `initialize`")
        response.close()
        for line in (_INITIALIZED, *self._standing.values()):
            self._endpoint.post(line, self.headers(), seconds=HANDSHAKE_SECONDS).close()

    def close(self, seconds: float) -> None:
        if self.id:
            try:  # noqa: SIM105 (contextlib is slow to import)
                self._endpoint.delete(self.headers(), seconds)
            except (NotSent, Lost, NotHttp, RequestRefused):
                pass  # a daemon that is gone has no session left to close
