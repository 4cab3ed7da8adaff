"""A server that fails at random: each request gets one answer, and no write is carried out twice."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest
from helix_mcp.message import OUTCOME_UNKNOWN, UNREACHABLE

from tests.scale import scaled
from tests.shim.driver import shim
from tests.shim.peer import Asked, http, polite, running_peer

REQUESTS = 150
TOOLS = {"tools": [{"name": "read", "inputSchema": {}, "annotations": {"readOnlyHint": True}}]}


class Unreliable:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._session = 0
        self.done: Counter[object] = Counter()

    def answer(self, asked: Asked) -> bytes | None:
        with self._lock:
            fault = self._random.choices(
                ["none", "before", "after", "half", "restart", "busy", "stream"], [62, 6, 6, 6, 1, 6, 13]
            )[0]
            if asked.what == "initialize":
                self._session += 1
                return polite(asked).replace(b"s-1", f"s-{self._session}".encode())
            if asked.what == "tools/list":
                return http(200, asked.result(TOOLS))
            if asked.what != "tools/call":
                return polite(asked)
            if asked.headers["mcp-session-id"] != f"s-{self._session}":
                return http(404)
            if fault == "restart":
                self._session += 1
                return None
            if fault == "before":
                return None
            if fault == "busy":
                return http(503, Retry_After="0")
            self.done[asked.body["id"]] += 1
            answer = asked.result({"of": asked.body["id"]})
        if fault == "after":
            return None
        if fault == "half":
            asked.connection.sendall(http(200, answer)[:-10])
            return None
        if fault == "stream":
            event = b": hello\r\n\r\ndata:\r\n\r\nevent: message\r\ndata: " + answer + b"\r\n\r\n"
            cut = self._random.randrange(1, len(event))
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (event[:cut], event[cut:]))
            return head + chunks + b"0\r\n\r\n"
        return http(200, answer)


@pytest.mark.parametrize("seed", range(scaled(3)))
def test_whatever_fails_each_request_is_answered_once_and_no_write_happens_twice(seed: int) -> None:
    server = Unreliable(seed)
    with running_peer(server.answer) as peer, shim(peer.url) as client:
        client.open()
        client.ask("list", "tools/list")
        for number in range(REQUESTS):
            tool = "read" if number % 2 else "write"
            client.send("tools/call", {"name": tool, "arguments": {}}, number)
        answers = [client.receive(30) for _ in range(REQUESTS)]
        assert Counter(one["id"] for one in answers) == Counter(range(REQUESTS))
        for answer in answers:
            number = answer["id"]
            if "result" in answer:
                assert answer["result"] == {"of": number}
                assert server.done[number] >= 1
            elif number % 2 == 0 and answer["error"]["code"] == UNREACHABLE:
                assert server.done[number] == 0  # this error promises it
            else:
                assert answer["error"]["code"] == (UNREACHABLE if number % 2 else OUTCOME_UNKNOWN)
            assert number % 2 or server.done[number] <= 1
        assert sum("result" in one for one in answers if one["id"] % 2) > REQUESTS * 0.45
        assert client.end() == 0
        assert client.is_silent
        assert "Traceback" not in client.said
