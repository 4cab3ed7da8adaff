"""From where a request comes: the names it may ask for, the pages it may come from, and the machine at the other end.

A web page that the user happens to visit can send requests to 127.0.0.1 too, directly or through a name that it makes
resolve to it. Browsers say where a request comes from; other programs send none of these headers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence, Set

from helix_mcp.address import is_loopback
from starlette.requests import HTTPConnection

from helix.surfaces.guard import LANDING, AccessRefused

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
UNKNOWN_ADDRESS = "unknown"
# What proxies add. That a request has one of these says that somebody else made it than who opened the connection.
_ADDED_BY_PROXIES = (
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server",
    "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip",
)  # fmt: skip

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def names_of(host: str, port: int) -> frozenset[str]:
    """The `Host` headers of whoever asks on this machine."""
    names = {*LOOPBACK_NAMES, f"[{host}]" if ":" in host else host}
    return frozenset({*(f"{name}:{port}" for name in names), *(names if port == 80 else ())})


def check_host(connection: HTTPConnection, known: Set[str], usual: str) -> str:
    hosts = {host.strip().lower() for host in connection.headers.getlist("host")}
    if len(hosts) != 1 or not hosts <= known:
        given = ", ".join(sorted(hosts))[:100]
        raise AccessRefused("wrong-host", f"{given!r} is not where Helix answers; use {usual}")
    return hosts.pop()


def check_origin(connection: HTTPConnection, own: Set[str]) -> None:
    for origin in connection.headers.getlist("origin"):
        if origin.strip().lower() not in own:
            raise AccessRefused("wrong-origin", f"requests from {origin.strip()[:80]!r} are not accepted")
    if connection.scope.get(LANDING):
        return
    for site in connection.headers.getlist("sec-fetch-site"):
        if site.strip().lower() not in ("same-origin", "none"):
            raise AccessRefused("wrong-origin", "requests from other web pages are not accepted")


class Peers:
    """Who is at the other end of a connection: what the socket says, and what a proxy says that was named."""

    def __init__(self, proxies: tuple[Network, ...]) -> None:
        self._proxies = proxies

    def is_direct(self, connection: HTTPConnection) -> bool:
        """A connection of this machine on which nothing says that a proxy stands between."""
        return is_loopback(_socket_address(connection)) and not any(
            name in connection.headers for name in _ADDED_BY_PROXIES
        )

    def is_here(self, connection: HTTPConnection) -> bool:
        """A program on this machine and no proxy. A header can take that away, and never give it."""
        return self.is_direct(connection) and not self._is_proxy(_socket_address(connection))

    def is_expected(self, connection: HTTPConnection) -> bool:
        """On this machine, or a proxy that was named: whoever else comes has come round the proxy."""
        address = _socket_address(connection)
        return is_loopback(address) or self._is_proxy(address)

    def address(self, connection: HTTPConnection) -> str:
        """The last one that no proxy of ours stands behind."""
        address = _socket_address(connection)
        if not self._is_proxy(address):
            return address
        addresses = [
            self._last_hop(hops)
            for hops in (_forwarded_for(connection), _forwarded(connection))
            if hops is not None
        ]
        # A proxy that sets one of the headers may hand on the other as the client made it up.
        return addresses[0] if addresses and len(set(addresses)) == 1 else UNKNOWN_ADDRESS

    def _last_hop(self, hops: Sequence[str]) -> str:
        for hop in reversed(hops):
            if not _is_address(hop):
                return UNKNOWN_ADDRESS
            if not self._is_proxy(hop):
                return hop
        return UNKNOWN_ADDRESS

    def _is_proxy(self, address: str) -> bool:
        if not self._proxies or not _is_address(address):
            return False
        found = ipaddress.ip_address(address)
        return any(found in network for network in self._proxies if network.version == found.version)


def _forwarded_for(connection: HTTPConnection) -> list[str] | None:
    values = connection.headers.getlist("x-forwarded-for")
    return [text.strip() for text in ",".join(values).split(",")] if values else None


def _forwarded(connection: HTTPConnection) -> list[str] | None:
    """The `for` of each hop of RFC 7239: `192.0.2.7`, `"192.0.2.7:4711"`, `"[2001:db8::1]:4711"`."""
    values = connection.headers.getlist("forwarded")
    if not values:
        return None
    hops = []
    for hop in ",".join(values).split(","):
        pairs = (pair.partition("=") for pair in hop.split(";"))
        node = next(
            (value.strip().strip('"') for name, _, value in pairs if name.strip().lower() == "for"), ""
        )
        address = node[1:].partition("]")[0] if node.startswith("[") else node
        hops.append(address.partition(":")[0] if address.count(":") == 1 else address)
    return hops


def _socket_address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client is not None else UNKNOWN_ADDRESS


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
