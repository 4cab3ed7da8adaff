"""What the stdio shim costs: the cold start to the answer of `initialize`, with a daemon and from nothing running, and
each call after that."""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.figures import report
from tests.shim.mcp_server import TOKEN
from tests.shim.servers import running_server
from tests.surfaces.conftest import surroundings

_BIN = Path(sys.executable).parent
_AT_ONCE = 8
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.shim", description=__doc__)
    parser.add_argument("--starts", type=int, default=60)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--from-nothing", type=int, default=8, help="how often a daemon is started")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        (Path(folder) / "token").write_text(TOKEN)  # the server proves that it knows it, as the daemon does
        env = {**os.environ, "HELIX_URL": server.url, "HELIX_CONFIG_DIR": folder}
        bare: list[float] = []
        cold: list[float] = []
        for _ in range(options.starts):  # in turn, so that both see the same load
            bare.append(_bare())
            cold.append(_cold(env))
        report("python -c pass", bare)
        report("helix-mcp, cold start to the answer of initialize", cold)
        ratio = statistics.median(cold) / statistics.median(bare)
        print(f"ratio of the medians: {ratio:.2f} (at most 4)")
        print(
            f"lowest: {min(bare) * 1000:.1f} and {min(cold) * 1000:.1f} ms, ratio {min(cold) / min(bare):.2f}"
        )
        _calls(env, server.port, options.calls)
        _in_flight(env, options.calls)
    with tempfile.TemporaryDirectory() as folder:
        _from_nothing(surroundings(Path(folder)), options.from_nothing)


def _from_nothing(env: dict[str, str], starts: int) -> None:
    """No daemon runs: the shim starts one, and answers what it knows meanwhile."""
    env = {**os.environ, **env}
    subprocess.run([_BIN / "helix", "init"], env=env, check=True, capture_output=True)
    bare: list[float] = []
    opened: list[float] = []
    listed: list[float] = []
    searched: list[float] = []
    for _ in range(starts):
        bare.append(_bare())
        started = time.perf_counter()
        shim = _Shim(env)
        assert b"protocolVersion" in shim.ask(1, "initialize", _INITIALIZE)
        opened.append(time.perf_counter() - started)
        assert b"memory_search" in shim.ask(2, "tools/list", {})
        listed.append(time.perf_counter() - started)
        answer = shim.ask(3, "tools/call", {"name": "memory_search", "arguments": {"query": "port"}})
        assert b"result" in answer, answer
        searched.append(time.perf_counter() - started)
        shim.end()
        subprocess.run([_BIN / "helix", "down"], env=env, check=True, capture_output=True)
    print("from nothing running:")
    report("python -c pass", bare)
    for what, times in (("initialize", opened), ("tools/list", listed), ("the first search", searched)):
        report(f"helix-mcp, start to the answer of {what}", times)
        print(f"  ratio of the medians: {statistics.median(times) / statistics.median(bare):.1f}")


def _bare() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


class _Shim:
    def __init__(self, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [_BIN / "helix-mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, number: int, method: str, params: dict[str, Any]) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(_line(number, method, params) + b"\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def ask_many(self, numbers: range, at_once: int, method: str, params: dict[str, Any]) -> None:
        """With so many under way at any moment."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        waiting, answered = list(numbers), 0
        while answered < len(numbers):
            while waiting and len(numbers) - len(waiting) - answered < at_once:
                self._process.stdin.write(_line(waiting.pop(), method, params) + b"\n")
            self._process.stdin.flush()
            self._process.stdout.readline()
            answered += 1

    def processor_seconds(self) -> float:
        """So far; nan where the system does not say it."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self._process.communicate(timeout=10)


def _line(number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def _cold(env: dict[str, str]) -> float:
    started = time.perf_counter()
    shim = _Shim(env)
    answer = shim.ask(1, "initialize", _INITIALIZE)
    took = time.perf_counter() - started
    assert b"protocolVersion" in answer, answer
    shim.end()
    return took


def _calls(env: dict[str, str], port: int, count: int) -> None:
    """The same small call through the shim and straight to the server: the difference is what the shim adds."""
    call = {"name": "echo", "arguments": {"text": "x" * 200}}
    shim = _Shim(env)
    shim.ask(1, "initialize", _INITIALIZE)
    through = []
    for number in range(2, count + 2):
        started = time.perf_counter()
        shim.ask(number, "tools/call", call)
        through.append(time.perf_counter() - started)
    shim.end()
    with socket.create_connection(("127.0.0.1", port)) as direct:
        session = _post(direct, _line(1, "initialize", _INITIALIZE), "")
        straight = []
        for number in range(2, count + 2):
            started = time.perf_counter()
            _post(direct, _line(number, "tools/call", call), session)
            straight.append(time.perf_counter() - started)
    report("a small call straight to the server", straight)
    report("the same call through helix-mcp", through)


def _in_flight(env: dict[str, str], count: int) -> None:
    call = {"name": "echo", "arguments": {"text": "x" * 2000}}
    shim = _Shim(env)
    shim.ask(1, "initialize", _INITIALIZE)
    shim.ask(2, "tools/list", {})
    before, started = shim.processor_seconds(), time.perf_counter()
    shim.ask_many(range(3, count + 3), _AT_ONCE, "tools/call", call)
    spent, took = shim.processor_seconds() - before, time.perf_counter() - started
    shim.end()
    print(
        f"{_AT_ONCE} calls in flight through one helix-mcp: {count / took:.0f} a second, "
        f"{spent / count * 1000:.2f} ms of its processor time each"
    )


def _post(direct: socket.socket, body: bytes, session: str) -> str:
    head = (
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n"
        + (f"Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n" if session else "")
        + f"Content-Length: {len(body)}\r\n\r\n"
    )
    direct.sendall(head.encode() + body)
    answer = b""
    while not answer.endswith(b"\r\n0\r\n\r\n"):
        answer += direct.recv(65536)
    name = b"mcp-session-id: "
    return answer.partition(name)[2].partition(b"\r\n")[0].decode()


if __name__ == "__main__":
    main(sys.argv[1:])
