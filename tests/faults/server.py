"""A daemon behind a bad line: passes requests on, but first drops, delays, cuts and refuses as it is told.

    python tests/faults/server.py --upstream http://127.0.0.1:PORT

Prints `{"url": …}` in one line when it listens, and ends when its standard input does. A client is pointed at
`URL/faults/SCRIPT/NAME`; each request under NAME meets the next fault of SCRIPT, which are parted by commas, and those
that come after the last one are passed on. `GET URL/seen/NAME` says what came in. Real sockets, standard library only.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import struct
import sys
import threading
import time
from collections import defaultdict
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

FAULTS = {
    "pass": "the real answer",
    "drop": "the connection is closed and nothing is said; the request is not passed on",
    "reset": "the same, with a reset",
    "lose": "the request is passed on and done, and its answer is lost with the connection",
    "cut": "the request is passed on, and its answer ends in the middle",
    "garbage": "200 with a page of HTML",
    "500": "500 internal, as the daemon says it",
    "502": "502 with a page of HTML, as a proxy says it",
    "429:SECONDS": "429 with Retry-After; `429` has none, `429:date` the date of one second from now",
    "503:SECONDS": "503 in the same way",
    "delay:SECONDS": "the real answer, later",
    "stall": "the request is read and never answered",
    "trickle": "the real answer, one byte after the other, a tenth of a second apart",
    "trickle-head": "a head in the same way, which takes minutes",
}
"""a fault with `*` at its end stays for ever"""
_LONGEST_STALL = 60.0
_PAUSE = 0.1
_PAGE = b"<html><body><h1>Something else answers here</h1></body></html>"


class Line:
    """What came in, and what happens next, for each name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def next_fault(self, script: str, name: str, request: dict[str, Any]) -> str:
        faults = script.split(",")
        with self._lock:
            turn = len(self._seen[name])
            fault = faults[turn] if turn < len(faults) else faults[-1] if script.endswith("*") else "pass"
            fault = fault.removesuffix("*")
            self._seen[name].append({**request, "fault": fault, "at": time.monotonic()})
        return fault

    def seen(self, name: str) -> list[dict[str, Any]]:
        with self._lock:
            return list(self._seen[name])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    line: Line
    upstream: str

    def do_GET(self) -> None:
        _, first, *rest = self.path.split("/", 4)
        if first == "seen":
            self._answer(
                200, json.dumps(self.line.seen(rest[0])).encode(), {"Content-Type": "application/json"}
            )
        elif first == "faults" and len(rest) == 3:
            self._meet(rest[0], rest[1], f"/{rest[2]}")
        else:
            self._answer(
                404, json.dumps({"error": f"{self.path} is no path here", "code": "no-such-path"}).encode()
            )

    do_POST = do_PATCH = do_GET  # noqa: N815 (the names in the standard library)

    def _meet(self, script: str, name: str, path: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        said = {
            "method": self.command,
            "path": path,
            "key": self.headers.get("Idempotency-Key") or _key_in(body),
            "headers": dict(self.headers.items()),
        }
        fault, _, value = self.line.next_fault(script, name, said).partition(":")
        if fault in ("drop", "reset"):
            self._hang_up(reset=fault == "reset")
        elif fault == "stall":
            self._stall()
        elif fault == "garbage":
            self._answer(200, _PAGE, {"Content-Type": "text/html"})
        elif fault == "502":
            self._answer(502, _PAGE, {"Content-Type": "text/html"})
        elif fault.isdigit():
            self._refuse(int(fault), value)
        else:
            self._pass_on(fault, value, path, body)

    def _pass_on(self, fault: str, value: str, path: str, body: bytes) -> None:
        if fault == "delay":
            time.sleep(float(value))
        status, headers, answer = self._ask(path, body)
        if fault == "lose":
            self._hang_up()
        elif fault == "cut":
            self._answer(status, answer[: len(answer) // 2], headers, length=len(answer))
            self._hang_up()
        elif fault == "trickle":
            self._answer(status, b"", headers, length=len(answer))
            self._trickle(answer)
        elif fault == "trickle-head":
            self._trickle(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 3000)
        else:
            self._answer(status, answer, headers)

    def _trickle(self, data: bytes) -> None:
        for place in range(len(data)):
            self.wfile.write(data[place : place + 1])
            time.sleep(_PAUSE)

    def _ask(self, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        place = urlsplit(self.upstream)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
        own = {"host", "connection", "content-length", "transfer-encoding"}
        headers = {name: value for name, value in self.headers.items() if name.lower() not in own}
        try:
            connection.request(self.command, path, body or None, headers)
            answer = connection.getresponse()
            kept = {
                name: value
                for name, value in answer.getheaders()
                if name.lower() in ("content-type", "etag", "retry-after")
            }
            return answer.status, kept, answer.read()
        finally:
            connection.close()

    def _refuse(self, status: int, after: str) -> None:
        code = {429: "rate-limited", 503: "busy"}.get(status, "internal")
        headers = {"Content-Type": "application/json"}
        if after:
            headers["Retry-After"] = formatdate(time.time() + 1, usegmt=True) if after == "date" else after
        self._answer(status, json.dumps({"error": f"refused with {status}", "code": code}).encode(), headers)

    def _answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self, *, reset: bool = False) -> None:
        self.close_connection = True
        self.wfile.flush()
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _stall(self) -> None:
        """Until the client goes away."""
        self.close_connection = True
        self.connection.settimeout(_LONGEST_STALL)
        self.connection.recv(1)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 (the name in the standard library)
        pass


def _key_in(body: bytes) -> str | None:
    try:
        return str(json.loads(body)["idempotency_key"])
    except (ValueError, KeyError, TypeError):
        return None


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some of the faults are for."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upstream", required=True, help="the daemon that answers in the end")
    options = parser.parse_args()
    handler = type("BadLine", (Handler,), {"line": Line(), "upstream": options.upstream})
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
