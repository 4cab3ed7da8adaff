"""What a daemon for several people has more than one for a single person."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from starlette.middleware import Middleware

from helix.access.audit import AUDIT_FOLDER, Audit
from helix.access.credentials import Credentials
from helix.access.gate import TeamGate
from helix.access.key_ring import KeyRing
from helix.access.rates import Rates
from helix.config import Config
from helix.daemon.exposure import parse_proxies
from helix.errors import HelixError
from helix.memory.workspace import Workspace
from helix.surfaces.app import Admission, Plugged
from helix.surfaces.open_streams import EndWithKey, OpenStreams
from helix.surfaces.other_routes import OtherRoutes
from helix.surfaces.rest.audit import routes as audit_routes
from helix.surfaces.source import Peers, names_of
from helix.surfaces.team_access import Entrance, TeamAccess
from helix.vault.times import utc_now

_KEEP_EVERY = 5.0
_PORTS = {"http": 80, "https": 443}


@contextmanager
def opened_team(workspace: Workspace, port: int, token: Callable[[], str]) -> Iterator[Admission]:
    followed = workspace.followed
    config, rates = followed.config, Rates(followed.config.limits)
    credentials, audit = Credentials(config.config_dir), Audit(followed.state)
    workspace.gate = TeamGate(rates, audit)
    try:
        ring = KeyRing(credentials, utc_now)
        policy = TeamAccess(
            entrance_of(config, port), ring, token, rates, audit, trusts_this_machine=config.mode == "hybrid"
        )
        streams = OpenStreams(lambda key: ring.find(key) is not None)
        yield Admission(
            policy,
            [
                Middleware(OtherRoutes, rates=rates, audit=audit),
                Middleware(EndWithKey, streams=streams),
            ],
            [Plugged(audit_routes(followed.state / AUDIT_FOLDER), [lambda: _watching(streams, ring)])],
            {"mode": config.mode, "limits": dict(rates.figures)},
        )
    finally:
        credentials.close()
        audit.close()


def entrance_of(config: Config, port: int) -> Entrance:
    """By which names a daemon for several people is asked."""
    hosts, origins = set(names_of(config.host, port)), set()
    usual = f"127.0.0.1:{port}"
    if config.public_url:
        public = urlsplit(config.public_url.lower())
        usual, named = config.public_url, public.netloc
        origins.add(f"{public.scheme}://{named}")
        hosts |= {named, named if public.port else f"{named}:{_PORTS[public.scheme]}"}
    return Entrance(
        hosts, origins, usual, Peers(parse_proxies(config.trusted_proxies)), bool(config.tls_certificate)
    )


@asynccontextmanager
async def _watching(streams: OpenStreams, ring: KeyRing) -> AsyncIterator[None]:
    async def keep() -> None:
        while True:
            await anyio.sleep(_KEEP_EVERY)
            await anyio.to_thread.run_sync(_keep, ring)

    async with anyio.create_task_group() as group:
        group.start_soon(streams.watch)
        group.start_soon(keep)
        try:
            yield
        finally:
            group.cancel_scope.cancel()
            _keep(ring)


def _keep(ring: KeyRing) -> None:
    # When a key was last used is nice to know, and no reason to stop serving.
    with suppress(HelixError, sqlite3.Error):
        ring.keep_last_uses()
