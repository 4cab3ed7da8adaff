"""A daemon that dies, comes back, or forgets: the agent must not notice, and no write may happen twice."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.flows.daemon import free_port
from tests.shim.driver import ENVELOPE, shim, text
from tests.shim.peer import Asked, http, polite, running_peer
from tests.shim.servers import FixtureServer
from tests.waiting import wait_for

LISTED = {
    "tools": [
        {"name": "find_things", "inputSchema": {}, "annotations": {"readOnlyHint": True}},
        {"name": "put_thing", "inputSchema": {}, "annotations": {"idempotentHint": True}},
        {"name": "add_thing", "inputSchema": {}, "annotations": {"readOnlyHint": False}},
        {"name": "say_nothing", "inputSchema": {}},
    ]
}


def test_a_forgotten_session_is_opened_again_and_the_call_is_made_once(server: FixtureServer) -> None:
    with shim(server.url) as client:
        client.open()
        server.get("/forget", b"{}")
        before = server.diary().count("count after-forgetting")
        assert text(client.call(1, "count", {"idempotency_key": "after-forgetting"})) == "counted"
        assert text(client.call(2, "echo", {"text": "on"})) == "on"
        assert server.diary().count("count after-forgetting") == before + 1
        assert client.is_silent


def test_many_calls_that_find_their_session_gone_open_one_new_session() -> None:
    known = "s-1"

    def answer(asked: Asked) -> bytes | None:
        nonlocal known
        if asked.what == "initialize":
            known = f"s-{len(peer.seen('initialize'))}"
            return polite(asked).replace(b"s-1", known.encode())
        if asked.method == "POST" and asked.headers.get("mcp-session-id") != known:
            return http(
                404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}'
            )
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        wait_for(lambda: peer.seen("notifications/initialized"))
        known = "none of yours"
        for number in range(20):
            client.send("tools/list", number=number)
        assert {client.receive()["result"]["method"] for _ in range(20)} == {"tools/list"}
        assert len(peer.seen("initialize")) == 2
        assert len(peer.seen("notifications/initialized")) == 2
        assert peer.seen("initialize")[0].body == peer.seen("initialize")[1].body


def test_what_was_asked_for_the_whole_session_is_asked_of_the_next_one() -> None:
    forgotten = threading.Event()

    def answer(asked: Asked) -> bytes | None:
        if asked.what == "tools/list" and forgotten.is_set() and len(peer.seen("initialize")) == 1:
            return http(404)
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        client.ask(1, "logging/setLevel", {"level": "error"})
        client.ask(2, "resources/subscribe", {"uri": "helix://graph"})
        client.ask(3, "resources/subscribe", {"uri": "helix://other"})
        client.ask(4, "resources/unsubscribe", {"uri": "helix://other"})
        forgotten.set()
        client.ask(5, "tools/list")
        assert [one.body["params"] for one in peer.seen("logging/setLevel")] == [{"level": "error"}] * 2
        uris = [one.body["params"]["uri"] for one in peer.seen("resources/subscribe")]
        assert uris == ["helix://graph", "helix://other", "helix://graph"]
        assert client.is_silent


def test_a_killed_server_that_comes_back_is_used_as_if_nothing_had_been(own_server: FixtureServer) -> None:
    with shim(own_server.url) as old, shim(own_server.url) as new:
        old.open()
        old.ask("list", "tools/list")
        new.ask("list", "tools/list", {"_meta": ENVELOPE})
        # A read under way, a write under way, and the server dies.
        old.send("tools/call", {"name": "slow", "arguments": {"seconds": 0.5}}, "read")
        old.send("tools/call", {"name": "count", "arguments": {"hang": True}}, "write")
        keyed = {"hang": True, "idempotency_key": "k"}
        old.send("tools/call", {"name": "count", "arguments": keyed}, "keyed")
        new.send(
            "tools/call", {"name": "count", "arguments": {"hang": True}, "_meta": ENVELOPE}, "modern write"
        )
        wait_for(lambda: own_server.diary().count("count") == 2 and "count k" in own_server.diary())
        wait_for(lambda: "slow began" in own_server.diary())
        own_server.kill()
        own_server.free()
        own_server.start()
        answers: dict[str, Any] = {(one := old.receive())["id"]: one for _ in range(3)}
        assert text(answers["read"]) == "done"
        assert text(answers["keyed"]) == "counted"
        for lost in (answers["write"], new.receive()):
            assert lost["error"]["code"] == -32092
            assert "not known" in lost["error"]["message"]
            assert "idempotency_key" in lost["error"]["message"]
        assert own_server.diary().count("count") == 2
        assert own_server.diary().count("count k") == 2
        # And life goes on in both eras.
        assert text(old.call("next", "echo", {"text": "again"})) == "again"
        assert (
            text(new.ask("n", "tools/call", {"name": "echo", "arguments": {"text": "x"}, "_meta": ENVELOPE}))
            == "x"
        )
        assert old.end() == 0
        assert new.end() == 0


def test_the_stream_of_announcements_comes_back_with_the_server(own_server: FixtureServer) -> None:
    with shim(own_server.url) as client:
        client.open()
        wait_for(lambda: own_server.get("/sessions"))
        own_server.kill()
        own_server.start()
        wait_for(lambda: own_server.get("/sessions"))  # nobody asked: the listener opened it again
        heard: set[str] = set()
        number = 0
        while "notifications/tools/list_changed" not in heard:
            number += 1
            assert number < 100
            client.send("tools/call", {"name": "announce"}, number)
            while (message := client.receive()).get("id") != number:
                heard.add(message["method"])


@pytest.mark.parametrize(
    ("name", "arguments", "repeated"),
    [
        ("find_things", {}, True),
        ("find.things", {}, True),
        ("put_thing", {}, True),
        ("add_thing", {}, False),
        ("add_thing", {"idempotency_key": "k"}, True),
        ("say_nothing", {}, False),
        ("never_listed", {}, False),
    ],
)
def test_a_call_lost_in_its_middle_is_repeated_only_if_that_is_harmless(
    name: str, arguments: dict[str, str], repeated: bool
) -> None:
    def answer(asked: Asked) -> bytes | None:
        if asked.what == "tools/list":
            return http(200, asked.result(LISTED))
        if asked.what == "tools/call" and len(peer.seen("tools/call")) == 1:
            return None
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        client.ask(1, "tools/list")
        got = client.call(2, name, arguments)
        assert ("result" in got) is repeated
        assert len(peer.seen("tools/call")) == (2 if repeated else 1)


@pytest.mark.parametrize(
    "half",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n20\r\ndata",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n",
        b"HTTP/1.1 200 OK\r\nContent-Ty",
    ],
)
def test_an_answer_that_breaks_off_is_asked_for_again_when_it_was_a_read(half: bytes) -> None:
    def answer(asked: Asked) -> bytes | None:
        if asked.what == "resources/read" and len(peer.seen("resources/read")) == 1:
            asked.connection.sendall(half)
            return None
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        assert client.ask(1, "resources/read", {"uri": "x://y"})["result"] == {"method": "resources/read"}


def test_a_read_that_is_lost_every_time_ends_in_an_error() -> None:
    def answer(asked: Asked) -> bytes | None:
        return None if asked.what == "tools/list" else polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        assert "does not answer" in client.ask(1, "tools/list")["error"]["message"]
        assert 1 < len(peer.seen("tools/list")) < 10


def test_a_server_that_lets_go_of_a_numbered_stream_is_asked_for_the_rest() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    def answer(asked: Asked) -> bytes | None:
        if asked.what == "tools/call":
            asked.connection.sendall(head + b"id: 7\nretry: 10\ndata:\n\n")
            return None
        if asked.headers.get("last-event-id") == "7":
            [call] = peer.seen("tools/call")
            asked.connection.sendall(head + b"id: 8\ndata: " + call.result({"whole": True}) + b"\n\n")
            return None
        return polite(asked)

    with running_peer(answer) as peer, shim(peer.url) as client:
        client.open()
        assert client.call(1, "write")["result"] == {"whole": True}
        assert len(peer.seen("tools/call")) == 1


def test_a_daemon_that_is_away_for_a_moment_is_waited_for() -> None:
    port = free_port()
    with running_peer(polite, port) as peer, shim(peer.url) as client:
        client.open()
        wait_for(lambda: peer.seen("notifications/initialized"))
        peer.close()
        client.send("tools/call", {"name": "add_thing"}, 1)
        with running_peer(polite, port) as back:
            assert client.receive()["result"] == {"method": "tools/call"}
            assert len(back.seen("tools/call")) == 1
