"""The daemon's MCP endpoint: sending to it, and getting it to be there."""

from __future__ import annotations

import json
import sys
import threading
import time

from helix_mcp.connection import Connection, Lost, NotHttp, NotSent
from helix_mcp.events import EventParser, events
from helix_mcp.message import NOT_TAKEN, UNREACHABLE, parse_from_server
from helix_mcp.proof import NotYours
from helix_mcp.wire import RequestInFlight, Response, Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from helix_mcp.message import Message
    from helix_mcp.settings import Settings

# How long a daemon that this shim cannot start gets to come back, once it was there.
_COMES_BACK_SECONDS = 30.0
_LOOK_EVERY = 0.05
_HEALTH_SECONDS = 2.0
_HINTS = {
    401: "it asks for its token: set HELIX_TOKEN",
    403: "it does not let this client in",
    413: "the message is larger than it takes",
    421: "it does not answer to the name in HELIX_URL: use 127.0.0.1",
    429: "it has too much to do",
    503: "it cannot take this now",
}


class RequestRefused(Exception):
    """The request cannot be carried out; the client is told so in a JSON-RPC error."""

    def __init__(self, code: int, reason: str, error: object = None) -> None:
        super().__init__(reason)
        self.code = code
        self.error = error  # the daemon's own JSON-RPC error, if it sent one


def say(text: str) -> None:
    """To the person who reads the host's log."""
    try:
        sys.stderr.write(f"helix-mcp: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody listens


class DaemonEndpoint:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._server = Server(settings.address, settings.headers, settings.owner)
        self._lock = threading.Lock()
        self._was_there = False
        self._failure = (0.0, "")
        self._warned = ""

    @property
    def url(self) -> str:
        return self._settings.address.url

    @property
    def may_start(self) -> bool:
        return self._settings.may_start

    def post(
        self,
        line: bytes,
        headers: Mapping[str, str],
        *,
        fresh: bool = False,
        seconds: float | None = None,
        call: RequestInFlight | None = None,
    ) -> Response:
        accepted = {"Accept": "application/json, text/event-stream", **headers}
        return self._ask("POST", accepted, line, fresh=fresh, seconds=seconds, call=call)

    def get(self, headers: Mapping[str, str], call: RequestInFlight) -> Response:
        return self._ask("GET", {"Accept": "text/event-stream", **headers}, b"", fresh=True, call=call)

    def delete(self, headers: Mapping[str, str], seconds: float) -> None:
        self._ask("DELETE", headers, b"", fresh=True, seconds=seconds).close()

    def _ask(
        self,
        method: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        fresh: bool,
        seconds: float | None = None,
        call: RequestInFlight | None = None,
    ) -> Response:
        try:
            response = self._server.ask(
                method, self._settings.path, headers, body, fresh=fresh, seconds=seconds, call=call
            )
        except NotYours as error:
            if str(error) != self._warned:  # once, and not at each try
                self._warned = str(error)
                say(self._warned)
            raise RequestRefused(UNREACHABLE, str(error)) from error
        except NotHttp as error:
            raise RequestRefused(
                NOT_TAKEN, f"what answers at {self.url} is not helixd: it said {str(error)!r}"
            ) from error
        self._was_there = True
        return response

    def reach(self, reason: str) -> None:
        """Wait until the daemon can be connected to; start it if that is allowed.

        Raises RequestRefused when it cannot be had.
        """
        began = time.monotonic()
        with self._lock:  # one thread tries; the others take its result
            failed, why = self._failure
            if failed > began:
                raise RequestRefused(UNREACHABLE, why)
            try:
                self._have_daemon(reason)
            except RequestRefused as refused:
                self._failure = (time.monotonic(), str(refused))
                say(str(refused))
                raise

    def _have_daemon(self, reason: str) -> None:
        if self.answers():
            return None
        deadline = time.monotonic() + (_COMES_BACK_SECONDS if self._was_there else 0.0)
        why = f"no daemon answers at {self.url} ({reason}); start it with `helixd`, or set HELIX_URL"
        if self._settings.may_start:
            from helix_mcp.start_daemon import CannotStart, start

            try:
                return start(self._settings, self.answers, say)
            except CannotStart as error:
                why = str(error)
        while time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY)
            if self.answers():
                return None
        raise RequestRefused(UNREACHABLE, why)

    def answers(self) -> bool:
        """Whether something listens there."""
        try:
            Connection(self._settings.address).close()
        except NotSent:
            return False
        return True

    def messages(self, response: Response, parser: EventParser) -> Iterator[Message]:
        """The JSON-RPC messages of an answer, one or a stream of them."""
        if response.kind == "text/event-stream":
            for data in events(response.pieces(), parser):
                message = parse_from_server(data)
                if message is None:
                    say(f"the daemon sent something that is not JSON-RPC: {data[:80]!r}")
                else:
                    yield message
            return
        body = response.read()
        message = parse_from_server(body) if response.kind == "application/json" else None
        if message is None:
            raise RequestRefused(NOT_TAKEN, self._not_mcp(response.status, response.kind, body))
        yield message

    def refusal(self, response: Response) -> RequestRefused:
        """What an answer other than 2xx means."""
        status = response.status
        try:
            body = response.read(65536)
        except (Lost, NotHttp):
            body = b""
        problem = _error_in(body) if response.kind == "application/json" else None
        if isinstance(problem, dict):
            return RequestRefused(NOT_TAKEN, str(problem.get("message", "")), problem)
        if 300 <= status < 400:
            location = response.headers.get("location", "another place")
            return RequestRefused(NOT_TAKEN, f"{self.url} leads on to {location}; set HELIX_URL to that")
        if problem is None and status not in _HINTS:
            return RequestRefused(NOT_TAKEN, self._not_mcp(status, response.kind, body))
        parts = [str(one) for one in (_HINTS.get(status), problem) if one]
        return RequestRefused(NOT_TAKEN, f"the daemon at {self.url} answered {status}: {'; '.join(parts)}")

    def _not_mcp(self, status: int, kind: str, body: bytes) -> str:
        """An answer that is no MCP: say who gave it."""
        excerpt = " ".join(body[:200].decode("utf-8", "replace").split())
        outcome = f"answered MCP with {status} {kind or 'and no content type'}" + (
            f": {excerpt}" if excerpt else ""
        )
        version = self._daemon_version()
        if version is None:
            return f"what answers at {self.url} is not helixd ({outcome}); set HELIX_URL, or HELIX_PORT to a free port"
        return f"helixd {version} at {self.url} {outcome}"

    def _daemon_version(self) -> str | None:
        try:
            path = f"{self._settings.address.path}/healthz"
            health = json.loads(
                self._server.ask("GET", path, {}, fresh=True, seconds=_HEALTH_SECONDS).read(65536)
            )
        except (NotSent, Lost, NotHttp, NotYours, ValueError):
            return None
        version = health.get("version") if isinstance(health, dict) else None
        return version if isinstance(version, str) else None


def _error_in(body: bytes) -> object:
    """The error in a JSON body: JSON-RPC's object, or Helix's sentence; None when there is none."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = parsed.get("error") if isinstance(parsed, dict) else None
    if isinstance(error, dict) and isinstance(error.get("code"), int):
        return error
    return error if isinstance(error, str) else None
