"""What serving costs: a real helixd over a real socket, beside a bare app under the same server in the same run.

First one client asks again and again on one connection; then 8 agents search over MCP, each with questions of its own
and then all with the same; then 32 clients mix reads and writes. The clients share the
processors with the daemon, so the second part says what a busy machine feels like, not what the daemon could do alone.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.figures import judge, report, timed
from bench.notes import Notes
from helix.vault.files import Files, Write
from helix.vault.paths import Root
from tests.cli.commands import BIN
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.surfaces.clients import run_clients
from tests.surfaces.conftest import surroundings
from tests.waiting import wait_for

_REVISION = "2025-11-25"
_FLOOR = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def floor(request):
    await request.body()
    return JSONResponse({"id": "x", "results": []})

paths = ["/remember", "/recall", "/memory/{id}", "/recent", "/context", "/healthz"]
app = Starlette(routes=[Route(path, floor, methods=["GET", "POST"]) for path in paths])
uvicorn.run(app, port=int(sys.argv[1]), log_config=None, access_log=False, ws="none", timeout_keep_alive=60)
"""


@contextmanager
def bare_app() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", _FLOOR, str(port)])
    try:
        wait_for(lambda: _is_up(port), 30)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def one_client(url: str, what: str, method: str, path: str, count: int, body: str | None = None) -> None:
    connection = http.client.HTTPConnection(url.removeprefix("http://"))
    seconds = []
    for number in range(count + 10):
        at = path.replace("NUMBER", str(number))
        said = None if body is None else body.replace("NUMBER", f"{what} {number}").encode()
        started = time.perf_counter()
        connection.request(method, at, said, {"Content-Type": "application/json"} if said else {})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (path, answer.status)
        if number >= 10:
            seconds.append(time.perf_counter() - started)
    connection.close()
    report(f"  {what}", seconds)


def agents(url: str, questions: list[list[str]]) -> float:
    """One for each list of questions, side by side; returns how many questions were answered in a second."""
    sessions = [Agent(url) for _ in questions]
    started = time.perf_counter()
    with ThreadPoolExecutor(len(sessions)) as pool:
        seconds = [one for some in pool.map(Agent.search, sessions, questions) for one in some]
    rate = len(seconds) / (time.perf_counter() - started)
    report(f"  {rate:.0f} searches a second", seconds)
    return rate


