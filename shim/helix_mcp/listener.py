"""What the daemon says on its own account, in the revisions of MCP that have a stream for it: one GET, kept open."""

from __future__ import annotations

import threading

from helix_mcp.connection import Lost, NotHttp, NotSent
from helix_mcp.endpoint import RequestRefused, say
from helix_mcp.events import EventParser
from helix_mcp.wire import RequestInFlight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from helix_mcp.endpoint import DaemonEndpoint
    from helix_mcp.session import Session

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0
# The daemon does not serve this stream, or not to us: asking again would not help.
_FINAL = frozenset({400, 401, 403, 405, 406, 421})


class Listener:
    """A daemon that was stopped is not started for this: only a request does that."""

    def __init__(self, endpoint: DaemonEndpoint, session: Session, write: Callable[[bytes], None]) -> None:
        self._endpoint = endpoint
        self._session = session
        self._write = write
        self._stopped = threading.Event()
        self._call = RequestInFlight()

    def start(self) -> None:
        threading.Thread(target=self._run, name="listener", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()
        self._call.interrupt()

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        parser, generation = EventParser(), self._session.generation
        while not self._stopped.is_set():
            seen = self._session.generation
            if seen != generation:  # event ids are those of one session
                parser, generation = EventParser(), seen
            try:
                status = self._listen(parser)
                if status in _FINAL:
                    say(
                        f"the daemon answered {status} to the stream of its own messages; going on without them"
                    )
                    return
                if status == 404:
                    self._session.renew(seen)
                    continue
                pause = _FIRST_PAUSE if status == 200 else min(pause * 2, _LONGEST_PAUSE)
            except (NotSent, Lost, NotHttp, RequestRefused):
                pause = min(pause * 2, _LONGEST_PAUSE)
            self._stopped.wait(parser.retry if parser.retry is not None else pause)

    def _listen(self, parser: EventParser) -> int:
        """Pass on what comes until the stream ends; the status it was answered with."""
        headers = self._session.headers()
        if parser.last_id:
            headers["Last-Event-ID"] = parser.last_id
        response = self._endpoint.get(headers, self._call)
        try:
            if response.status == 200:
                for message in self._endpoint.messages(response, parser):
                    self._write(message.line)
        finally:
            response.close()
        return response.status
