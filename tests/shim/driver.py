"""helix-mcp as a process, driven line by line as a host does."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.cli.commands import BIN

OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


class Driver:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._said: list[bytes] = []
        self._threads = [threading.Thread(target=act, daemon=True) for act in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.append(line)

    @property
    def said(self) -> str:
        return b"".join(self._said).decode()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: Mapping[str, object] | None = None, number: object = None) -> None:
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        if number is not None:
            message["id"] = number
        if params is not None:
            message["params"] = params
        self.write(json.dumps(message).encode())

    def receive(self, seconds: float = 45.0) -> Any:
        return json.loads(self.receive_line(seconds))

    def receive_line(self, seconds: float = 45.0) -> bytes:
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"no line within {seconds} s; standard error: {self.said}") from None

    @property
    def is_silent(self) -> bool:
        return self._lines.empty()

    def ask(self, number: object, method: str, params: Mapping[str, object] | None = None) -> Any:
        self.send(method, params, number)
        answer = self.receive()
        assert answer["id"] == number, answer
        return answer

    def call(self, number: object, tool: str, arguments: Mapping[str, object] | None = None) -> Any:
        return self.ask(number, "tools/call", {"name": tool, "arguments": arguments or {}})

    def open(self) -> Any:
        answer = self.ask("open", "initialize", OPENING)
        self.send("notifications/initialized")
        return answer

    def end(self, seconds: float = 15.0) -> int:
        """Close the input, as a host does at the end; the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait(seconds)

    def wait(self, seconds: float = 15.0) -> int:
        status = self.process.wait(seconds)
        for thread in self._threads:
            thread.join(5)
        return status


def text(answer: Any) -> str:
    """What a tool of the test's server said."""
    return str(answer["result"]["content"][0]["text"])


@contextmanager
def shim(
    url: str,
    *options: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    may_start: bool = False,
    program: Path = BIN / "helix-mcp",
) -> Iterator[Driver]:
    """A shim that talks to `url`, and to nothing of the user's. With a token of its own for it, whoever listens there
    need not prove anything: the servers of the tests are no daemons."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HELIX_")}
    nowhere = {"HELIX_CONFIG_DIR": os.devnull, "HELIX_STATE_DIR": os.devnull}
    process = subprocess.Popen(
        [program, *([] if may_start else ["--no-start"]), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            **clean,
            **nowhere,
            **({"HELIX_URL": url, "HELIX_TOKEN": "of-the-test"} if url else {}),
            **(env or {}),
        },
        cwd=cwd,
    )
    driver = Driver(process)
    try:
        yield driver
    finally:
        process.kill()
        driver.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()
