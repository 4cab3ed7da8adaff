"""Paths, sessions and bodies: what is decided before a tool is called."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, cast

import httpx
import pytest

from helix.dialects.dialect import Arguments, Dialect, Tool
from helix.memory.request import Request
from helix.memory.workspace import Workspace
from helix.surfaces.mcp.surface import McpSurface
from tests.surfaces.mcp.serving import VERSION, NoWorkspace, Served, served
from tests.waiting import wait_for

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ACCEPT = {"accept": "application/json, text/event-stream"}


def post(at: Served, path: str, body: Any, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(at.url + path, json=body, headers={**ACCEPT, **named}, timeout=20)


def initialize(
    at: Served, path: str = "/mcp", revision: str = "2025-11-25", **headers: str
) -> httpx.Response:
    client = {"name": "raw", "version": "0"}
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": client}
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    return post(at, path, body, **headers)


def said(answer: httpx.Response) -> dict[str, Any]:
    """The message in an answer, which is JSON or the last event of a stream."""
    if answer.headers["content-type"].startswith("application/json"):
        return dict(answer.json())
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return dict(json.loads(lines[-1]))


def ping(at: Served, session: str, **headers: str) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    return post(at, "/mcp", body, mcp_session_id=session, mcp_protocol_version="2025-11-25", **headers)


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_with_a_handshake_is_spoken(at: Served, revision: str) -> None:
    answer = initialize(at, revision=revision)
    assert said(answer)["result"]["protocolVersion"] == revision
    assert said(answer)["result"]["capabilities"]["tools"] == {"listChanged": True}
    assert answer.headers["mcp-session-id"]


def test_the_paths_are_exact_and_nothing_redirects(at: Served) -> None:
    assert initialize(at).status_code == 200
    assert initialize(at, "/mcp/helix").status_code == 200
    for path in ("/mcp/", "/mcp/klingon", "/mcp/vault/deeper"):
        answer = initialize(at, path, authorization="Bearer me")
        assert answer.status_code == 404
        assert answer.json()["code"] == "not-found"
    assert "helix, vault, zaxy" in httpx.get(f"{at.url}/mcp/klingon").json()["error"]


def test_the_vault_dialect_asks_even_local_programs_for_a_token(at: Served) -> None:
    refused = initialize(at, "/mcp/vault")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["code"] == "unauthorized"
    assert initialize(at, "/mcp/vault", authorization="Bearer me").status_code == 200


def test_a_session_belongs_to_the_credential_that_opened_it(at: Served) -> None:
    session = initialize(at, authorization="Bearer anna").headers["mcp-session-id"]
    assert ping(at, session, authorization="Bearer anna").status_code == 200
    assert ping(at, session, authorization="Bearer bert").status_code == 404
    assert ping(at, session).status_code == 404
    headers = {"mcp-session-id": session, "authorization": "Bearer bert"}
    assert httpx.delete(f"{at.url}/mcp", headers=headers).status_code == 404
    assert ping(at, session, authorization="Bearer anna").status_code == 200


def test_a_session_of_one_dialect_is_none_of_another(at: Served) -> None:
    session = initialize(at, "/mcp/vault", authorization="Bearer me").headers["mcp-session-id"]
    assert ping(at, session, authorization="Bearer me").status_code == 404


def test_a_session_that_was_ended_is_gone(at: Served) -> None:
    session = initialize(at).headers["mcp-session-id"]
    assert httpx.delete(f"{at.url}/mcp", headers={"mcp-session-id": session}).status_code == 200
    assert ping(at, session).status_code == 404
    assert ping(at, "never-was").status_code == 404


def test_a_look_without_a_session_opens_none(at: Served) -> None:
    assert httpx.get(f"{at.url}/mcp", headers=ACCEPT).status_code == 400
    assert httpx.put(f"{at.url}/mcp", headers=ACCEPT).status_code == 405


def test_a_body_that_is_too_large_is_refused(at: Served) -> None:
    session = initialize(at).headers["mcp-session-id"]
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"x": "x" * 4_194_304}}}
    assert post(at, "/mcp", body, mcp_session_id=session).status_code == 413
    assert ping(at, session).status_code == 200


def test_what_is_no_json_is_refused(at: Served) -> None:
    session = initialize(at).headers["mcp-session-id"]
    for body in (b"{", b"[]", b"\xff", b"[" * 100_000):
        headers = {**ACCEPT, "content-type": "application/json", "mcp-session-id": session}
        assert httpx.post(f"{at.url}/mcp", content=body, headers=headers).status_code == 400


def test_half_a_character_is_no_obstacle(at: Served) -> None:
    """JSON can spell one, and UTF-8 cannot. The older era's parser refuses it; the newer one's lets it through."""
    half = "\ud83d"
    wish = {"text": f"The kiosk {half} sells maps", "title": f"Kiosk {half}", "tags": [half]}
    revision = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "memory_write", "arguments": wish, "_meta": revision}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        **ACCEPT,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "memory_write",
    }
    answer = httpx.post(f"{at.url}/mcp", content=json.dumps(body), headers=headers)
    assert said(answer)["result"]["structuredContent"]["status"] == "created", answer.text


class Gate:
    """A dialect with one tool that waits until it is let through."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun: list[Mapping[str, Any]] = []
        self.done: list[Mapping[str, Any]] = []
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        tool = Tool("memory_wait", "memory.wait", "Waits", schema, self.wait)
        self.dialect = Dialect("gate", "", (tool,))

    def wait(self, request: Request, arguments: Arguments) -> str:
        self.begun.append(arguments)
        assert self.open.wait(20)
        self.done.append(arguments)
        return "through"


@contextmanager
def gated(gate: Gate, **limits: Any) -> Iterator[Served]:
    workspace = cast(Workspace, NoWorkspace())
    with served(
        McpSurface(workspace, VERSION, dialects={"gate": gate.dialect}, default="gate", **limits)
    ) as at:
        try:
            yield at
        finally:
            gate.open.set()


def test_an_id_that_is_under_way_is_not_taken_twice() -> None:
    gate = Gate()
    with gated(gate) as at, ThreadPoolExecutor(1) as pool:
        session = initialize(at).headers["mcp-session-id"]
        call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "memory_wait"}}
        first = pool.submit(post, at, "/mcp", call, mcp_session_id=session)
        wait_for(lambda: gate.begun)
        second = post(at, "/mcp", call, mcp_session_id=session)
        assert second.status_code == 400
        assert second.json()["error"]["message"] == "request id 5 is already under way"
        assert second.json()["id"] == 5
        gate.open.set()
        assert said(first.result())["result"]["content"][0]["text"] == "through"
        third = post(at, "/mcp", call, mcp_session_id=session)
        assert said(third)["id"] == 5


def test_there_are_only_so_many_sessions() -> None:
    with gated(Gate(), most_sessions=2) as at:
        assert initialize(at).status_code == 200
        assert initialize(at).status_code == 200
        assert initialize(at).status_code == 503


def test_idle_sessions_make_room() -> None:
    with gated(Gate(), most_sessions=1, idle_seconds=0.5) as at:
        first = initialize(at).headers["mcp-session-id"]
        wait_for(lambda: initialize(at).status_code == 200)
        assert ping(at, first).status_code == 404
