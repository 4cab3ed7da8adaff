"""A plain tool call is answered with a body, and says the same as the library's stream of events."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.surfaces.mcp.serving import Served, Vaulted
from tests.surfaces.mcp.test_sessions import ACCEPT, Gate, gated, initialize, ping, post, said
from tests.waiting import wait_for

REVISION = "2025-11-25"


def opened(at: Served, revision: str = REVISION, **headers: str) -> str:
    """A session whose handshake is complete, and known to be."""
    session = initialize(at, revision=revision, **headers).headers["mcp-session-id"]
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert post(at, "/mcp", done, mcp_session_id=session, **headers).status_code == 202
    endpoint = at.surface.served(at.surface._default).endpoint
    if revision >= "2025-06-18":
        wait_for(lambda: session in endpoint._direct._open)
    return session


def call(
    at: Served, session: str, params: dict[str, Any], revision: str = REVISION, **headers: str
) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params}
    return post(at, "/mcp", body, mcp_session_id=session, mcp_protocol_version=revision, **headers)


def is_body(answer: httpx.Response) -> bool:
    return answer.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_search", {"query": "lighthouse"}),
        ("memory_get", {"id": "mem_none"}),
        ("memory_search", {"query": "lighthouse", "limit": "many"}),
    ],
)
def test_a_body_says_what_a_stream_says(
    at: Served, vault: Vaulted, name: str, arguments: dict[str, Any]
) -> None:
    session = opened(at)
    post_of = {"name": name, "arguments": arguments}
    body = call(at, session, post_of)
    stream = call(at, session, {**post_of, "_meta": {"progressToken": 1}})
    assert is_body(body)
    assert not is_body(stream)
    assert said(body) == said(stream)
    assert body.headers["mcp-session-id"] == session


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26"])
def test_an_older_revision_gets_its_stream(at: Served, revision: str) -> None:
    session = opened(at, revision)
    answer = call(at, session, {"name": "memory_search", "arguments": {"query": "x"}}, revision)
    assert not is_body(answer)
    assert said(answer)["result"]["content"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"name": "memory_nothing"}, -32602),
        ({"name": 5}, -32602),
        ({"name": "memory_search", "arguments": ["query"]}, -32602),
        ({}, -32602),
    ],
)
def test_what_is_no_call_of_a_tool_is_refused_by_the_protocol(
    at: Served, params: dict[str, Any], code: int
) -> None:
    assert said(call(at, opened(at), params))["error"]["code"] == code


def test_a_call_needs_a_session_that_is_open_and_one_s_own(at: Served) -> None:
    asked = {"name": "memory_search", "arguments": {"query": "x"}}
    session = opened(at, authorization="Bearer anna")
    assert is_body(call(at, session, asked, authorization="Bearer anna"))
    assert call(at, session, asked, authorization="Bearer bert").status_code == 404
    assert call(at, session, asked).status_code == 404
    headers = {"mcp-session-id": session, "authorization": "Bearer anna"}
    assert httpx.delete(f"{at.url}/mcp", headers=headers).status_code == 200
    assert call(at, session, asked, authorization="Bearer anna").status_code == 404


def test_who_takes_no_stream_of_events_is_refused_as_before(at: Served) -> None:
    session = opened(at)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_stats"}}
    headers = {"accept": "application/json", "mcp-session-id": session, "mcp-protocol-version": REVISION}
    assert httpx.post(f"{at.url}/mcp", json=body, headers=headers).status_code == 406
    assert ACCEPT["accept"] != headers["accept"]


def test_a_call_that_is_cancelled_is_answered_as_cancelled() -> None:
    gate = Gate()
    with gated(gate) as at, ThreadPoolExecutor(1) as pool:
        session = opened(at)
        waiting = pool.submit(call, at, session, {"name": "memory_wait"})
        wait_for(lambda: gate.begun)
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}}
        assert post(at, "/mcp", cancel, mcp_session_id=session).status_code == 202
        answer = said(waiting.result(timeout=10))
        assert answer["error"] == {"code": -32800, "message": "Request cancelled"}
        assert answer["id"] == "x"


def test_a_session_that_only_calls_tools_does_not_grow_old() -> None:
    gate = Gate()
    gate.open.set()
    with gated(gate) as at:
        session = opened(at)
        endpoint = at.surface.served(at.surface._default).endpoint
        idle = endpoint._sessions._server_instances[session].idle_scope
        assert idle is not None
        wait_for(lambda: idle.deadline < float("inf"))
        before = idle.deadline
        assert is_body(call(at, session, {"name": "memory_wait"}))
        assert idle.deadline > before
        assert ping(at, session).status_code == 200
