"""A server made of a socket, which answers exactly the bytes that a test wants."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO


class Asked:
    """One request as it came in."""

    def __init__(self, head: bytes, body: bytes, connection: socket.socket, number: int) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = first.split(" ")
        self.headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
        }
        self.body: Any = json.loads(body) if body else None
        self.connection = connection
        self.connection_number = number

    @property
    def what(self) -> str:
        return str(self.body.get("method", "answer")) if self.method == "POST" else self.method

    def result(self, result: object) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": self.body["id"], "result": result}).encode()


Answer = Callable[[Asked], bytes | None]


def http(status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def polite(asked: Asked) -> bytes:
    """What a server does that has nothing special in mind."""
    if asked.what == "initialize":
        opened = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "serverInfo": {"name": "p", "version": "1"},
        }
        return http(200, asked.result(opened), Mcp_Session_Id="s-1")
    if asked.method == "GET":
        return http(405)
    if asked.method == "DELETE" or "id" not in asked.body:
        return http(202)
    return http(200, asked.result({"method": asked.what}))


class Peer:
    def __init__(self, answer: Answer, port: int = 0, secured: ssl.SSLContext | None = None) -> None:
        self._answer = answer
        self._secured = secured
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.asked: list[Asked] = []
        self.ended = 0
        """connections that this side has closed"""
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            number = len(self._connections)
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with suppress(OSError):
            if self._secured is not None:
                connection = self._secured.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as reader:
                while head := _head(reader):
                    asked = Asked(head, _body(head, reader), connection, number)
                    self.asked.append(asked)
                    answer = self._answer(asked)
                    if answer is None:
                        connection.shutdown(socket.SHUT_RDWR)
                        break
                    connection.sendall(answer)
        self.ended += 1

    def seen(self, what: str) -> list[Asked]:
        return [one for one in list(self.asked) if one.what == what]

    def close(self) -> None:
        for one in (self._listener, *self._connections):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in it
            one.close()


def _head(reader: BinaryIO) -> bytes:
    lines = []
    while (line := reader.readline()).strip():
        lines.append(line.strip())
    return b"\r\n".join(lines)


def _body(head: bytes, reader: BinaryIO) -> bytes:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return reader.read(int(value))
    return b""


@contextmanager
def running_peer(answer: Answer, port: int = 0, secured: ssl.SSLContext | None = None) -> Iterator[Peer]:
    peer = Peer(answer, port, secured)
    try:
        yield peer
    finally:
        peer.close()
