"""helix-mcp: MCP over standard input and output, passed on to the Helix daemon.

Standard library only, and nothing of `helix`: an agent starts one of these per session, and it must be there at
once. It holds no state but the session id that the daemon gave it.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, BinaryIO

# JSON-RPC's range for errors of the implementation: the daemon could not be reached, or did not take the message.
_NOT_REACHED = -32001
_NOT_TAKEN = -32002


def daemon_url(env: dict[str, str]) -> str:
    url = env.get("HELIX_URL", "").strip()
    host, port = env.get("HELIX_HOST", "").strip() or "127.0.0.1", env.get("HELIX_PORT", "").strip() or "7878"
    return url.rstrip("/") or f"http://{f'[{host}]' if ':' in host else host}:{port}"


class Shim:
    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._session = ""

    def answer(self, line: bytes) -> Iterator[bytes]:
        """What the daemon answers to one message, as lines; nothing for a notification that it took."""
        try:
            message = json.loads(line)
        except ValueError:
            yield _error(None, -32700, "helix-mcp: that line is not JSON")
            return
        wanted = message.get("id") if isinstance(message, dict) else None
        try:
            yield from self._post(line)
        except urllib.error.HTTPError as error:
            said = error.read(2000).decode("utf-8", "replace").strip()
            reason = f"the daemon at {self._url} answered {error.code} to MCP: {said or error.reason}"
            if wanted is not None:
                yield _error(wanted, _NOT_TAKEN, f"helix-mcp: {reason}")
        except OSError as error:
            reason = f"no daemon answers at {self._url} ({error}); start it with `helixd`, or set HELIX_URL"
            if wanted is not None:
                yield _error(wanted, _NOT_REACHED, f"helix-mcp: {reason}")

    def _post(self, line: bytes) -> Iterator[bytes]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        request = urllib.request.Request(f"{self._url}/mcp", data=line, headers=headers)  # noqa: S310
        with urllib.request.urlopen(request) as response:  # noqa: S310 (the user's own HELIX_URL)
            self._session = response.headers.get("Mcp-Session-Id") or self._session
            if response.headers.get_content_type() == "text/event-stream":
                yield from _events(response)
            elif body := response.read().strip():
                yield body


def _events(stream: Any) -> Iterator[bytes]:
    """The data of server-sent events; empty ones only keep the connection alive."""
    data: list[bytes] = []
    for raw in stream:
        line = raw.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].lstrip(b" "))
        elif not line and data:
            joined, data = b"".join(data), []
            if joined:
                yield joined


def _error(wanted: object, code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": wanted, "error": {"code": code, "message": message}}).encode()


def run(source: BinaryIO, target: BinaryIO, shim: Shim) -> None:
    for line in source:
        if line.strip():
            for answer in shim.answer(line.strip()):
                target.write(answer + b"\n")
                target.flush()


def main() -> None:
    env = dict(os.environ)
    try:
        run(sys.stdin.buffer, sys.stdout.buffer, Shim(daemon_url(env), env.get("HELIX_TOKEN", "")))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(0)
