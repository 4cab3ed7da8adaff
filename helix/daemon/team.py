"""What a daemon for several people has more than one for a single person."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
from starlette.middleware import Middleware

from helix.access.audit import Audit
from helix.access.browser_sessions import BrowserSessions
from helix.access.credentials import Credentials
from helix.access.gate import TeamGate
from helix.access.key_ring import KeyRing
from helix.access.people import People
from helix.access.rates import Rates
from helix.access.sign_in import SignIn
from helix.access.workspaces import MAIN
from helix.config import Config
from helix.daemon.exposure import base_of, parse_proxies
from helix.daemon.logins import opened_logins
from helix.errors import HelixError
from helix.memory.principal import Principal
from helix.memory.workspace import Workspace
from helix.surfaces.app import Admission, Plugged
from helix.surfaces.entrance import Entrance
from helix.surfaces.open_streams import EndWithKey, OpenStreams
from helix.surfaces.other_routes import OtherRoutes, RoutePermissions
from helix.surfaces.rest.audit import routes as audit_routes
from helix.surfaces.rest.people import routes as people_routes
from helix.surfaces.rest.sign_in import BrowserRoutes
from helix.surfaces.source import Peers, names_of
from helix.surfaces.team_access import TeamAccess
from helix.vault.times import utc_now

_KEEP_EVERY = 5.0
_PORTS = {"http": 80, "https": 443}


@contextmanager
def opened_team(workspace: Workspace, port: int, token: Callable[[], str]) -> Iterator[Admission]:
    """`workspace` is the daemon's own one."""
    config = workspace.followed.config
    rates, credentials = Rates(config.limits), Credentials(config.config_dir)
    with closing(credentials), _joined(rates, credentials, workspace) as audit, ExitStack() as stack:
        ring = KeyRing(credentials, utc_now)
        sessions, entrance = BrowserSessions(credentials.file, utc_now), entrance_of(config, port)
        logins = stack.enter_context(
            opened_logins(config, base_of(config, port), entrance.hosts, credentials, ring, rates, audit)
        )
        policy = TeamAccess(
            entrance,
            ring,
            sessions,
            token,
            rates,
            audit,
            trusts_this_machine=config.mode == "hybrid",
            logins=logins.access,
        )
        streams = OpenStreams(partial(_is_let_in, ring, sessions, logins.is_open))
        browser = BrowserRoutes(
            SignIn(credentials, ring, sessions, rates), sessions, ring, entrance, audit, MAIN
        )
        yield Admission(
            policy,
            [
                Middleware(OtherRoutes, rates=rates),
                Middleware(RoutePermissions),
                Middleware(EndWithKey, streams=streams),
            ],
            [
                Plugged(
                    audit_routes(), [lambda: _watching(streams, ring.keep_last_uses, sessions.keep_seen)]
                ),
                Plugged(browser.routes()),
                Plugged(logins.routes),
                Plugged(people_routes(People(credentials, sessions))),
            ],
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
    encrypted: set[str] = set()
    usual = f"127.0.0.1:{port}"
    if config.public_url:
        public = urlsplit(config.public_url.lower())
        usual, named = config.public_url, public.netloc
        origins.add(f"{public.scheme}://{named}")
        known = {named, named if public.port else f"{named}:{_PORTS[public.scheme]}"}
        hosts |= known
        encrypted = known if public.scheme == "https" else encrypted
    return Entrance(
        hosts,
        origins,
        usual,
        Peers(parse_proxies(config.trusted_proxies)),
        bool(config.tls_certificate),
        encrypted,
    )


@asynccontextmanager
async def _watching(streams: OpenStreams, *keeps: Callable[[], None]) -> AsyncIterator[None]:
    async def keep() -> None:
        while True:
            await anyio.sleep(_KEEP_EVERY)
            await anyio.to_thread.run_sync(_keep, keeps)

    async with anyio.create_task_group() as group:
        group.start_soon(streams.watch)
        group.start_soon(keep)
        try:
            yield
        finally:
            group.cancel_scope.cancel()
            _keep(keeps)


def _is_let_in(
    ring: KeyRing, sessions: BrowserSessions, is_granted: Callable[[str], bool], principal: Principal
) -> bool:
    if principal.browser_session is not None:
        session = sessions.find_by_name(principal.browser_session)
        return session is not None and ring.signed_in(session) is not None
    key = principal.key
    return key is not None and (ring.find(key) is not None or is_granted(key))


def _keep(keeps: Iterable[Callable[[], None]]) -> None:
    # When somebody was last seen is nice to know, and no reason to stop serving.
    for keep in keeps:
        with suppress(HelixError, sqlite3.Error):
            keep()
