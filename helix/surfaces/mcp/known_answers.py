"""What the daemon answers whatever is in its vault: written down for the shim, which says it while the daemon starts.

`python -m helix.surfaces.mcp.known_answers FOLDER` writes the files of `shim/helix_mcp/known_answers/`, one for each
dialect and each set of further tools, so that nobody reads what others speak. They are taken from the surface itself.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helix.dialects.registry import DIALECTS
from helix.memory.workspace import Workspace
from helix.surfaces.guard import CREDENTIAL
from helix.surfaces.mcp.surface import McpSurface

_LISTS = ("tools/list", "resources/list", "resources/templates/list")
_CLIENT = {"name": "helix", "version": "1"}
_SESSION = "mcp-session-id"


def render() -> dict[str, str]:
    """The files, by their names."""
    found = asyncio.run(_collect())
    return {
        f"{name}.json": json.dumps(known, indent=1, sort_keys=True) + "\n" for name, known in found.items()
    }


async def _collect() -> dict[str, Any]:
    # None of what is asked here looks at a memory.
    surface = McpSurface(cast(Workspace, None), version("helix-memory"))
    found = {}
    async with surface.run():
        for name, dialect in DIALECTS.items():
            endpoint = (await surface.started(name)).endpoint
            found[name] = await _answers(endpoint)
            for tools in dialect.tool_sets:
                found[f"{name}-{tools}"] = await _answers(_asked_for(endpoint, f"tools={tools}"))
    return found


def _asked_for(endpoint: ASGIApp, query: str) -> ASGIApp:
    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await endpoint({**scope, "query_string": query.encode()}, receive, send)

    return asked


async def _answers(endpoint: ASGIApp) -> dict[str, Any]:
    """By era: that of the handshake, whose answers are the same in all its revisions, and each one since."""
    eras = {"handshake": await _with_handshake(endpoint)}
    for revision in MODERN_PROTOCOL_VERSIONS:
        eras[revision] = await _without_handshake(endpoint, revision)
    return {
        "handshake_versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "latest_handshake_version": LATEST_HANDSHAKE_VERSION,
        "eras": eras,
    }


async def _with_handshake(endpoint: ASGIApp) -> dict[str, Any]:
    opening = {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {}, "clientInfo": _CLIENT}
    opened, session = await _ask(endpoint, "initialize", opening, {})
    headers = {_SESSION: session, "mcp-protocol-version": LATEST_HANDSHAKE_VERSION}
    answers = {method: (await _ask(endpoint, method, {}, headers))[0] for method in (*_LISTS, "ping")}
    return _results({"initialize": opened, **answers})


async def _without_handshake(endpoint: ASGIApp, revision: str) -> dict[str, Any]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": _CLIENT,
    }
    answers = {}
    for method in ("server/discover", *_LISTS):
        headers = {"mcp-protocol-version": revision, "mcp-method": method}
        answers[method], _ = await _ask(endpoint, method, {"_meta": meta}, headers)
    return _results(answers)


def _results(answers: dict[str, Any]) -> dict[str, Any]:
    """What the dialect does not have is left to the daemon to refuse."""
    return {method: answer["result"] for method, answer in answers.items() if "result" in answer}


async def _ask(
    endpoint: ASGIApp, method: str, params: dict[str, Any], headers: dict[str, str]
) -> tuple[Any, str]:
    """The answer, and the session that it opened."""
    request = [json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()]
    pieces: list[bytes] = []
    got: dict[bytes, bytes] = {}

    async def receive() -> Message:
        if not request:
            await asyncio.Event().wait()  # the client stays
        return {"type": "http.request", "body": request.pop(), "more_body": False}

    async def send(message: Message) -> None:
        got.update(message.get("headers", ()))
        pieces.append(message.get("body", b""))

    await endpoint(_scope(headers), receive, send)
    body = b"".join(pieces)
    if got[b"content-type"].startswith(b"text/event-stream"):
        body = [line for line in body.splitlines() if line.startswith(b"data: {")][-1].removeprefix(b"data: ")
    return json.loads(body), got.get(_SESSION.encode(), b"").decode()


def _scope(headers: dict[str, str]) -> Scope:
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    return {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in {**usual, **headers}.items()],
        CREDENTIAL: "",
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for name, text in render().items():
        (folder / name).write_text(text, "utf-8")
