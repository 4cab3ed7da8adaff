"""Fetching a small JSON document from an address that somebody else chose, or that an admin did.

One GET, over HTTPS, without redirects, within a size and a time, and to no address but the one that was looked at: a
name that leads to this machine or into its network is refused before anything is connected to, and what is connected
to is the very address that was found harmless.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_PIECE = 4096


class NotFetched(Exception):
    """Why, in one sentence, for whoever asked for the document."""


@dataclass(frozen=True)
class FetchLimits:
    most_bytes: int
    seconds: float
    is_allowed: Callable[[IpAddress], bool]
    """whether this address may be connected to"""
    is_plain_allowed: bool = False
    """http too, and then to loopback alone"""


def is_public(address: IpAddress) -> bool:
    mapped = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    if mapped is not None:
        return is_public(mapped)
    return address.is_global and not address.is_multicast and not address.is_reserved


@dataclass(frozen=True)
class Fetched:
    document: dict[str, Any]
    max_age: float
    """seconds for which the other side says it holds; 0 when it says nothing"""


def fetch_json(url: str, limits: FetchLimits, context: ssl.SSLContext | None = None) -> Fetched:
    """Raises NotFetched."""
    deadline = time.monotonic() + limits.seconds
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise NotFetched("that is no address") from error
    is_plain = parts.scheme == "http" and limits.is_plain_allowed
    if (parts.scheme != "https" and not is_plain) or not host or "@" in parts.netloc:
        raise NotFetched("documents are fetched over https alone")
    address = _resolve(host, port, limits, is_plain=is_plain)
    try:
        secured = None if is_plain else context or ssl.create_default_context()
        connection = _connect(host, port, address, deadline, secured)
        # Whoever sends a byte now and then would otherwise be waited for again and again.
        watchdog = threading.Timer(_left(deadline), _cut, [connection.sock])
        watchdog.daemon = True
        watchdog.start()
        try:
            return _answer(connection, parts.path or "/", parts.query, parts.netloc, limits)
        finally:
            watchdog.cancel()
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotFetched(f"it does not answer as it should ({type(error).__name__})") from error


def _resolve(host: str, port: int, limits: FetchLimits, *, is_plain: bool) -> str:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotFetched("its host is not known") from error
    addresses = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
    if not addresses or not all(limits.is_allowed(address) for address in addresses):
        raise NotFetched("its host is not a public one")
    if is_plain and not all(address.is_loopback for address in addresses):
        raise NotFetched("documents are fetched over https alone")
    return str(addresses[0])


def _connect(
    host: str, port: int, address: str, deadline: float, context: ssl.SSLContext | None
) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(host, port, timeout=_left(deadline))
    plain = socket.create_connection((address, port), timeout=_left(deadline))
    connection.sock = plain
    if context is not None:
        plain.settimeout(_left(deadline))
        connection.sock = context.wrap_socket(plain, server_hostname=host)
    return connection


def _answer(
    connection: http.client.HTTPConnection,
    path: str,
    query: str,
    netloc: str,
    limits: FetchLimits,
) -> Fetched:
    try:
        target = f"{path}?{query}" if query else path
        connection.putrequest("GET", target, skip_host=True, skip_accept_encoding=True)
        for name, value in (("Host", netloc), ("Accept", "application/json"), ("Connection", "close")):
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        if answer.status != 200:
            raise NotFetched(f"it answers {answer.status}, and is not followed elsewhere")
        kind = answer.headers.get_content_type()
        if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
            raise NotFetched("it is no JSON")
        body = bytearray()
        while True:
            piece = answer.read1(_PIECE)
            if not piece:
                break
            body += piece
            if len(body) > limits.most_bytes:
                raise NotFetched(f"it is larger than {limits.most_bytes} bytes")
        document = json.loads(bytes(body))
        if not isinstance(document, dict):
            raise NotFetched("it is no JSON object")
        return Fetched(document, _max_age(answer.headers.get("Cache-Control", "")))
    except RecursionError as error:
        raise NotFetched("it is no JSON that anybody needs") from error


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _max_age(header: str) -> float:
    for word in header.lower().split(","):
        name, _, value = word.strip().partition("=")
        if name == "max-age" and value.isdecimal():
            return float(value[:9])
    return 0.0


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise NotFetched("it takes too long")
    return left
