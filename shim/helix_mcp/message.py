"""JSON-RPC: what a line is, the headers that its body asks for, and errors of the shim's own."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
# JSON-RPC's range for errors of the implementation. These are the shim's own; MCP's stand elsewhere in it.
UNREACHABLE = -32090
NOT_TAKEN = -32091
OUTCOME_UNKNOWN = -32092

_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
# What `Mcp-Name` repeats from the body, so that a gateway need not read it.
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Malformed(ValueError):
    """A line that is not one JSON-RPC message; `answers` is what its sender is told."""

    def __init__(self, answers: bytes) -> None:
        super().__init__(answers)
        self.answers = answers


class Message:
    """One JSON-RPC message and the bytes it came as, which are passed on unchanged."""

    def __init__(self, line: bytes, body: dict[str, Any]) -> None:
        self.line = line
        self.body = body
        self.id: str | int | float | None = body.get("id")
        method = body.get("method")
        self.method: str = method if isinstance(method, str) else ""
        params = body.get("params")
        self.params: dict[str, Any] = params if isinstance(params, dict) else {}

    @property
    def is_request(self) -> bool:
        return bool(self.method) and "id" in self.body

    @property
    def is_notification(self) -> bool:
        return bool(self.method) and "id" not in self.body

    @property
    def is_answer(self) -> bool:
        return not self.method and ("result" in self.body or "error" in self.body)

    @property
    def version(self) -> str:
        """The protocol's version that the message itself names: since 2026-07-28 every request does."""
        meta = self.params.get("_meta")
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        return version if isinstance(version, str) else ""

    def routing_headers(self) -> dict[str, str]:
        """What a request of 2026-07-28 repeats of itself in its headers; none for the versions before."""
        if not self.version:
            return {}
        headers = {
            "MCP-Protocol-Version": header_value(self.version),
            "Mcp-Method": header_value(self.method),
        }
        name = self.params.get(_NAMES.get(self.method, ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = header_value(name)
        return headers


def parse(line: bytes) -> Message:
    """The message in one line of the client's."""
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        raise Malformed(error_line(None, PARSE_ERROR, "that line is not JSON")) from None
    if isinstance(body, list):
        raise Malformed(_refuse_batch(body))
    if not isinstance(body, dict):
        raise Malformed(error_line(None, INVALID_REQUEST, "that line is not a JSON-RPC message"))
    message = Message(line, body)
    known = message.is_request or message.is_notification or message.is_answer
    if not known or ("id" in body and not is_id(body["id"])):
        wanted = body["id"] if is_id(body.get("id")) else None
        raise Malformed(error_line(wanted, INVALID_REQUEST, "that line is not a JSON-RPC message of MCP"))
    return message


def parse_from_server(data: bytes) -> Message | None:
    """A message of the daemon's, as one line; None when it is not one."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    # A line break in JSON stands between values, never inside one: as a space it means the same.
    message = Message(data.replace(b"\r", b" ").replace(b"\n", b" "), body)
    return message if message.method or message.is_answer else None


def is_id(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def error_line(wanted: object, code: int, message: str) -> bytes:
    return answer_line(wanted, {"code": code, "message": f"helix-mcp: {message}"})


def answer_line(wanted: object, error: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": wanted, "error": error}).encode()


def _refuse_batch(batch: list[Any]) -> bytes:
    """Batches were in one revision of MCP only. Each request in it gets its error, so that nobody waits."""
    reason = "batches are not supported; send one message per line"
    wanted = [
        item["id"] for item in batch if isinstance(item, dict) and "method" in item and is_id(item.get("id"))
    ]
    errors = [error_line(one, INVALID_REQUEST, reason) for one in wanted]
    return b"[" + b", ".join(errors) + b"]" if errors else error_line(None, INVALID_REQUEST, reason)


def header_value(text: str) -> str:
    """As MCP writes a value that a header cannot hold: `=?base64?…?=`."""
    plain = text.isascii() and text.isprintable() and text == text.strip()
    if plain and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    import binascii

    encoded = binascii.b2a_base64(text.encode("utf-8", "replace"), newline=False).decode("ascii")
    return f"=?base64?{encoded}?="
