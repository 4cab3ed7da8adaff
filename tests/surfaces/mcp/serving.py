"""The MCP surface over a real vault, served by a real uvicorn in this process."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.requests import HTTPConnection

from helix.access import Access, Credential
from helix.compose import open_vault, open_workspace
from helix.config import Config
from helix.memory.followed_vault import FollowedVault
from helix.memory.place import Place
from helix.memory.principal import LOCAL, Principal
from helix.memory.search_engine import RecallSoon
from helix.memory.workspace import Workspace
from helix.surfaces.guard import AccessRefused, Admitted, Guard, Policy
from helix.surfaces.mcp.surface import McpSurface
from helix.vault.vault_id import IDENTITY_FILE, new_identity
from tests.flows.daemon import free_port
from tests.memory.asking import Verbs
from tests.waiting import wait_for

VERSION = "1.2.3"
ERAS = ("legacy", "2026-07-28")


@dataclass(frozen=True)
class Vaulted:
    """A vault with every verb on it."""

    folder: Path
    helix: FollowedVault
    workspace: Workspace

    @property
    def service(self) -> Verbs:
        return Verbs(self.workspace)


@dataclass(frozen=True)
class Serving:
    url: str

    @asynccontextmanager
    async def client(
        self, era: str, path: str = "/mcp", owner: str = "", **options: Any
    ) -> AsyncIterator[Client]:
        headers = {**options.pop("headers", {}), **({"Authorization": f"Bearer {owner}"} if owner else {})}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(self.url + path, http_client=http)
            async with Client(transport, mode="legacy" if era == "legacy" else "auto", **options) as client:
                assert client.protocol_version == ("2025-11-25" if era == "legacy" else era)
                yield client


@dataclass(frozen=True)
class Served(Serving):
    surface: McpSurface


class EveryName:
    """A policy for tests: a bearer token is the name of its owner, and everybody is served."""

    def check_source(self, connection: HTTPConnection) -> None:
        pass

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        name = connection.headers.get("authorization", "").removeprefix("Bearer ")
        if not name and access.credential is Credential.ALWAYS:
            raise AccessRefused("unauthorized", "give a name")
        return Admitted(LOCAL, name or "local")


Choosing = Callable[[int], Policy]
"""the policy of an app that is served at a port"""


class NoWorkspace:
    """For tools that ask it nothing."""

    def request(self, principal: Principal, place: Place) -> Any:
        return SimpleNamespace(principal=principal, place=place)


@contextmanager
def vaulted(place: Path) -> Iterator[Vaulted]:
    """Words only: what is tested with it is how things are said, not how well they are found."""
    folder = place / "vault"
    (folder / IDENTITY_FILE).parent.mkdir(parents=True)
    (folder / IDENTITY_FILE).write_bytes(new_identity())
    config = Config(folder, place / "state", place / "config", model="none")
    with open_vault(config, must_follow=True) as helix:
        helix.catch_up()
        recall = RecallSoon(helix)
        recall.start()
        try:
            with open_workspace(helix, lambda: recall.get(30)) as workspace:
                wait_for(recall.is_settled, seconds=30)
                yield Vaulted(folder, helix, workspace)
        finally:
            recall.stop()


@contextmanager
def served(surface: McpSurface, policy: Choosing = lambda port: EveryName()) -> Iterator[Served]:
    app = Starlette(routes=[*surface.routes()], lifespan=lambda _: surface.run())
    port = free_port()
    guarded = Guard(app, policy(port), app.router)
    settings = uvicorn.Config(guarded, port=port, log_level="warning", timeout_graceful_shutdown=2)
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, name="uvicorn", daemon=True)
    thread.start()
    try:
        wait_for(lambda: server.started)
        yield Served(f"http://127.0.0.1:{port}", surface)
    finally:
        server.should_exit = True
        thread.join(timeout=15)
        assert not thread.is_alive()
