"""One request of the client's, from its line to its answer, whatever happens to the daemon in between.

What was certainly not carried out is sent again. What may have been is sent again only if that does no harm.
"""

from __future__ import annotations

import threading

from helix_mcp.connection import Lost, NotHttp, NotSent, TooSlow
from helix_mcp.endpoint import RequestRefused, say
from helix_mcp.events import EventParser
from helix_mcp.message import NOT_TAKEN, OUTCOME_UNKNOWN, UNREACHABLE, answer_line, error_line
from helix_mcp.session import HANDSHAKE_SECONDS
from helix_mcp.wire import RequestInFlight, Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from helix_mcp.endpoint import DaemonEndpoint
    from helix_mcp.message import Message
    from helix_mcp.session import Session

_TRIES = 8
_BETWEEN_TRIES = 0.05  # none after the first, then longer each time
_LAST_BYTES_SECONDS = 0.5
_LONGEST_PAUSE = 5.0
_ALL_PAUSES = 10.0


class _SessionGone(Exception):
    """404 for a session: the daemon does not know it, so it carried nothing out."""


class _Busy(Exception):
    """429 or 503: not now, so nothing was carried out."""

    def __init__(self, pause: float, refusal: RequestRefused) -> None:
        super().__init__(str(refusal))
        self.pause = pause
        self.refusal = refusal


class KnownTools:
    """Which tools may be called twice, as they say of themselves in the lists that pass by."""

    def __init__(self) -> None:
        self._repeatable: dict[str, bool] = {}
        self.is_asked = False
        """whether the daemon was asked for the list, by the client or for it"""

    def learn(self, result: object) -> None:
        self.is_asked = True
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else []:
            hints = tool.get("annotations") if isinstance(tool, dict) else None
            if isinstance(hints, dict):
                harmless = hints.get("readOnlyHint") is True or hints.get("idempotentHint") is True
                self._repeatable[_plain(tool.get("name"))] = harmless

    def may_repeat(self, call: Message) -> bool:
        arguments = call.params.get("arguments")
        if isinstance(arguments, dict) and arguments.get("idempotency_key"):
            return True
        return self._repeatable.get(_plain(call.params.get("name")), False)


def _plain(name: object) -> str:
    """`memory.search` and `memory_search` are one tool."""
    return str(name).replace(".", "_")


