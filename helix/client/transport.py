"""The one door to httpx: a request goes out, a reply comes back, and what goes wrong on the way gets its name."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import httpx
from helix_mcp.connection import NotSent
from helix_mcp.login import LoginEnded
from helix_mcp.proof import NotYours, Owner

from helix.client.call import Call, Reply
from helix.client.errors import BadAnswer, DaemonUnreachable, HelixError, Timeout, Unauthorized
from helix.client.settings import ClientSettings

# Below what a daemon keeps an idle connection open for, so that it is not closed as it is taken up again.
_KEPT_IDLE = 30.0
_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=_KEPT_IDLE)


class Transport:
    """For threads: any number of them may use one."""

    def __init__(self, settings: ClientSettings) -> None:
        self._http = httpx.Client(**_options(settings))

    def send(self, call: Call[Any], settings: ClientSettings, seconds: float) -> Reply:
        until = _deadline.until = time.monotonic() + seconds
        request = _request(self._http, call, settings, _shown(settings.owner))
        request.extensions["timeout"] = _TimeLeft(until)
        request.extensions["trace"] = partial(_on_connection, settings.owner, until)
        try:
            answer = self._http.send(request, stream=True)
            try:
                body = bytearray()
                for piece in answer.iter_bytes():
                    body += piece
                    # Pieces that come in time, one after the other, could go on for ever.
                    if time.monotonic() > until:
                        raise _too_slow(call, settings)
            finally:
                answer.close()
            _keep_mark(self._http, answer)
            return Reply(answer.status_code, _lower(answer.headers), bytes(body))
        except NotYours as error:
            raise BadAnswer(str(error)) from error
        except httpx.HTTPError as error:
            raise _named(error, call, settings) from error

    def close(self) -> None:
        self._http.close()


class AsyncTransport:
    """For one event loop."""

    def __init__(self, settings: ClientSettings) -> None:
        self._http = httpx.AsyncClient(**_options(settings))

    async def send(self, call: Call[Any], settings: ClientSettings, seconds: float) -> Reply:
        import anyio.to_thread  # comes with httpx; without an event loop nobody needs it

        try:
            with anyio.fail_after(seconds):
                owner = settings.owner
                # A login that has to be renewed asks the server first, which takes the loop's time otherwise.
                shown = await anyio.to_thread.run_sync(_shown, owner) if owner.is_logged_in else _shown(owner)
                request = _request(self._http, call, settings, shown)
                if settings.owner.wants_proof:
                    request.extensions["trace"] = partial(_prove_async, settings.owner)
                answer = await self._http.send(request)
                _keep_mark(self._http, answer)
                return Reply(answer.status_code, _lower(answer.headers), answer.content)
        except NotYours as error:
            raise BadAnswer(str(error)) from error
        except TimeoutError as error:
            raise _too_slow(call, settings) from error
        except httpx.HTTPError as error:
            raise _named(error, call, settings) from error

    async def close(self) -> None:
        await self._http.aclose()


class _TimeLeft(Mapping[str, float]):
    """The seconds left until the deadline, under the name of each step: httpx looks them up as the step begins."""

    def __init__(self, until: float) -> None:
        self._until = until

    def __getitem__(self, step: str) -> float:
        return _left(self._until)

    def __iter__(self) -> Iterator[str]:
        return iter(("pool", "connect", "write", "read"))

    def __len__(self) -> int:
        return 4


class _Deadline(threading.local):
    """When the call must end that this thread is sending: connections are shared and know no call."""

    until = 0.0


_deadline = _Deadline()

# httpx tells whoever traces a request of each connection that was made, before anything is sent on it.
_CONNECTED = "connection.connect_tcp.complete"
_SECURED = "connection.start_tls.complete"
_PIECE = 4096


def _on_connection(owner: Owner, until: float, event: str, info: Mapping[str, Any]) -> None:
    if event == _CONNECTED and owner.wants_proof:
        _prove(owner, until, info["return_value"])
    if event in (_CONNECTED, _SECURED):
        _end_in_time(info["return_value"])


def _end_in_time(stream: Any) -> None:
    """A server that sends one byte of a head after the other ends with the deadline of the call too.

    httpx looks up the time for the head once, and gives each piece of it as much again.
    """
    read = stream.read

    def read_in_time(max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = read(max_bytes, _left(_deadline.until))
        return data

    stream.read = read_in_time


def _prove(owner: Owner, until: float, stream: Any) -> None:
    """What listens there proves that it is the user's own daemon, or hears nothing."""
    challenge = owner.challenge()
    try:
        stream.write(challenge.question, _left(until))
        while not challenge.take(data := stream.read(_PIECE, _left(until))):
            if not data:
                raise httpx.ReadError("it closed the connection without an answer")
        challenge.check(*stream.get_extra_info("server_addr")[:2])
    except BaseException:
        stream.close()
        raise


