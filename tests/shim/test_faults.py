"""Servers that answer oddly or not at all, and clients that send nonsense: everybody gets a clear word."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from helix_mcp import exchange
from helix_mcp.endpoint import DaemonEndpoint
from helix_mcp.message import parse
from helix_mcp.session import Session
from helix_mcp.settings import Options, Settings

from tests.flows.daemon import free_port
from tests.shim.driver import ENVELOPE, OPENING, shim
from tests.shim.peer import Asked, http, polite, running_peer
from tests.waiting import wait_for


def test_a_line_that_is_not_json_is_a_parse_error() -> None:
    with shim("http://127.0.0.1:9") as client:
        for line in (b"{oops", b'{"a": "\xff"}', b"[" * 100_000):
            client.write(line)
            answer = client.receive()
            assert answer["id"] is None
            assert answer["error"]["code"] == -32700


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("3", None),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
        ('{"jsonrpc":"2.0","id":4}', 4),
        ('{"jsonrpc":"2.0","method":7,"id":"x"}', "x"),
    ],
)
def test_json_that_is_no_message_is_an_invalid_request(line: str, wanted: object) -> None:
    with shim("http://127.0.0.1:9") as client:
        client.write(line.encode())
        answer = client.receive()
        assert (answer["id"], answer["error"]["code"]) == (wanted, -32600)


def test_every_request_in_a_batch_is_told_that_batches_are_not_taken() -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/list"},
    ]
    with shim("http://127.0.0.1:9") as client:
        client.write(json.dumps(batch).encode())
        answers = client.receive()
        assert [one["id"] for one in answers] == [1, "b"]
        assert all("one message per line" in one["error"]["message"] for one in answers)
        client.write(b"[]")
        assert client.receive()["id"] is None


def test_without_a_daemon_every_request_gets_an_error_that_says_what_to_do() -> None:
    with shim(f"http://127.0.0.1:{free_port()}") as client:
        answer = client.ask(7, "initialize", OPENING)
        assert answer["error"]["code"] == -32090
        assert "helixd" in answer["error"]["message"]
        assert client.end() == 0
        assert "helixd" in client.said


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, b'{"error":"this daemon asks for its token","code":"unauthorized"}', "set HELIX_TOKEN"),
        (403, b'{"error":"requests from there are not accepted","code":"wrong-origin"}', "not accepted"),
        (
            421,
            b'{"error":"x is not a name of this machine","code":"wrong-host"}',
            "not a name of this machine",
        ),
        (413, b"too large", "larger than it takes"),
        (429, b"", "too much to do"),
        (503, b"", "cannot take this now"),
    ],
)
def test_a_refusal_says_what_to_do(status: int, body: bytes, expected: str) -> None:
    kind = "application/json" if body.startswith(b"{") else "text/plain"
    with (
        running_peer(lambda _: http(status, body, kind, Retry_After="6000")) as peer,
        shim(peer.url) as client,
    ):
        client.send("initialize", OPENING, 1)
        assert expected in client.receive(30)["error"]["message"]


@pytest.mark.parametrize(("method", "code"), [("tools/call", -32092), ("tools/list", -32091)])
def test_a_daemon_that_fails_in_a_write_leaves_its_outcome_open(method: str, code: int) -> None:
    def answer(asked: Asked) -> bytes:
        return http(500, b"oops", "text/plain") if asked.what == method else polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        assert client.ask(1, method, {"name": "write"})["error"]["code"] == code
        assert len(peer.seen(method)) == 1


@pytest.mark.parametrize("status", [400, 404, 200])
def test_the_servers_own_error_is_passed_on_with_the_id_of_the_request(status: int) -> None:
    error = {"code": -32022, "message": "Unsupported protocol version", "data": {"supported": ["2026-07-28"]}}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    with running_peer(lambda _: http(status, body)) as peer, shim(peer.url) as client:
        assert client.ask("mine", "server/discover", {"_meta": ENVELOPE})["error"] == error


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_when_it_said(status: int) -> None:
    def answer(asked: Asked) -> bytes | None:
        if asked.what == "tools/call" and len(peer.seen("tools/call")) < 3:
            return http(status, Retry_After="0")
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        assert client.call(1, "write")["result"] == {"method": "tools/call"}
        assert len(peer.seen("tools/call")) == 3


def test_a_web_page_on_the_port_is_not_taken_for_helixd() -> None:
    def answer(asked: Asked) -> bytes:
        return http(200, b"<html><title>Router</title></html>", "text/html")

    with running_peer(answer) as peer, shim(peer.url) as client:
        message = client.ask(1, "initialize", OPENING)["error"]["message"]
        assert "is not helixd" in message
        assert "Router" in message


def test_a_daemon_without_mcp_is_called_by_its_name_and_version() -> None:
    def answer(asked: Asked) -> bytes:
        if asked.path == "/healthz":
            return http(200, b'{"version":"0.0.9"}')
        return http(404, b'{"detail":"Not Found"}')

    with running_peer(answer) as peer, shim(peer.url) as client:
        message = client.ask(1, "initialize", OPENING)["error"]["message"]
        assert "helixd 0.0.9" in message
        assert "404" in message


def test_something_that_is_not_even_http_is_named() -> None:
    with running_peer(lambda _: b"220 mail.example ESMTP\r\n") as peer, shim(peer.url) as client:
        message = client.ask(1, "initialize", OPENING)["error"]["message"]
        assert "is not helixd" in message
        assert "ESMTP" in message


def test_a_redirect_is_named_and_not_followed() -> None:
    with running_peer(lambda _: http(307, Location="http://elsewhere/mcp")) as peer, shim(peer.url) as client:
        assert "http://elsewhere/mcp" in client.ask(1, "initialize", OPENING)["error"]["message"]


def test_a_notification_that_is_refused_is_only_a_line_on_standard_error() -> None:
    def answer(asked: Asked) -> bytes:
        return http(400) if asked.what == "notifications/odd" else polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        client.send("notifications/odd")
        assert client.ask(1, "ping")["result"] == {"method": "ping"}
        assert wait_for(lambda: "notifications/odd" in client.said)


def test_an_id_that_is_in_flight_is_not_used_twice_and_a_string_is_not_its_number() -> None:
    go_on = threading.Event()

    def answer(asked: Asked) -> bytes:
        if asked.what == "tools/list":
            go_on.wait(10)
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.send("tools/list", number=1)
        wait_for(lambda: peer.seen("tools/list"))
        assert "in flight" in client.ask(1, "ping")["error"]["message"]
        assert client.ask("1", "ping")["result"] == {"method": "ping"}
        go_on.set()
        assert client.receive()["result"] == {"method": "tools/list"}


def test_a_hanging_server_holds_up_only_the_call_that_hangs() -> None:
    hang = threading.Event()

    def answer(asked: Asked) -> bytes:
        if asked.what == "tools/call":
            hang.wait(20)
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        client.send("tools/call", {"name": "hangs"}, 1)
        wait_for(lambda: peer.seen("tools/call"))
        assert client.ask(2, "ping")["result"] == {"method": "ping"}
        # In the era of the handshake a cancelled call is told to the server, and then let go.
        client.send("notifications/cancelled", {"requestId": 1})
        assert client.ask(3, "ping")["result"] == {"method": "ping"}
        assert wait_for(lambda: peer.seen("notifications/cancelled"))[0].headers["mcp-session-id"] == "s-1"
        assert client.end() == 0
        hang.set()


def test_a_server_that_never_answers_initialize_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(exchange, "HANDSHAKE_SECONDS", 0.2)
    hang = threading.Event()

    def answer(asked: Asked) -> bytes | None:
        hang.wait(20)
        return None

    with running_peer(answer) as peer:
        env = {"HELIX_URL": peer.url, "HELIX_CONFIG_DIR": str(tmp_path)}
        endpoint = DaemonEndpoint(Settings(Options(), env, "/"))
        said: list[bytes] = []
        opening = parse(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')
        exchange.Exchange(endpoint, Session(endpoint), exchange.KnownTools(), opening, said.append).run()
        hang.set()
        assert "hangs" in json.loads(said[0])["error"]["message"]
        assert len(peer.asked) == 1


def test_in_the_new_era_a_cancelled_call_closes_its_stream_and_tells_nobody_else() -> None:
    closed = threading.Event()

    def answer(asked: Asked) -> bytes | None:
        if asked.what == "tools/call":
            if not asked.connection.recv(1):
                closed.set()
            return None
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.send("tools/call", {"name": "hangs", "_meta": ENVELOPE}, 1)
        wait_for(lambda: peer.seen("tools/call"))
        client.send("notifications/cancelled", {"requestId": 1})
        assert closed.wait(10)
        assert client.ask(2, "tools/list", {"_meta": ENVELOPE})["result"] == {"method": "tools/list"}
        assert not peer.seen("notifications/cancelled")
        assert client.is_silent