class Exchange:
    def __init__(
        self,
        endpoint: DaemonEndpoint,
        session: Session,
        tools: KnownTools,
        message: Message,
        write: Callable[[bytes], None],
    ) -> None:
        self.message = message
        self._endpoint = endpoint
        self._session = session
        self._tools = tools
        self._write = write
        self._call = RequestInFlight()
        self._stopped = threading.Event()
        self._answered = False

    @property
    def is_modern(self) -> bool:
        return bool(self.message.version)

    @property
    def _in_session(self) -> bool:
        return not self.is_modern and self.message.method != "initialize"

    def is_under_way(self, seconds: float) -> bool:
        """Whether the daemon has the request, so that it can be told to stop; waits for it to be sent as a whole."""
        return self._call.begun and self._call.sent.wait(seconds)

    def abandon(self) -> None:
        """The client wants no answer any more. Closing its stream is how MCP cancels since 2026-07-28."""
        self._stopped.set()
        self._call.interrupt()

    def run(self) -> None:
        try:
            self._until_answered()
        except RequestRefused as refused:
            error = answer_line(self.message.id, refused.error) if refused.error else None
            self._answer(error or error_line(self.message.id, refused.code, str(refused)))
        finally:
            if not self._answered:  # a mistake of ours must not leave the agent waiting
                self._answer(error_line(self.message.id, NOT_TAKEN, "this call failed; see standard error"))

    def _until_answered(self) -> None:
        tries = paused = 0.0
        is_first = self._in_session and self._session.is_promised
        lost_session = self._session.generation if is_first else None
        while not self._stopped.is_set():
            seen = self._session.generation
            try:
                if lost_session is not None:
                    self._session.renew(lost_session)
                    seen, lost_session = self._session.generation, None
                self._attempt()
                return
            except _SessionGone:
                lost_session, why = seen, "it does not keep its sessions"
            except _Busy as busy:
                paused += busy.pause
                if paused > _ALL_PAUSES:  # or it said at once that it will take longer
                    raise busy.refusal from busy
                self._stopped.wait(busy.pause)
                continue
            except NotSent as error:
                why = str(error)
                if not self._stopped.is_set():
                    self._endpoint.reach(why)
            except TooSlow as error:
                raise RequestRefused(
                    UNREACHABLE, f"the daemon at {self._endpoint.url} hangs: {error}"
                ) from error
            except (Lost, NotHttp) as error:
                why = str(error)
                if not self._stopped.is_set():
                    self._may_have_happened(why)
            tries += 1
            if tries >= _TRIES and not self._stopped.is_set():
                raise RequestRefused(
                    UNREACHABLE, f"the daemon at {self._endpoint.url} does not answer: {why}"
                )
            self._stopped.wait(_BETWEEN_TRIES * (tries - 1))
        self._answered = True  # nobody waits for it

    def _may_have_happened(self, why: str) -> None:
        """The connection ended after the request was sent: go on if it may be sent again."""
        if not self._may_repeat():
            raise self._outcome_unknown(f"the connection was lost: {why}")
        self._endpoint.reach(why)

    def _outcome_unknown(self, why: str) -> RequestRefused:
        return RequestRefused(
            OUTCOME_UNKNOWN,
            f"the daemon did not answer properly while {self.message.params.get('name')} ran ({why}). Whether it was "
            "carried out is not known, and it was not tried again. Look whether its effect is there (search or read) "
            "before you call it again; with an `idempotency_key` a call can be repeated without harm.",
        )

    def _may_repeat(self) -> bool:
        return self.message.method != "tools/call" or self._tools.may_repeat(self.message)

    def _attempt(self) -> None:
        opening, in_session = self.message.method == "initialize", self._in_session
        headers = self._session.headers() if in_session else self.message.routing_headers()
        response = self._endpoint.post(
            self.message.line,
            headers,
            fresh=not self._may_repeat(),
            seconds=HANDSHAKE_SECONDS if opening else None,
            call=self._call,
        )
        if response.status == 404 and in_session and self._session.is_open and "Mcp-Session-Id" in headers:
            response.close()
            raise _SessionGone
        if response.status in (429, 503):
            raise _Busy(_pause(response), self._endpoint.refusal(response))
        if not 200 <= response.status < 300:
            refusal = self._endpoint.refusal(response)
            if response.status >= 500 and refusal.error is None and not self._may_repeat():
                raise self._outcome_unknown(str(refusal))
            raise refusal
        parser = EventParser()
        try:
            self._pass_on(response, parser)
        except Lost:
            if not (parser.last_id and in_session) or self._stopped.is_set():
                raise
            self._resume(parser)

    def _pass_on(self, response: Response, parser: EventParser) -> None:
        try:
            for message in self._endpoint.messages(response, parser):
                if not message.is_answer:
                    if not self._stopped.is_set():
                        self._write(message.line)
                elif message.id == self.message.id or message.id is None:
                    self._take(message, response)
                    response.wait_at_most(_LAST_BYTES_SECONDS)  # and read on: what ends properly can be kept
        except Lost:
            response.close()
            if not self._answered:
                raise
        if not self._answered:
            raise Lost("the answer ended before the result was in it")

    def _resume(self, parser: EventParser) -> None:
        """The daemon let go of the stream and numbered its events: ask for the rest."""
        self._stopped.wait(min(parser.retry or 0.0, _LONGEST_PAUSE))
        response = self._endpoint.get(
            {**self._session.headers(), "Last-Event-ID": parser.last_id}, self._call
        )
        if response.status != 200:
            response.close()
            raise Lost(f"the rest of the answer was refused with {response.status}")
        self._pass_on(response, parser)

    def _take(self, answer: Message, response: Response) -> None:
        if "result" in answer.body:
            if self.message.method == "initialize":
                self._session.opened(self.message, response.headers.get("mcp-session-id", ""), answer)
            elif self.message.method == "tools/list":
                self._tools.learn(answer.body["result"])
            elif not self.is_modern:
                self._session.remember(self.message)
        self._answer(
            answer.line if answer.id is not None else answer_line(self.message.id, answer.body["error"])
        )

    def _answer(self, line: bytes) -> None:
        if not self._answered:
            self._answered = True
            if not self._stopped.is_set():
                self._write(line)


def _pause(response: Response) -> float:
    wanted = response.headers.get("retry-after", "")
    return float(wanted) if wanted.isdigit() else 1.0


def find_result(endpoint: DaemonEndpoint, request: Message, headers: dict[str, str]) -> dict[str, Any] | None:
    """The daemon's answer to a request that the client does not wait for; None when it gives none."""
    try:
        response = endpoint.post(request.line, headers, seconds=HANDSHAKE_SECONDS)
        if not 200 <= response.status < 300:
            response.close()
            return None
        answers = [one for one in endpoint.messages(response, EventParser()) if one.is_answer]
    except (NotSent, Lost, NotHttp, RequestRefused):
        return None
    result = answers[-1].body.get("result") if answers else None
    return result if isinstance(result, dict) else None


def post_quietly(endpoint: DaemonEndpoint, message: Message, headers: dict[str, str], seconds: float) -> None:
    """A message that has no answer. If it cannot be delivered it is lost: what it was about is gone, too."""
    try:
        response = endpoint.post(message.line, headers, seconds=seconds)
        if 200 <= response.status < 300:
            response.read()
        else:
            say(f"{message.method or 'an answer'} was not taken: {endpoint.refusal(response)}")
    except (NotSent, Lost, NotHttp, RequestRefused) as error:
        say(f"{message.method or 'an answer'} was not delivered: {error}")