async def _prove_async(owner: Owner, event: str, info: Mapping[str, Any]) -> None:
    if event != _CONNECTED:
        return
    stream, challenge = info["return_value"], owner.challenge()
    try:
        await stream.write(challenge.question)
        while not challenge.take(data := await stream.read(_PIECE)):
            if not data:
                raise httpx.ReadError("it closed the connection without an answer")
        challenge.check(*stream.get_extra_info("server_addr")[:2])
    except BaseException:
        await stream.aclose()
        raise


def _left(until: float) -> float:
    return max(until - time.monotonic(), 0.001)


def _options(settings: ClientSettings) -> dict[str, Any]:
    return {
        "limits": _LIMITS,
        "timeout": None,  # each call has its own
        # A proxy of the user's cannot reach this machine's loopback, and has no business with it.
        "trust_env": not settings.is_loopback,
        # Certificates take longer to load than a search takes, and plain HTTP needs none.
        "verify": settings.is_secure,
    }


def _shown(owner: Owner) -> Mapping[str, str]:
    try:
        return owner.headers()
    except LoginEnded as error:
        raise Unauthorized(str(error)) from error
    except NotSent as error:
        raise DaemonUnreachable(str(error)) from error


def _request(
    http: httpx.Client | httpx.AsyncClient,
    call: Call[Any],
    settings: ClientSettings,
    shown: Mapping[str, str],
) -> httpx.Request:
    content = call.content
    headers = {**settings.headers, **shown, **call.headers}
    if content is not None:
        headers["Content-Type"] = "application/json"
    return http.build_request(
        call.method,
        settings.url + call.path,
        params=dict(call.params) or None,
        content=content,
        headers=headers,
    )


def _keep_mark(http: httpx.Client | httpx.AsyncClient, answer: httpx.Response) -> None:
    """Of several daemons over one index another may answer the next request: it waits for what this one said."""
    if mark := answer.headers.get("Helix-Version"):
        http.headers["Helix-Seen"] = mark


def _lower(headers: httpx.Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _named(error: httpx.HTTPError, call: Call[Any], settings: ClientSettings) -> HelixError:
    if isinstance(error, httpx.TimeoutException):
        return _too_slow(call, settings)
    why = str(error) or type(error).__name__
    if isinstance(error, httpx.ConnectError):
        remedy = (
            "start the daemon with `helixd`, or set HELIX_URL to where it listens"
            if settings.is_loopback
            else "check HELIX_URL, and that the daemon runs there"
        )
        return DaemonUnreachable(f"nothing answers at {settings.url} ({why}); {remedy}")
    return DaemonUnreachable(
        f"the connection to {settings.url} broke during {call.method} {call.path} ({why}); "
        "is `helixd` still running there?"
    )


def _too_slow(call: Call[Any], settings: ClientSettings) -> Timeout:
    return Timeout(
        f"{settings.url} did not answer {call.method} {call.path} in time; "
        "give the client a longer `timeout`, or look at `helix doctor`"
    )
