"""What a daemon of a team has so that programs log in: the grants, their tokens, and the routes around them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute

from helix.access.audit import Audit
from helix.access.credentials import Credentials, checked_user_name
from helix.access.key_ring import KeyRing
from helix.access.rates import Rates
from helix.access.workspaces import Workspaces
from helix.config import Config
from helix.errors import ConfigError
from helix.oauth.audience import Audience, audience_of
from helix.oauth.client_document import ClientDocuments
from helix.oauth.clients import OAuthClient
from helix.oauth.database import LoginDatabase
from helix.oauth.devices import Devices
from helix.oauth.grants import Grants, GrantTimes
from helix.oauth.known_clients import KnownClients
from helix.oauth.provider import Provider, check_issuer
from helix.oauth.token_ring import TokenRing
from helix.surfaces.oauth.login_access import LoginAccess, OwnLogins
from helix.surfaces.oauth.me import MeRoutes
from helix.surfaces.oauth.metadata import resource_routes, server_routes
from helix.surfaces.oauth.provider_access import ProviderLogins

if TYPE_CHECKING:
    from collections.abc import Callable, Set


@dataclass(frozen=True)
class Logins:
    access: LoginAccess | None
    routes: Sequence[BaseRoute]
    is_open: Callable[[str], bool]
    """whether what was granted under this id still is"""


@contextmanager
def opened_logins(
    config: Config,
    base: str,
    names: Set[str],
    credentials: Credentials,
    ring: KeyRing,
    rates: Rates,
    audit: Audit,
) -> Iterator[Logins]:
    """`base` is the address of the daemon, and `names` are its `Host` headers."""
    if not config.oauth.enabled:
        yield Logins(None, MeRoutes(credentials, None).routes(), lambda _: False)
        return
    audience = audience_of(base, names)
    if config.oauth.issuer:
        access = _provider(config, audience, ring)
        routes = [
            *resource_routes(audience, config.oauth.issuer),
            *MeRoutes(credentials, None).routes(),
        ]
        yield Logins(access, routes, access.is_open)
        return
    database = LoginDatabase(config.config_dir)
    with closing(database):
        times = GrantTimes(config.oauth.access_minutes * 60, config.oauth.refresh_days * 86400)
        grants = Grants(database, times, time.time)
        tokens = TokenRing(database, grants, audience, ring.find_user)
        yield Logins(
            OwnLogins(tokens),
            [
                *resource_routes(audience, audience.base),
                *_server_routes(config, audience, database, grants, ring, rates, audit),
                *MeRoutes(credentials, grants).routes(),
            ],
            tokens.is_open,
        )


def _provider(config: Config, audience: Audience, ring: KeyRing) -> ProviderLogins:
    check_issuer(config.oauth.issuer)
    return ProviderLogins(
        Provider(config.oauth.issuer), config.oauth, audience, ring.find_user, checked_user_name
    )


def _server_routes(
    config: Config,
    audience: Audience,
    database: LoginDatabase,
    grants: Grants,
    ring: KeyRing,
    rates: Rates,
    audit: Audit,
) -> list[BaseRoute]:
    try:
        # Here and not above: who is served without logins needs no such library.
        from helix.oauth.server import AuthorizationServer, user_still
        from helix.surfaces.oauth.consent import ConsentRoutes
        from helix.surfaces.oauth.token import TokenRoutes
    except ImportError as error:
        raise ConfigError(
            "programs log in with the help of a library that is not installed: pip install 'helix-memory[team]', "
            "or set oauth.enabled = false"
        ) from error
    settings, clients, documents = config.oauth, KnownClients(database), ClientDocuments()

    def find_client(client_id: str) -> OAuthClient | None:
        if not client_id.startswith("https://"):
            return clients.find(client_id)
        return documents.find(client_id) if settings.client_documents else None

    server = AuthorizationServer(
        audience, grants, Devices(database, grants), find_client, user_still(ring.find_user)
    )
    workspaces = Workspaces(config.config_dir, config.vault)
    return [
        *server_routes(audience, documents=settings.client_documents, registration=settings.registration),
        *TokenRoutes(server, clients, rates).routes(registration=settings.registration),
        *ConsentRoutes(server, workspaces, rates, audit).routes(),
    ]
