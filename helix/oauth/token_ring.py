"""Who shows an access token: for each token the grant it is of, and for that the principal."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from helix.access.credentials import KeyBounds, User
from helix.access.key_ring import both_bounds, kept_name
from helix.memory.principal import Principal
from helix.oauth.audience import Audience
from helix.oauth.database import LoginDatabase
from helix.oauth.grants import Grant, Grants, Token
from helix.oauth.opaque_token import ACCESS, digest_of, is_token_text
from helix.oauth.scopes import within_role
from helix.vault.times import format_time

_MOST_REMEMBERED = 4096


@dataclass(frozen=True)
class Bearer:
    """Who shows a token that is good for this path."""

    principal: Principal
    grant: Grant


class TokenRing:
    def __init__(
        self,
        database: LoginDatabase,
        grants: Grants,
        audience: Audience,
        find_user: Callable[[str], User | None],
    ) -> None:
        self._database = database
        self._grants = grants
        self.audience = audience
        self._find_user = find_user
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._tokens: OrderedDict[str, Token] = OrderedDict()

    def find(self, text: str, path: str) -> Bearer | None:
        """None for what is nobody's, has ended, or was made for another part of this server, or another server."""
        if not is_token_text(text, ACCESS):
            return None
        token = self._token(text)
        if token is None or not token.is_valid_at(self._grants.clock()):
            return None
        grant = token.grant
        if not self.audience.covers(grant.consent.resource, path):
            return None
        user = self.user_of(grant)
        return None if user is None else Bearer(principal_of_grant(user, grant, token.scope), grant)

    def is_open(self, grant_id: str) -> bool:
        """For who listens to a stream."""
        grant = next((token.grant for token in self._tokens.values() if token.grant.id == grant_id), None)
        if grant is not None and self.user_of(grant) is None:
            return False
        return self._grants.is_open(grant_id)

    def user_of(self, grant: Grant) -> User | None:
        """None when there is none any more, or another one who has the name now."""
        user = self._find_user(grant.consent.user)
        made = format_time(datetime.fromtimestamp(grant.created, UTC))
        return None if user is None or made < user.created_at else user

    def _token(self, text: str) -> Token | None:
        with self._lock:
            version = self._database.version()
            if version != self._version:
                self._tokens.clear()
                self._version = version
            digest = digest_of(text)
            known = self._tokens.get(digest)
            if known is None and (known := self._grants.find_token(text, ACCESS)) is not None:
                self._tokens[digest] = known
                while len(self._tokens) > _MOST_REMEMBERED:
                    self._tokens.popitem(last=False)
            return known


def principal_of_grant(user: User, grant: Grant, scope: str) -> Principal:
    consent = grant.consent
    bounds = KeyBounds(projects=consent.projects)
    return Principal(
        kept_name(user, bounds),
        user=user.name,
        projects=consent.projects,
        permissions=within_role(scope.split(), user.role),
        key=grant.id,
        org=user.org,
        workspaces=both_bounds(user.workspaces, consent.workspaces),
    )