class Agent:
    """A session of MCP on a connection of its own."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"))
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _REVISION,
        }
        client = {"name": "bench", "version": "0"}
        self._send(0, "initialize", {"protocolVersion": _REVISION, "capabilities": {}, "clientInfo": client})
        self._send(None, "notifications/initialized", {})

    def search(self, questions: list[str]) -> list[float]:
        seconds = []
        for number, question in enumerate(questions, 1):
            started = time.perf_counter()
            answer = self._send(
                number, "tools/call", {"name": "memory_search", "arguments": {"query": question}}
            )
            assert b'"isError":false' in answer, answer
            seconds.append(time.perf_counter() - started)
        return seconds

    def _send(self, number: int | None, method: str, params: dict[str, object]) -> bytes:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number})
        self._connection.request("POST", "/mcp", body, self._headers)
        answer = self._connection.getresponse()
        if session := answer.getheader("mcp-session-id"):
            self._headers["Mcp-Session-Id"] = session
        return answer.read()


def many_clients(url: str, clients: int, seconds: float) -> Mixed:
    tallies = run_clients(url, clients, seconds)
    errors = [error for tally in tallies for error in tally.errors]
    everything = [one for tally in tallies for each in tally.seconds.values() for one in each]
    written = sum(len(tally.written) for tally in tallies)
    print(
        f"  {len(everything)} requests, {len(everything) / seconds:.0f} a second, {written} writes acknowledged, "
        f"{len(errors)} errors {errors[:2] or ''}",
        flush=True,
    )
    for verb in sorted({verb for tally in tallies for verb in tally.seconds}):
        report(f"  {verb}", [one for tally in tallies for one in tally.seconds.get(verb, ())])
    writes = sorted(one for tally in tallies for one in tally.seconds.get("POST /remember", ()))
    return Mixed(len(everything), len(everything) / seconds, writes, len(errors))


class Mixed(NamedTuple):
    requests: int
    rate: float
    """requests a second"""
    writes: list[float]
    """how long each took, in order of that"""
    errors: int


def judge_mixed(daemon: Daemon, clients: int, seconds: float) -> None:
    before = _processor_seconds(daemon.process.pid)
    found = many_clients(daemon.url, clients, seconds)
    spent = _processor_seconds(daemon.process.pid) - before
    print(
        f"  {spent / found.requests * 1000:.2f} ms of the daemon's processor time for a request", flush=True
    )
    judge("requests a second", found.rate, 250, "", at_least=True)
    judge("a write, p50", statistics.median(found.writes) * 1000, 150, "ms")
    judge("a write, p95", found.writes[int(len(found.writes) * 0.95)] * 1000, 500, "ms")
    judge("errors", found.errors, 0, "")


def bare_writes(folder: Path, count: int) -> None:
    files = Files(Root(folder))
    report(
        "  a bare durable write",
        [timed(files.write, Write(f"{number}.md", b"A line.\n" * 100, None)) for number in range(count)],
    )


def _processor_seconds(pid: int) -> float:
    """Of the daemon and its threads, where Linux tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=int, default=500)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--mixed", action="store_true", help="only the many clients that read and write")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder, bare_app() as floor:
        place = Path(folder)
        (place / "bare").mkdir()
        env = surroundings(place)
        subprocess.run([str(BIN / "helix"), "init"], env=env, check=True, capture_output=True)
        notes = Notes()
        for number in range(asked.notes):
            file = place / "vault" / notes.path(number)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(notes.data(number))
        print(f"{asked.notes} notes, load of the machine {os.getloadavg()[0]:.1f}", flush=True)
        with running_daemon(env) as daemon:
            wait_until_embedded(daemon, asked.notes)
            if asked.mixed:
                bare_writes(place / "bare", 50)
                judge_mixed(daemon, asked.clients, asked.seconds)
                return
            print("one client, one connection", flush=True)
            one_client(floor, "bare app", "GET", "/recall?q=x", asked.count)
            one_client(daemon.url, "GET /healthz", "GET", "/healthz", asked.count)
            recall = "/recall?q=retry+policy+of+the+client"
            one_client(daemon.url, "GET /recall", "GET", f"{recall}+NUMBER", asked.count)
            one_client(daemon.url, "GET /recall, the same question", "GET", recall, asked.count)
            one_client(daemon.url, "GET /recent", "GET", "/recent", asked.count)
            task = json.dumps({"task": "debug the retries of the client"})
            one_client(daemon.url, "POST /context", "POST", "/context", asked.count, task)
            text = json.dumps({"text": "Bench NUMBER of the harbour log", "force": True})
            one_client(daemon.url, "POST /remember", "POST", "/remember", asked.count, text)
            one_client(floor, "bare app, again", "GET", "/recall?q=x", asked.count)
            print("8 agents search over MCP", flush=True)
            questions = notes.questions(8 * asked.count, asked.notes)
            searches = agents(daemon.url, [questions[at::8] for at in range(8)])
            judge("searches a second, each with its own question", searches, 200, "", at_least=True)
            agents(daemon.url, [["what is the retry policy of the client?"] * asked.count] * 8)
            print(f"{asked.clients} clients on the bare app, {asked.seconds / 6:.0f} s", flush=True)
            many_clients(floor, asked.clients, asked.seconds / 6)
            print(f"{asked.clients} clients on helixd, {asked.seconds:.0f} s", flush=True)
            bare_writes(place / "bare", 50)
            judge_mixed(daemon, asked.clients, asked.seconds)


def wait_until_embedded(daemon: Daemon, notes: int) -> None:
    """Asks twice a second only: the model needs the processor."""
    index = None
    while index is None or index["memories"] < notes or index["index_lag"] > 0:
        time.sleep(0.5)
        index = daemon.health()["index"]


def _is_up(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection(f"127.0.0.1:{port}", timeout=5)
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False


if __name__ == "__main__":
    main(sys.argv[1:])
