"""The fragments of docs/remote.md, with the real nginx and Caddy: a login, MCP and a stream through each."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest

from tests.access.certificate import make_certificate
from tests.access.team import TeamServed, serving_team
from tests.flows.daemon import free_port
from tests.oauth.program import Program, new_verifier
from tests.waiting import wait_for

PAGE = (Path(__file__).parents[2] / "docs" / "remote.md").read_text()
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


@dataclass(frozen=True)
class Front:
    """Where the proxy listens, and with which certificate."""

    place: Path
    port: int
    certificate: Path
    key: Path
    behind: int

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"


def fragment(before: str) -> str:
    found = re.search(rf"\n{before}:\n\n```[a-z]*\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def nginx(front: Front) -> list[str]:
    text = fragment("nginx")
    for old, new in (
        ("listen 443 ssl", f"listen 127.0.0.1:{front.port} ssl"),
        ("/etc/ssl/memory.pem", str(front.certificate)),
        ("/etc/ssl/memory.key", str(front.key)),
        ("127.0.0.1:7878", f"127.0.0.1:{front.behind}"),
    ):
        assert old in text
        text = text.replace(old, new)
    folders = "".join(
        f"{kind}_temp_path {front.place}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    settings = front.place / "nginx.conf"
    settings.write_text(
        f"daemon off;\npid {front.place}/nginx.pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{folders}{text}}}\n"
    )
    return ["nginx", "-p", str(front.place), "-c", str(settings)]


def caddy(front: Front) -> list[str]:
    text = fragment("Caddy")
    for old, new in (
        ("memory.example.com {", f"{front.url} {{\n    tls {front.certificate} {front.key}"),
        ("127.0.0.1:7878", f"127.0.0.1:{front.behind}"),
    ):
        assert old in text
        text = text.replace(old, new)
    settings = front.place / "Caddyfile"
    settings.write_text(
        f"{{\n    admin off\n    skip_install_trust\n    grace_period 1s\n    auto_https disable_redirects\n}}\n{text}"
    )
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(settings)]


@contextmanager
def running(command: list[str], front: Front, http: httpx.Client) -> Iterator[None]:
    log = (front.place / "log").open("w+")
    process = subprocess.Popen(
        command,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": str(front.place)},
    )

    def is_up() -> bool:
        log.seek(0)
        assert process.poll() is None, log.read()
        with suppress(httpx.HTTPError):
            return http.get(f"{front.url}/healthz").status_code == 200
        return False

    try:
        wait_for(is_up, seconds=30)
        yield
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


def logged_in(team: TeamServed, front: Front, http: httpx.Client) -> str:
    """A token for MCP, by somebody who signs in through the proxy."""
    program, verifier = Program.known_to(team), new_verifier()
    own = {"Origin": front.url, "Sec-Fetch-Site": "same-origin", "Helix-Page": "1"}
    assert http.post(f"{front.url}/sign-in", json={"key": team.keys["ann"]}, headers=own).status_code == 200
    query = urlencode(program.request(verifier, resource=f"{front.url}/mcp"))
    asked = http.post(f"{front.url}/auth/consent", json={"query": query}, headers=own)
    assert asked.status_code == 200, asked.text
    decision = {"ticket": asked.json()["ticket"], "allow": True}
    done = http.post(f"{front.url}/auth/decision", json=decision, headers=own).json()
    code = dict(parse_qsl(urlsplit(done["location"]).query))["code"]
    form = program.form(code, verifier, resource=f"{front.url}/mcp")
    http.cookies.clear()  # the program is no browser
    answer = http.post(f"{front.url}/auth/token", data=form)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


@pytest.mark.long
@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_a_proxy_set_up_as_the_page_says_lets_people_in(name: str, tmp_path: Path) -> None:
    proxy = {"nginx": nginx, "caddy": caddy}[name]
    if shutil.which(name, path="/usr/sbin:/usr/bin:/bin") is None:
        pytest.skip(f"NOT PROVED HERE: {name} is not installed")
    certificate, key = make_certificate(tmp_path)
    port = free_port()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        f'trusted_proxies = "127.0.0.1"\npublic_url = "https://127.0.0.1:{port}"\n'
    )
    (tmp_path / "proxy").mkdir(mode=0o755)
    with (
        serving_team(tmp_path) as team,
        httpx.Client(verify=ssl.create_default_context(cafile=str(certificate)), timeout=30) as http,
    ):
        front = Front(tmp_path / "proxy", port, certificate, key, int(team.url.rpartition(":")[2]))
        with running(proxy(front), front, http):
            refused = http.get(f"{front.url}/mcp")
            assert refused.status_code == 401
            assert (
                f'"{front.url}/.well-known/oauth-protected-resource/mcp"'
                in refused.headers["WWW-Authenticate"]
            )
            told = http.get(f"{front.url}/.well-known/oauth-authorization-server").json()
            assert told["issuer"] == front.url
            shown = {"Authorization": f"Bearer {logged_in(team, front, http)}"}
            # What a client makes up about itself goes nowhere, and harms nothing.
            made_up = {"Forwarded": "for=10.0.0.1", "X-Real-IP": "10.0.0.1", "X-Forwarded-For": "10.0.0.1"}
            assert (
                http.post(f"{front.url}/mcp", json=HELLO, headers={**shown, **MCP, **made_up}).status_code
                == 200
            )
            key_shown = {"Authorization": f"Bearer {team.keys['ann']}"}
            with http.stream("GET", f"{front.url}/events", headers=key_shown) as stream:
                body = {"text": f"The {name} gate is open.", "scope": "global"}
                assert http.post(f"{front.url}/remember", json=body, headers=key_shown).status_code == 200
                assert next(piece for piece in stream.iter_text() if "data:" in piece)
