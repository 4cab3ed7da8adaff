"""The MCP server of the tests as a process of its own, which can be killed and started again on its port."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.flows.daemon import free_port
from tests.waiting import wait_for


class FixtureServer:
    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.shim.mcp_server", str(self.port), str(self._folder)]
        self._process = subprocess.Popen(command)
        wait_for(self._is_up, seconds=30)

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the server of the test ended"
        try:
            return bool(self.get("/healthz"))
        except OSError:
            return False

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def get(self, path: str, data: bytes | None = None) -> Any:
        with urllib.request.urlopen(self.url + path, data=data, timeout=10) as answer:
            return json.load(answer)

    def diary(self) -> list[str]:
        try:
            return (self._folder / "diary").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []

    def free(self) -> None:
        """From now on `count` does not hang."""
        (self._folder / "free").touch()


@contextmanager
def running_server(folder: Path) -> Iterator[FixtureServer]:
    server = FixtureServer(folder, free_port())
    server.start()
    try:
        yield server
    finally:
        server.kill()
