"""Documents about clients, fetched from addresses that anybody may name: by what they hold, and by where they are."""

from __future__ import annotations

import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue
from helix.oauth.client_document import ClientDocuments, read_client
from helix.oauth.outbound import Fetched, FetchLimits, NotFetched, fetch_json, is_public
from tests.access.certificate import make_certificate

ID = "https://editor.example/client.json"
DOCUMENT: dict[str, Any] = {
    "client_id": ID, "client_name": "The editor", "redirect_uris": ["http://127.0.0.1/callback"],
}  # fmt: skip


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_document_is_fetched_once_and_again_when_it_is_old() -> None:
    asked: list[str] = []

    def fetch(url: str) -> Fetched:
        asked.append(url)
        return Fetched(DOCUMENT, 600.0)

    clock = Clock()
    documents = ClientDocuments(fetch, clock)
    client = documents.find(ID)
    assert client is not None
    assert client.name == "The editor of editor.example"
    assert client.check_redirect_uri("http://127.0.0.1:4711/callback")
    documents.find(ID)
    clock.now += 601
    documents.find(ID)
    assert asked == [ID] * 2


def test_a_document_that_cannot_be_had_is_not_asked_for_again_and_again() -> None:
    asked: list[str] = []

    def fetch(url: str) -> Fetched:
        asked.append(url)
        raise NotFetched("no")

    documents = ClientDocuments(fetch, Clock())
    assert [documents.find(ID) for _ in range(5)] == [None] * 5
    assert asked == [ID]


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://other.example/client.json"}, {"client_id": None}, {"client_secret": "x"},
        {"token_endpoint_auth_method": "client_secret_basic"}, {"redirect_uris": []}, {"redirect_uris": None},
        {"redirect_uris": "http://127.0.0.1/"}, {"redirect_uris": ["http://editor.example/cb"]},
        {"redirect_uris": ["javascript:alert(1)"]}, {"redirect_uris": ["https://*.example/cb"]},
        {"redirect_uris": ["https://editor.example/cb#x"]}, {"redirect_uris": [7]},
        {"redirect_uris": ["https://editor.example/cb"] * 21}, {"client_name": "two\nlines"},
    ],
    ids=str,
)  # fmt: skip
def test_a_document_that_is_not_in_order_makes_no_client(changes: dict[str, Any]) -> None:
    read_client(ID, DOCUMENT)
    with pytest.raises(BadValue):
        read_client(ID, {**DOCUMENT, **changes})


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "2002:7f00:1::", "64:ff9b::7f00:1", "192.0.2.1",
    ],
)  # fmt: skip
def test_no_address_of_a_private_network_is_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


def test_an_address_of_the_world_is_public() -> None:
    assert is_public(ipaddress.ip_address("93.184.216.34"))
    assert is_public(ipaddress.ip_address("2606:2800:220:1:248:1893:25c8:1946"))


class Site:
    """A site with HTTPS on loopback, and what it answers."""

    def __init__(self, place: Path) -> None:
        certificate, key = make_certificate(place)
        self.seen: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.seen.append(self.path)
                getattr(outer, self.path.strip("/").partition(".")[0])(self)

            def log_message(self, *args: object) -> None:
                """Not to the terminal."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server.server_address[1]}"
        self.trusting = ssl.create_default_context(cafile=str(certificate))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def send(self, handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
        handler.send_response(status)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        usual = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in {**usual, **given}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def good(self, handler: BaseHTTPRequestHandler) -> None:
        self.send(handler, json.dumps({"a": 1}).encode(), Cache_Control="max-age=77")

    def moved(self, handler: BaseHTTPRequestHandler) -> None:
        self.send(handler, b"", 302, Location=f"{self.url}/good")

    def large(self, handler: BaseHTTPRequestHandler) -> None:
        self.send(handler, b" " * 5000 + b"{}")

    def page(self, handler: BaseHTTPRequestHandler) -> None:
        self.send(handler, b"{}", Content_Type="text/html")

    def text(self, handler: BaseHTTPRequestHandler) -> None:
        self.send(handler, b"[]")

    def slow(self, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then, for as long as somebody reads."""
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" ")
            threading.Event().wait(0.1)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    yield made
    made.server.shutdown()
    made.server.server_close()


def anywhere(seconds: float = 2.0) -> FetchLimits:
    return FetchLimits(1000, seconds, lambda _: True)


def test_a_document_comes_over_https_with_how_long_it_holds(site: Site) -> None:
    fetched = fetch_json(f"{site.url}/good", anywhere(), site.trusting)
    assert (fetched.document, fetched.max_age) == ({"a": 1}, 77.0)


@pytest.mark.parametrize("path", ["moved", "large", "page", "text", "slow"])
def test_what_is_no_small_document_at_that_very_address_is_not_taken(path: str, site: Site) -> None:
    began = time.monotonic()
    with pytest.raises(NotFetched):
        fetch_json(f"{site.url}/{path}", anywhere(), site.trusting)
    assert time.monotonic() - began < 5
    assert site.seen == [f"/{path}"]


def test_nothing_is_connected_to_that_is_not_public_or_whose_certificate_is_not_known(site: Site) -> None:
    for url in (f"{site.url}/good", site.url.replace("127.0.0.1", "localhost") + "/good"):
        with pytest.raises(NotFetched, match="public"):
            fetch_json(url, FetchLimits(1000, 2.0, is_public), site.trusting)
    with pytest.raises(NotFetched, match="SSL"):
        fetch_json(f"{site.url}/good", anywhere())
    with pytest.raises(NotFetched, match="https alone"):
        fetch_json(site.url.replace("https", "http") + "/good", anywhere())
    assert site.seen == []
