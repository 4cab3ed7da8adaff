"""A small MCP client over stdio, the same for every server that is measured."""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any

_VERSION = "2025-06-18"
_PATIENCE = 300.0


class StdioServer:
    """A server that was started, and any number of calls in flight to it."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
        with (folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, env=env, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._sending = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> StdioServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()

    def initialize(self) -> None:
        who = {"name": "helix-bench", "version": "1"}
        self._ask("initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": who})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text that a host would put into the context of its model."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise RuntimeError(f"{tool} failed: {text[:300]}")
        return text

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number, answer = next(self._numbers), Future[dict[str, Any]]()
        self._waiting[number] = answer
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return answer.result(_PATIENCE)

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        with self._sending:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue  # some servers print their logs there
            if "method" in message and "id" in message:  # a question to the host: it has nothing to offer
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": []}})
            elif (answer := self._waiting.pop(message.get("id"), None)) is not None:
                if "result" in message:
                    answer.set_result(message["result"])
                else:
                    answer.set_exception(RuntimeError(str(message.get("error"))[:300]))
        for answer in self._waiting.values():
            answer.set_exception(RuntimeError("the server ended"))
