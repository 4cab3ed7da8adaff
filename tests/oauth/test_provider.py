"""Tokens of an OpenID provider that the test runs itself, on loopback; and of one that means harm."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from helix.oauth.provider import Provider, TokenRefused
from tests.access.team import serving_team

AUDIENCE = "https://memory.example.com"
NOW = 1_900_000_000.0


class RunningProvider:
    """One that does what it is told."""

    def __init__(self) -> None:
        self.keys = {"k1": RSAKey.generate_key(2048, {"kid": "k1"})}
        self.extra: list[dict[str, Any]] = []
        self.asked = 0
        self.answer: Callable[[str], tuple[int, dict[str, str], bytes]] | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                status, headers, body = (outer.answer or outer.usual)(self.path)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Not to the terminal."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def usual(self, path: str) -> tuple[int, dict[str, str], bytes]:
        documents = {
            "/.well-known/openid-configuration": {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"},
            "/keys": {"keys": [*(key.as_dict(private=False) for key in self.keys.values()), *self.extra]},
        }
        found = documents.get(path)
        body = json.dumps(found).encode()
        return (404 if found is None else 200), {"Content-Type": "application/json"}, body

    def claims(self, **changes: Any) -> dict[str, Any]:
        made = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": "ann",
            "exp": NOW + 300,
            "iat": NOW - 5,
            **changes,
        }
        return {name: value for name, value in made.items() if value is not None}

    def token(self, key: Any = None, header: dict[str, Any] | None = None, **changes: Any) -> str:
        key = key or self.keys["k1"]
        head = {"alg": "RS256", "kid": "k1", **(header or {})}
        head = {name: value for name, value in head.items() if value is not None}
        payload = json.dumps(self.claims(**changes)).encode()
        return jws.serialize_compact(head, payload, key, algorithms=[head["alg"]])


def encoded(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@pytest.fixture
def running() -> Iterator[RunningProvider]:
    made = RunningProvider()
    yield made
    made.server.shutdown()
    made.server.server_close()


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def provider(running: RunningProvider, clock: Time) -> Provider:
    return Provider(running.issuer, clock=clock, now=lambda: NOW)


def unsigned(running: RunningProvider, algorithm: str) -> str:
    return f"{encoded({'alg': algorithm, 'kid': 'k1'})}.{encoded(running.claims())}."


def confused(running: RunningProvider, secret: bytes) -> str:
    """Signed with the public key as if it were a secret that both sides know."""
    text = f"{encoded({'alg': 'HS256', 'kid': 'k1'})}.{encoded(running.claims())}"
    return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def modulus(running: RunningProvider) -> bytes:
    return str(running.keys["k1"].as_dict(private=False)["n"]).encode()


def tampered(running: RunningProvider) -> str:
    head, _, signature = running.token().split(".")
    return f"{head}.{encoded(running.claims(sub='root'))}.{signature}"


HOSTILE: list[tuple[str, Callable[[RunningProvider], str]]] = [
    ("another issuer", lambda p: p.token(iss="https://evil.example")),
    ("an issuer that begins alike", lambda p: p.token(iss=f"{p.issuer}/")),
    ("no issuer", lambda p: p.token(iss=None)),
    ("expired", lambda p: p.token(exp=NOW - 60)),
    ("no end", lambda p: p.token(exp=None)),
    ("an end that is a text", lambda p: p.token(exp="2099")),
    ("an end that is true", lambda p: p.token(exp=True)),
    ("not yet", lambda p: p.token(nbf=NOW + 600)),
    ("issued in the future", lambda p: p.token(iat=NOW + 600)),
    ("alg none", lambda p: unsigned(p, "none")),
    ("alg None", lambda p: unsigned(p, "None")),
    ("alg nOnE", lambda p: unsigned(p, "nOnE")),
    ("no signature", lambda p: unsigned(p, "RS256")),
    ("key confusion, PEM", lambda p: confused(p, p.keys["k1"].as_pem(private=False))),
    ("key confusion, modulus", lambda p: confused(p, modulus(p))),
    ("another claim", tampered),
    ("another key of the same name", lambda p: p.token(RSAKey.generate_key(2048, {"kid": "k1"}))),
    ("a key that is not listed", lambda p: p.token(RSAKey.generate_key(2048), {"kid": "k2"})),
    ("a key in the header", lambda p: p.token(
        key := RSAKey.generate_key(2048), {"kid": None, "jwk": key.as_dict(private=False)})),
    ("an address of keys in the header", lambda p: p.token(RSAKey.generate_key(2048), {"kid": None, "jku": "https://evil.example"})),
    ("an EC signature by the name of an RSA key", lambda p: p.token(ECKey.generate_key("P-256"), {"alg": "ES256"})),
    ("a secret of theirs", lambda p: p.token(OctKey.generate_key(256), {"alg": "HS256"})),
    ("something critical", lambda p: _critical(p)),
    ("another type", lambda p: p.token(header={"typ": "logout+jwt"})),
    ("encrypted", lambda p: ".".join([encoded({"alg": "RSA-OAEP", "enc": "A256GCM"})] + ["x"] * 4)),
    ("two parts", lambda p: "eyJhbGciOiJub25lIn0.e30"),
    ("no JSON in front", lambda p: f"{encoded(b'x')}.e30.x"),
    ("a list in front", lambda p: f"{encoded([])}.e30.x"),
    ("too long", lambda p: p.token(pad="x" * 20_000)),
    ("nothing", lambda p: ""),
]  # fmt: skip


def _critical(running: RunningProvider) -> str:
    head = encoded({"alg": "RS256", "kid": "k1", "crit": ["b64"], "b64": True})
    return f"{head}.{encoded(running.claims())}.{encoded(b'x' * 256)}"


@pytest.mark.parametrize("make", [case[1] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_a_token_that_is_not_in_order_is_refused(
    make: Callable[[RunningProvider], str], running: RunningProvider, provider: Provider
) -> None:
    assert provider.claims(running.token())["sub"] == "ann"
    with pytest.raises(TokenRefused):
        provider.claims(make(running))
    assert provider.claims(running.token())["sub"] == "ann"


def test_keys_of_every_usual_kind_sign(running: RunningProvider, provider: Provider) -> None:
    for name, key, algorithm in (
        ("e", ECKey.generate_key("P-256", {"kid": "e"}), "ES256"),
        ("o", OKPKey.generate_key("Ed25519", {"kid": "o"}), "EdDSA"),
        ("r", running.keys["k1"], "PS256"),
    ):
        running.extra = [{**key.as_dict(private=False), "kid": name}]
        fresh = Provider(running.issuer, now=lambda: NOW)
        assert fresh.claims(running.token(key, {"alg": algorithm, "kid": name}))["sub"] == "ann"


def test_a_new_key_is_found_and_unknown_names_do_not_make_us_ask_again_and_again(
    running: RunningProvider, provider: Provider, clock: Time
) -> None:
    provider.claims(running.token())
    asked = running.asked
    for _ in range(50):
        with pytest.raises(TokenRefused):
            provider.claims(running.token(header={"kid": "unknown"}))
    assert running.asked == asked  # it was asked a moment ago
    clock.now += 31
    running.keys["k2"] = RSAKey.generate_key(2048, {"kid": "k2"})
    assert provider.claims(running.token(running.keys["k2"], {"kid": "k2"}))["sub"] == "ann"
    clock.now += 3601
    del running.keys["k1"]
    old = RSAKey.generate_key(2048)
    with pytest.raises(TokenRefused):
        provider.claims(running.token(old, {"kid": "k1"}))


def test_keys_are_used_while_the_provider_is_away_and_not_for_ever(
    running: RunningProvider, provider: Provider, clock: Time
) -> None:
    token = running.token()
    provider.claims(token)
    running.answer = lambda path: (503, {"Content-Type": "application/json"}, b"{}")
    clock.now += 4000
    assert provider.claims(token)["sub"] == "ann"
    clock.now += 86400
    with pytest.raises(TokenRefused):
        provider.claims(token)


JSON = {"Content-Type": "application/json"}
Answer = Callable[[RunningProvider, str], tuple[int, dict[str, str], bytes]]


def huge(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    status, headers, body = running.usual(path)
    return status, headers, body + b" " * 200_000 if path == "/keys" else body


def redirecting(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    return (302, {"Location": f"{running.issuer}/other"}, b"") if path == "/keys" else running.usual(path)


def of_another(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    return (
        200,
        JSON,
        json.dumps({"issuer": "https://evil.example", "jwks_uri": f"{running.issuer}/keys"}).encode(),
    )


def elsewhere_plain(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    return 200, JSON, json.dumps({"issuer": running.issuer, "jwks_uri": "http://192.0.2.1/keys"}).encode()


def many(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    keys = [{"kty": "RSA", "kid": str(n)} for n in range(51)]
    return (200, JSON, json.dumps({"keys": keys}).encode()) if path == "/keys" else running.usual(path)


def twice(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    keys = [running.keys["k1"].as_dict(private=False)] * 2
    return (200, JSON, json.dumps({"keys": keys}).encode()) if path == "/keys" else running.usual(path)


def secret(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    keys = [
        {"kty": "oct", "kid": "k1", "k": "c2VjcmV0"},
        None,
        {"kty": "RSA", "kid": "k1", "n": "AQAB", "e": "AQAB"},
    ]
    return (200, JSON, json.dumps({"keys": keys}).encode()) if path == "/keys" else running.usual(path)


def html(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "text/html"}, running.usual(path)[2]


def nested(running: RunningProvider, path: str) -> tuple[int, dict[str, str], bytes]:
    return 200, JSON, b"[" * 100_000


@pytest.mark.parametrize(
    "answer",
    [huge, redirecting, of_another, elsewhere_plain, many, twice, secret, html, nested],
    ids=lambda f: f.__name__,
)
def test_a_provider_that_answers_oddly_gives_us_no_keys(answer: Answer, running: RunningProvider) -> None:
    running.answer = lambda path: answer(running, path)
    with pytest.raises(TokenRefused):
        Provider(running.issuer, now=lambda: NOW).claims(running.token())


def test_a_provider_that_drips_is_given_up(running: RunningProvider) -> None:
    def drip(path: str) -> tuple[int, dict[str, str], bytes]:
        return 200, {**JSON, "Content-Length": "1000000"}, b"{"

    running.answer = drip
    began = time.monotonic()
    with pytest.raises(TokenRefused):
        Provider(running.issuer, now=lambda: NOW).claims(running.token())
    assert time.monotonic() - began < 10


def test_whom_the_provider_vouches_for_comes_in_and_nobody_else(
    running: RunningProvider, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        f'[oauth]\nissuer = "{running.issuer}"\nrequired_scope = "helix"\nuser_claim = "name"\nrole_claim = "roles"\n'
        'workspace_claim = "rooms"\n'
    )
    now = time.time()
    usual: dict[str, Any] = {
        "exp": now + 300, "iat": now, "name": "zoe", "roles": ["x", "readonly"], "rooms": ["main"],
        "scope": "openid helix",
    }  # fmt: skip
    with serving_team(tmp_path) as team:
        metadata = team.ask("GET", "/.well-known/oauth-protected-resource/mcp").json()
        assert metadata["authorization_servers"] == [running.issuer]
        assert team.ask("GET", "/.well-known/oauth-authorization-server", team.keys["ann"]).status_code == 404

        def status(method: str = "GET", path: str = "/recent", body: Any = None, **changes: Any) -> int:
            token = running.token(**{"aud": team.url, **usual, **changes})
            return team.ask(method, path, token, json=body).status_code

        assert status() == 200
        assert status(aud=["https://other.example", team.url]) == 200
        assert status(path="/me") == 200
        assert status("POST", "/remember", {"text": "Readers write nothing."}) == 403
        assert (
            status("POST", "/remember", {"text": "The gate is blue.", "scope": "global"}, roles="agent")
            == 200
        )
        wrong: tuple[dict[str, Any], ...] = (
            {"aud": "https://other.example"}, {"aud": None}, {"aud": f"{team.url}/mcp"}, {"aud": 7},
            {"scope": "openid"}, {"scope": None}, {"scope": ["helixx"]},
            {"name": None}, {"name": ""}, {"name": "Zoe!"}, {"name": "local"}, {"name": ["zoe"]},
            {"roles": None}, {"roles": "owner"}, {"roles": ["Admin"]}, {"roles": {"admin": True}},
            {"rooms": None}, {"rooms": []},
        )  # fmt: skip
        for changes in wrong:
            assert status(**changes) == 401, changes
        assert status(rooms=["other"]) == 403
        assert team.ask("GET", "/recent", team.keys["ann"]).status_code == 200
        token = running.token(**{"aud": team.url, **usual})
        assert team.ask("GET", "/recent", headers={"x-api-key": token}).status_code == 401
