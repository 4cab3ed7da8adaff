"""helix-mcp: what goes in at standard input reaches the daemon, and its answers come out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.cli.commands import BIN
from tests.flows.daemon import free_port


class _Peer(BaseHTTPRequestHandler):
    """Speaks the HTTP half of MCP: JSON, an event stream, or nothing."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        session = self.headers.get("Mcp-Session-Id")
        if "id" not in message:
            self._send(202, "application/json", b"")
        elif message["method"] == "initialize":
            self._send(
                200,
                "application/json",
                self._result(message, {"hello": "é\u2028"}),
                {"Mcp-Session-Id": "s-1"},
            )
        else:
            events = (
                b": ping\n\ndata:\n\nevent: message\ndata: "
                + self._result(message, {"session": session})
                + b"\n\n"
            )
            self._send(200, "text/event-stream", events)

    def _result(self, message: dict[str, object], result: object) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()

    def _send(self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def peer() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Peer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _talk(url: str, *lines: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [str(BIN / "helix-mcp")],
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        env={**os.environ, "HELIX_URL": url},
        timeout=20,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def test_requests_are_answered_notifications_are_not_and_the_session_is_kept(peer: str) -> None:
    answers = _talk(
        peer,
        '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        "",
        '{"jsonrpc":"2.0","id":"two","method":"tools/list"}',
    )
    assert answers == [
        {"jsonrpc": "2.0", "id": 1, "result": {"hello": "é\u2028"}},
        {"jsonrpc": "2.0", "id": "two", "result": {"session": "s-1"}},
    ]


def test_without_a_daemon_every_request_gets_an_error_that_says_what_to_do() -> None:
    [answer] = _talk(f"http://127.0.0.1:{free_port()}", '{"jsonrpc":"2.0","id":7,"method":"initialize"}')
    assert answer["id"] == 7
    assert "helixd" in str(answer["error"])


def test_a_line_that_is_not_json_is_a_parse_error() -> None:
    [answer] = _talk("http://127.0.0.1:9", "{oops")
    assert answer["error"] == {"code": -32700, "message": "helix-mcp: that line is not JSON"}


def test_the_shim_imports_nothing_of_helix_and_nothing_heavy() -> None:
    code = "import sys, helix_mcp; print(*{name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split()) - {"__main__", "helix_mcp", "sitecustomize"}
    assert not {name for name in loaded if not name.startswith("_")}
