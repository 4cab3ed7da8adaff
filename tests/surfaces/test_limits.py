"""How much at once. The order of events is said by the test, so nothing here depends on time."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from helix.access import OPEN
from helix.surfaces.guard import ACCESS
from helix.surfaces.limits import Limits
from tests.surfaces.conftest import Served

KIB = 1024


def scope_of(path: str = "/stats", **headers: str) -> Scope:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "POST", "path": path, "headers": named}


class Told:
    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[bytes, bytes] = {}

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])


def receiving(*pieces: bytes) -> Receive:
    left: list[Message] = [
        {"type": "http.request", "body": piece, "more_body": place < len(pieces) - 1}
        for place, piece in enumerate(pieces)
    ]

    async def receive() -> Message:
        return left.pop(0) if left else {"type": "http.disconnect"}

    return receive


async def start(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


def run(story: Callable[[], Awaitable[None]]) -> None:
    anyio.run(story)


def test_one_more_than_fits_is_asked_to_come_again_and_probes_are_not() -> None:
    async def story() -> None:
        go, waiting = anyio.Event(), anyio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"] == "/slow":
                waiting.set()
                await go.wait()
            await start(send)

        limits = Limits(slow, max_in_flight=1, max_body_bytes=KIB)
        async with anyio.create_task_group() as group:
            first = Told()
            group.start_soon(limits, scope_of("/slow"), receiving(), first)
            await waiting.wait()
            second, probe = Told(), Told()
            await limits(scope_of("/stats"), receiving(), second)
            await limits({**scope_of("/healthz"), ACCESS: OPEN.unlimited()}, receiving(), probe)
            assert (second.status, second.headers[b"retry-after"]) == (503, b"1")
            assert probe.status == 200
            go.set()
        assert first.status == 200
        assert limits.in_flight == 0

    run(story)


def test_a_stream_takes_no_place_once_it_has_begun() -> None:
    async def story() -> None:
        go, begun = anyio.Event(), anyio.Event()

        async def stream(scope: Scope, receive: Receive, send: Send) -> None:
            await start(send)
            begun.set()
            if scope["path"] == "/mcp":
                await go.wait()

        limits = Limits(stream, max_in_flight=1, max_body_bytes=KIB)
        async with anyio.create_task_group() as group:
            group.start_soon(limits, scope_of("/mcp"), receiving(), Told())
            await begun.wait()
            other = Told()
            await limits(scope_of(), receiving(), other)
            assert other.status == 200
            go.set()

    run(story)


def test_a_request_that_fails_gives_its_place_back() -> None:
    async def story() -> None:
        async def broken(scope: Scope, receive: Receive, send: Send) -> None:
            raise RuntimeError

        limits = Limits(broken, max_in_flight=1, max_body_bytes=KIB)
        for _ in range(3):
            with pytest.raises(RuntimeError):
                await limits(scope_of(), receiving(), Told())
        assert limits.in_flight == 0

    run(story)


@pytest.mark.parametrize(
    ("said", "pieces", "status"),
    [
        ({"content_length": str(KIB)}, [b"x" * KIB], 200),
        ({"content_length": str(KIB + 1)}, [b"x"], 413),
        ({"content_length": "1"}, [b"x" * KIB, b"y"], 413),
        ({"transfer_encoding": "chunked"}, [b"x" * 100] * 11, 413),
        ({"transfer_encoding": "chunked"}, [b"x" * 100] * 10, 200),
    ],
)
def test_a_body_is_measured_and_not_believed(said: dict[str, str], pieces: list[bytes], status: int) -> None:
    async def story() -> None:
        async def echo(scope: Scope, receive: Receive, send: Send) -> None:
            message = await receive()
            assert message["body"] == b"".join(pieces)
            assert (await receive())["type"] == "http.disconnect"
            await start(send)

        told = Told()
        await Limits(echo, max_in_flight=1, max_body_bytes=KIB)(scope_of(**said), receiving(*pieces), told)
        assert told.status == status

    run(story)


def test_a_daemon_refuses_a_body_that_is_too_long_and_goes_on(served: Served) -> None:
    before = served.bytes()
    huge = b'{"text": "' + b"x" * (5 * KIB * KIB) + b'"}'
    json = {"Content-Type": "application/json"}
    known = served.http.post("/remember", content=huge, headers=json)
    assert (known.status_code, known.json()["code"]) == (413, "too-large")
    chunked = served.http.post("/remember", content=iter([huge[:70_000]] * 80), headers=json)
    assert chunked.status_code == 413
    host, _, port = served.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        # More is announced than comes: the caller goes away in the middle.
        wire.sendall(
            f"POST /remember HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
            'Content-Length: 500\r\n\r\n{"text": "half'.encode()
        )
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        wire.sendall(f"GET /stats HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: -5\r\n\r\n".encode())
        assert b" 400 " in wire.recv(100)
    assert served.http.get("/stats").status_code == 200
    assert served.bytes() == before
