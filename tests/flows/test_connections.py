"""Whoever holds connections open keeps nobody else out, and takes none of the daemon's own files."""

from __future__ import annotations

import contextlib
import http.client
import os
import resource
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.commands import helix
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.waiting import wait_for

_FILES = 256


@pytest.fixture
def daemon(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    """A daemon that may have few files open."""
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    few = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (_FILES, _FILES))
    with running_daemon(prepare=few) as running:
        yield running


@contextlib.contextmanager
def held(daemon: Daemon, count: int, said: bytes) -> Iterator[list[socket.socket]]:
    port = urlsplit(daemon.url).port
    with contextlib.ExitStack() as opened:
        lines = []
        for _ in range(count):
            line = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
            with contextlib.suppress(OSError):
                line.sendall(said)
            lines.append(line)
        yield lines


def test_hundreds_of_half_requests_keep_nobody_out(daemon: Daemon, place: Path) -> None:
    with held(daemon, 300, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "):
        for number in range(5):
            assert daemon.get("/healthz")[0] == 200
            (place / "vault" / f"n{number}.md").write_text(f"---\nid: n{number}\n---\nText {number}.\n")
        wait_for(lambda: "Text 4" in daemon.get("/memory/n4")[1])
    # Not by seeking: the daemon writes at the same place of the same file.
    assert b"open files" not in os.pread(daemon.log.fileno(), 1 << 20, 0)


def test_idle_connections_that_were_answered_keep_nobody_out(daemon: Daemon) -> None:
    host = daemon.url.removeprefix("http://")
    with held(daemon, 300, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()) as lines:
        # Answered, or closed to make room; while hundreds are being answered there is none.
        for line in lines:
            with contextlib.suppress(ConnectionError):
                line.recv(1)
        assert daemon.get("/recent")[0] == 200


def test_requests_whose_body_never_comes_keep_nobody_out(daemon: Daemon) -> None:
    half = f"POST /remember HTTP/1.1\r\nHost: {daemon.url.removeprefix('http://')}\r\nContent-Length: 100\r\n\r\n{{"
    with held(daemon, 300, half.encode()):
        for _ in range(5):
            assert daemon.get("/healthz")[0] == 200


def test_half_a_request_is_given_up_after_a_while_however_it_trickles_in(daemon: Daemon) -> None:
    with held(daemon, 1, b"GET /healthz HTTP/1.1\r\n") as [line]:
        line.settimeout(0.2)

        def trickles() -> bool:
            try:
                line.sendall(b"X-More: 1\r\n")
                return line.recv(1) == b""
            except TimeoutError:
                return False
            except OSError:
                return True

        wait_for(trickles, seconds=40)
        assert daemon.get("/healthz")[0] == 200


def test_requests_on_a_connection_that_is_kept_are_answered_as_before(daemon: Daemon) -> None:
    host = daemon.url.removeprefix("http://")
    request = f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    with held(daemon, 1, b"") as [line]:
        for _ in range(3):
            line.sendall(request[:20])
            line.sendall(request[20:])
            answer = http.client.HTTPResponse(line)
            answer.begin()
            assert (answer.status, b"state" in answer.read()) == (200, True)
