"""Lines and headers, held against the official implementation."""

from __future__ import annotations

import json

import pytest
from helix_mcp.message import Message, header_value, parse, parse_from_server
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request, encode_header_value

from tests.shim.driver import ENVELOPE

NAMES = [
    "memory_search",
    "memory.search",
    "",
    " x",
    "x ",
    "a b",
    "zählen",
    "世界",
    "a\nb",
    "a\tb",
    "\x7f",
    "~",
]
NAMES += ["=?base64?eA==?=", "=?base64?", "helix://graph?x=1", "🦉"]


@pytest.mark.parametrize("name", NAMES)
def test_a_header_value_is_what_the_official_client_would_send(name: str) -> None:
    assert header_value(name) == encode_header_value(name)


@pytest.mark.parametrize(
    ("method", "key"),
    [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri"), ("tools/list", "")],
)
def test_the_official_server_accepts_the_headers_made_from_a_body(method: str, key: str) -> None:
    for name in NAMES:
        params = {"_meta": ENVELOPE, **({key: name} if key else {})}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        message = parse(line)
        headers = {header.lower(): value for header, value in message.routing_headers().items()}
        assert isinstance(classify_inbound_request(message.body, headers=headers), InboundModernRoute)


def test_a_request_that_names_no_version_has_no_routing_headers() -> None:
    assert parse(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}').routing_headers() == {}
    assert parse(b'{"id":1,"method":"x","params":{"_meta":{"progressToken":1}}}').routing_headers() == {}


def test_a_message_written_over_several_lines_becomes_one_line_and_means_the_same() -> None:
    spread = json.dumps({"id": 1, "result": {"text": "a\nb\u2028"}}, indent=2, ensure_ascii=False).encode()
    message = parse_from_server(spread.replace(b"\n", b"\r\n"))
    assert isinstance(message, Message)
    assert b"\n" not in message.line
    assert b"\r" not in message.line
    assert json.loads(message.line) == json.loads(spread)


@pytest.mark.parametrize("data", [b"", b"oops", b"[]", b"3", b"{}", b'{"id":1}'])
def test_what_is_not_a_message_is_none(data: bytes) -> None:
    assert parse_from_server(data) is None
