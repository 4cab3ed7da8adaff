"""What a daemon for several people has more than one for a single person."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from starlette.middleware import Middleware

from helix.access.audit import Audit
from helix.access.credentials import Credentials
from helix.access.gate import TeamGate
from helix.access.key_ring import KeyRing
from helix.access.rates import Rates
from helix.config import Config
from helix.daemon.exposure import parse_proxies
from helix.errors import HelixError
from helix.memory.principal import Principal
from helix.memory.workspace import Workspace
from helix.surfaces.app import Admission, Plugged
from helix.surfaces.open_streams import EndWithKey, OpenStreams
from helix.surfaces.other_routes import OtherRoutes, RoutePermissions
from helix.surfaces.rest.audit import routes as audit_routes
from helix.surfaces.source import Peers, names_of
from helix.surfaces.team_access import Entrance, TeamAccess
from helix.vault.times import utc_now

_KEEP_EVERY = 5.0
_PORTS = {"http": 80, "https": 443}


@contextmanager
def opened_team(workspace: Workspace, port: int, token: Callable[[], str]) -> Iterator[Admission]:
    """`workspace` is the daemon's own one."""
    config = workspace.followed.config
    rates, credentials = Rates(config.limits), Credentials(config.config_dir)
    with closing(credentials), _joined(rates, credentials, workspace) as audit:
        ring = KeyRing(credentials, utc_now)
        policy = TeamAccess(
            entrance_of(config, port), ring, token, rates, audit, trusts_this_machine=config.mode == "hybrid"
        )
        streams = OpenStreams(lambda key: ring.find(key) is not None)
        yield Admission(
            policy,
            [
                Middleware(OtherRoutes, rates=rates),
                Middleware(RoutePermissions),
                Middleware(EndWithKey, streams=streams),
            ],
            [Plugged(audit_routes(), [lambda: _watching(streams, ring)])],
            {"mode": config.mode, "limits": dict(rates.figures)},
            audit,
            partial(_joined, rates, credentials),
        )


@contextmanager
def _joined(rates: Rates, credentials: Credentials, workspace: Workspace) -> Iterator[Audit]:
    """A workspace in which verbs are counted, with whoever asks in the others, and written down there alone."""
    with closing(Audit(workspace.followed.state)) as audit:
        workspace.gate = TeamGate(rates, audit)
        workspace.knows_user = partial(_is_user, credentials)
        yield audit


def _is_user(credentials: Credentials, asking: Principal, name: str) -> bool:
    """Those of other orgs are nobody."""
    return any(user.name == name and asking.org in (None, user.org) for user in credentials.list_users())


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
