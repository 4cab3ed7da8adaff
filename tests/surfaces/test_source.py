"""From where a request comes, when a named proxy stands between: what the headers say, as far as they agree."""

from __future__ import annotations

import ipaddress

import pytest
from starlette.requests import HTTPConnection

from helix.surfaces.source import UNKNOWN_ADDRESS, Peers

PEERS = Peers((ipaddress.ip_network("10.0.0.0/24"),))


def address(socket: str, *headers: tuple[str, str]) -> str:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return PEERS.address(HTTPConnection({"type": "http", "client": (socket, 1), "headers": raw}))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("x-forwarded-for", "203.0.113.9")], "203.0.113.9"),
        ([("x-forwarded-for", "198.51.100.1, 203.0.113.9, 10.0.0.8")], "203.0.113.9"),
        ([("forwarded", "for=203.0.113.9;proto=https")], "203.0.113.9"),
        ([("forwarded", 'for="203.0.113.9:4711"')], "203.0.113.9"),
        ([("forwarded", 'For="[2001:db8::7]:4711";by=10.0.0.1')], "2001:db8::7"),
        ([("forwarded", "for=198.51.100.1, for=203.0.113.9")], "203.0.113.9"),
        ([("forwarded", "for=_hidden")], UNKNOWN_ADDRESS),
        ([("forwarded", "for=203.0.113.9"), ("x-forwarded-for", "203.0.113.9")], "203.0.113.9"),
        ([("forwarded", "for=198.51.100.1"), ("x-forwarded-for", "203.0.113.9")], UNKNOWN_ADDRESS),
        ([("x-forwarded-for", "nobody")], UNKNOWN_ADDRESS),
        ([], UNKNOWN_ADDRESS),
    ],
    ids=str,
)
def test_a_named_proxy_is_believed_as_far_as_its_headers_agree(
    headers: list[tuple[str, str]], expected: str
) -> None:
    assert address("10.0.0.2", *headers) == expected


def test_nobody_else_is_believed() -> None:
    assert (
        address("203.0.113.50", ("x-forwarded-for", "127.0.0.1"), ("forwarded", "for=::1")) == "203.0.113.50"
    )
