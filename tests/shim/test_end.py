"""Every way to end, none of which leaves a process or a session behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.commands import BIN
from tests.shim.driver import ENVELOPE, shim, text
from tests.shim.servers import FixtureServer
from tests.waiting import wait_for


def test_at_the_end_of_the_input_calls_under_way_are_answered_and_the_session_is_closed(
    server: FixtureServer,
) -> None:
    before = server.get("/sessions")
    with shim(server.url) as client:
        client.open()
        client.send("tools/call", {"name": "slow", "arguments": {"seconds": 0.5}}, 1)
        assert client.end() == 0
        assert text(client.receive()) == "done"
    assert server.get("/sessions") == before


def test_everything_at_once_and_then_the_end_is_answered_in_full(server: FixtureServer) -> None:
    with shim(server.url) as client:
        client.open()
        for number in range(100):
            client.send("tools/call", {"name": "echo", "arguments": {"text": str(number)}}, number)
        assert client.end() == 0
        answers = [client.receive() for _ in range(100)]
        assert {one["id"]: text(one) for one in answers} == {number: str(number) for number in range(100)}


def test_a_subscription_does_not_hold_the_end_up(server: FixtureServer) -> None:
    with shim(server.url) as client:
        params = {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}
        client.send("subscriptions/listen", params, 1)
        assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
        started = time.monotonic()
        assert client.end() == 0
        assert time.monotonic() - started < 4.5


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_cancels_what_takes_long_and_closes_the_session(server: FixtureServer, name: str) -> None:
    before = server.get("/sessions")
    with shim(server.url) as client:
        client.open()
        client.send("tools/call", {"name": "slow", "arguments": {"seconds": 60, "name": name}}, 1)
        wait_for(lambda: f"{name} began" in server.diary())
        client.process.send_signal(getattr(signal, name))
        assert client.wait() == 0
    wait_for(lambda: f"{name} cancelled" in server.diary())
    assert server.get("/sessions") == before


def test_a_second_signal_is_the_end_at_once(server: FixtureServer) -> None:
    with shim(server.url) as client:
        client.open()
        client.send("tools/call", {"name": "slow", "arguments": {"seconds": 60, "name": "twice"}}, 1)
        wait_for(lambda: "twice began" in server.diary())
        client.process.send_signal(signal.SIGTERM)
        client.process.send_signal(signal.SIGINT)
        assert client.wait() == 0


def test_when_nobody_reads_the_answers_the_shim_ends(server: FixtureServer) -> None:
    before = server.get("/sessions")
    process = subprocess.Popen(
        [BIN / "helix-mcp", "--no-start"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "HELIX_URL": server.url, "HELIX_TOKEN": "t", "HELIX_CONFIG_DIR": os.devnull},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    with process.stdin:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(10) == 0
    assert server.get("/sessions") == before


def test_a_host_that_is_killed_leaves_no_shim_behind(server: FixtureServer) -> None:
    before = server.get("/sessions")
    host = (
        "import json, subprocess, sys, time\n"
        f"shim = subprocess.Popen([{str(BIN / 'helix-mcp')!r}, '--no-start'], stdin=subprocess.PIPE)\n"
        "params = {'protocolVersion': '2025-11-25', 'capabilities': {}, 'clientInfo': {'name': 'h', 'version': '1'}}\n"
        "for m in ({'id': 1, 'method': 'initialize', 'params': params}, {'method': 'notifications/initialized'}):\n"
        "    shim.stdin.write(json.dumps({'jsonrpc': '2.0', **m}).encode() + b'\\n')\n"
        "    shim.stdin.flush()\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", host],
        stdout=subprocess.PIPE,
        env={**os.environ, "HELIX_URL": server.url, "HELIX_TOKEN": "t", "HELIX_CONFIG_DIR": os.devnull},
    )
    assert process.stdout is not None
    with process.stdout:
        assert b"protocolVersion" in process.stdout.readline()
        wait_for(lambda: server.get("/sessions") != before)
        process.kill()
        process.wait()
        assert process.stdout.read() == b""  # the shim held the other end, and has gone
    wait_for(lambda: server.get("/sessions") == before)
