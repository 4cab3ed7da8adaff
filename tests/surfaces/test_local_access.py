"""Who may come in, asked over a real socket: headers are sent as they are, white space and all."""

from __future__ import annotations

import http.client
import itertools
import json
from collections.abc import Sequence

import pytest

from tests.surfaces.conftest import Served

Headers = Sequence[tuple[str, str]]


def ask(
    served: Served, headers: Headers, method: str = "GET", path: str = "/stats", body: bytes = b""
) -> int:
    connection = http.client.HTTPConnection(served.url.removeprefix("http://"), timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    if body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body or None)
    answer = connection.getresponse()
    said = answer.read()
    assert answer.getheader("Access-Control-Allow-Origin") is None
    if answer.status != 200:
        assert set(json.loads(said)) == {"error", "code"}
    connection.close()
    return answer.status


def own(served: Served) -> str:
    return served.url.removeprefix("http://")


def test_the_host_must_be_a_name_of_this_machine_with_the_port_of_the_daemon(served: Served) -> None:
    port = own(served).rpartition(":")[2]
    good = ["127.0.0.1", "localhost", "LocalHost", "[::1]"]
    bad = ["attacker.example", "127.0.0.1.nip.io", "127.0.0.2", "0.0.0.0", "localhost.", "127.1", "[::]", ""]
    for name in good:
        assert ask(served, [("Host", f"{name}:{port}")]) == 200, name
    assert ask(served, [("Host", f" 127.0.0.1:{port} ")]) == 200
    for name in bad:
        assert ask(served, [("Host", f"{name}:{port}")]) == 421, name
    for host in (
        "127.0.0.1",
        "127.0.0.1:80",
        f"127.0.0.1:{port}9",
        f"user@127.0.0.1:{port}",
        f"127.0.0.1:{port}/",
    ):
        assert ask(served, [("Host", host)]) == 421, host
    assert ask(served, [("Host", own(served)), ("Host", "attacker.example")]) == 421


ORIGINS = [(None, True), ("own", True), ("null", False), ("http://attacker.example", False), ("https-own", False),
           ("http://localhost:1", False), ("", False), ("other-name", False)]  # fmt: skip
SITES = [(None, True), ("none", True), ("same-origin", True), ("same-site", False), ("cross-site", False)]
MODES = [None, "cors", "no-cors", "navigate"]


@pytest.mark.parametrize(("origin", "site", "mode"), list(itertools.product(ORIGINS, SITES, MODES)))
def test_only_its_own_page_and_programs_may_ask(
    served: Served, origin: tuple[str | None, bool], site: tuple[str | None, bool], mode: str | None
) -> None:
    named = {
        "own": served.url,
        "https-own": served.url.replace("http:", "https:"),
        "other-name": served.url.replace("127.0.0.1", "localhost"),
    }
    headers = [("Host", own(served))]
    if origin[0] is not None:
        headers.append(("Origin", named.get(origin[0], origin[0])))
    if site[0] is not None:
        headers.append(("Sec-Fetch-Site", f" {site[0]} "))
    if mode is not None:
        headers.append(("Sec-Fetch-Mode", mode))
    assert ask(served, headers) == (200 if origin[1] and site[1] else 403)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/healthz",
        "/metrics",
        "/openapi.json",
        "/nowhere",
        "/mcp",
        "/memory/x",
        "/memory/x/diff",
        "/timeline",
        "/events",
        "/map",
        "/inbox",
        "/status",
        "/hosts",
    ],
)
def test_every_path_is_guarded(served: Served, path: str) -> None:
    assert ask(served, [("Host", "attacker.example")], path=path) == 421
    assert ask(served, [("Host", own(served)), ("Origin", "null")], path=path) == 403
    assert ask(served, [("Host", own(served)), ("Sec-Fetch-Site", "cross-site")], path=path) == 403


@pytest.mark.parametrize(
    ("kind", "is_json"),
    [
        ("application/json", True),
        (" Application/JSON ; charset=utf-8", True),
        ("application/vnd.helix+json", True),
        ("text/plain", False),
        ("text/plain; application/json", False),
        ("application/x-www-form-urlencoded", False),
        ("multipart/form-data; boundary=x", False),
        ("application/jsonp", False),
        ("", False),
        (None, False),
    ],
)
def test_a_body_must_say_that_it_is_json(served: Served, kind: str | None, is_json: bool) -> None:
    before = served.bytes()
    headers = [("Host", own(served)), *([("Content-Type", kind)] if kind is not None else [])]
    body = b'{"id": "no-such-memory"}'
    assert ask(served, headers, "POST", "/forget", body) == (404 if is_json else 415)
    assert ask(served, headers, "PATCH", "/memory/x", b"{}") == (404 if is_json else 415)
    assert ask(served, headers, "POST", "/inbox/merge", body) == (404 if is_json else 415)
    assert ask(served, headers, "POST", "/inbox/keep-both", body) == (404 if is_json else 415)
    assert ask(served, headers, "POST", "/inbox/dismiss", b'{"key": "none-000000000000"}') == (
        200 if is_json else 415
    )
    assert ask(served, headers, "POST", "/render", b'{"text": "x"}') == (200 if is_json else 415)
    assert served.bytes() == before


def test_a_page_may_neither_frame_nor_embed_what_is_answered(served: Served) -> None:
    page = served.http.get("/")
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for path, kept in (("/", "no-cache"), ("/stats", "no-store"), ("/nowhere", "no-store")):
        answer = served.http.get(path)
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == kept
        assert "server" not in answer.headers


def test_a_forwarded_address_is_not_believed(served: Served) -> None:
    forged = {
        "X-Forwarded-For": "10.9.9.9",
        "X-Forwarded-Host": "attacker.example",
        "Forwarded": "host=a.example",
    }
    assert served.http.get("/stats", headers=forged).status_code == 200
