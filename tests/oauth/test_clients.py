"""The official client of MCP logs in by itself: a real Chromium is sent off, somebody signs in and lets it in."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import anyio
import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from playwright.async_api import Page, async_playwright, expect
from pydantic import AnyUrl

from tests.access.team import TeamServed, serving_team
from tests.dashboard.conftest import FLAGS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="NOT PROVED HERE: chromium is not installed")


class Callback:
    """Where a program on somebody's machine waits for the browser to come back."""

    def __init__(self) -> None:
        self.back: dict[str, str] = {}
        self.came = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/callback"):
                    outer.back = dict(parse_qsl(urlsplit(self.path).query))
                    outer.came.set()
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Not to the terminal."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/callback"


@pytest.fixture
def callback() -> Iterator[Callback]:
    made = Callback()
    yield made
    made.server.shutdown()
    made.server.server_close()


class Kept:
    """What a client keeps between its runs."""

    def __init__(self, client: OAuthClientInformationFull | None) -> None:
        self.tokens: OAuthToken | None = None
        self.client = client

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def let_in(page: Page, key: str, *, allow: bool = True) -> None:
    """What a person does on the pages."""
    await page.get_by_label("or a key").fill(key)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="wants to come in")).to_be_visible()
    await page.get_by_role("button", name="Let it in" if allow else "No").click()


class Agent:
    """A program that speaks MCP and has never heard of this server."""

    def __init__(self, team: TeamServed, callback: Callback, kept: Kept) -> None:
        self.team = team
        self.callback = callback
        self.kept = kept
        self.sent_off: list[str] = []

    async def send_off(self, address: str) -> None:
        self.sent_off.append(address)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = await browser.new_page()
            await page.goto(address)
            await let_in(page, self.team.keys["ann"])
            assert await anyio.to_thread.run_sync(self.callback.came.wait, 20)
            await browser.close()

    async def came_back(self) -> AuthorizationCodeResult:
        back = self.callback.back
        return AuthorizationCodeResult(code=back["code"], state=back.get("state"), iss=back.get("iss"))

    async def list_tools(self) -> list[str]:
        metadata = OAuthClientMetadata(
            client_name="a test",
            redirect_uris=[AnyUrl(self.callback.address)],
            token_endpoint_auth_method="none",  # noqa: S106 (a word of the protocol)
        )
        url = f"{self.team.url}/mcp"
        auth = OAuthClientProvider(url, metadata, self.kept, self.send_off, self.came_back)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=60) as http,
            streamable_http_client(url, http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            return [tool.name for tool in (await session.list_tools()).tools]


@pytest.mark.long
@pytest.mark.parametrize("registers", [True, False], ids=["registers itself", "was made by an admin"])
def test_the_official_client_logs_in_through_a_real_browser(
    registers: bool, tmp_path: Path, callback: Callback
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f"[oauth]\nregistration = {str(registers).lower()}\n")
    with serving_team(tmp_path) as team:
        known = None
        if not registers:
            made = team.helix("client", "add", "a test", "--redirect", "http://127.0.0.1/callback")
            known = OAuthClientInformationFull(
                client_id=made["id"],
                redirect_uris=[AnyUrl(callback.address)],
                token_endpoint_auth_method="none",  # noqa: S106 (a word of the protocol)
            )
        kept = Kept(known)
        agent = Agent(team, callback, kept)
        assert "memory_search" in anyio.run(agent.list_tools)
        assert len(agent.sent_off) == 1
        asked = dict(parse_qsl(urlsplit(agent.sent_off[0]).query))
        assert (asked["resource"], asked["code_challenge_method"]) == (f"{team.url}/mcp", "S256")
        assert callback.back["iss"] == team.url
        # It comes again with what it kept.
        assert "memory_search" in anyio.run(agent.list_tools)
        assert len(agent.sent_off) == 1
        granted = team.helix("client", "grants")
        assert [(grant["user"], grant["client_name"]) for grant in granted] == [("ann", "a test")]


async def approve_by_typing(team: TeamServed, address: str, code: str, problem: str) -> str:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = await browser.new_page()
        await page.goto(address)
        await page.get_by_label("or a key").fill("hx_sk_wrong")
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("alert")).to_be_visible()
        await page.get_by_label("or a key").fill(team.keys["ann"])
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_label("The code that it shows").fill("bbbb bbbb")
        await page.get_by_role("button", name="Go on").click()
        await expect(page.get_by_role("alert")).to_contain_text(problem)
        await page.get_by_label("The code that it shows").fill(code)
        await page.get_by_role("button", name="Go on").click()
        await expect(page.get_by_text(f"shows {code}")).to_be_visible()
        await page.get_by_role("button", name="Let it in").click()
        await expect(page.get_by_role("status")).to_contain_text("It is let in")
        shown = await page.inner_text("body")
        await browser.close()
        return shown


@pytest.mark.long
def test_a_person_types_the_code_of_a_program_without_a_browser(team: TeamServed) -> None:
    asked = team.ask("POST", "/auth/device/code", data={"client_id": "helix-cli"}).json()
    anyio.run(approve_by_typing, team, asked["verification_uri"], asked["user_code"], "no program waits")
    form = {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "client_id": "helix-cli",
        "device_code": asked["device_code"],
    }
    assert team.ask("POST", "/auth/token", data=form).status_code == 200
