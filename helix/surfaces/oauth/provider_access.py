"""The part of the policy of a team that knows whom an OpenID provider of theirs vouches for."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import anyio.to_thread
from starlette.requests import HTTPConnection

from helix.access.credentials import KeyBounds, User
from helix.access.key_ring import both_bounds, kept_name
from helix.access.roles import PERMISSIONS, ROLES
from helix.access.workspaces import MAIN
from helix.config import OAuthConfig
from helix.errors import BadValue
from helix.memory.principal import Principal
from helix.oauth.audience import Audience
from helix.oauth.opaque_token import digest_of
from helix.oauth.provider import Provider, TokenRefused
from helix.surfaces.guard import Admitted
from helix.surfaces.oauth.login_access import challenge_of, is_in_its_header

log = logging.getLogger(__name__)

_MOST_OPEN = 4096


class ProviderLogins:
    def __init__(
        self,
        provider: Provider,
        settings: OAuthConfig,
        audience: Audience,
        find_user: Callable[[str], User | None],
        checked_user: Callable[[str], str],
    ) -> None:
        """`checked_user` raises BadValue for what can be nobody's name here."""
        self._provider = provider
        self._settings = settings
        self._audience = audience
        self._find_user = find_user
        self._checked_user = checked_user
        self._lock = threading.Lock()
        self._until: OrderedDict[str, tuple[float, str]] = OrderedDict()

    def is_for(self, shown: str) -> bool:
        return shown.startswith("eyJ") and shown.count(".") >= 2

    async def admit(self, connection: HTTPConnection, shown: str) -> Admitted | None:
        if not is_in_its_header(connection, shown):
            return None
        try:
            principal = await anyio.to_thread.run_sync(self._principal, shown, connection.scope["path"])
        except TokenRefused as refused:
            log.info("a token of %s is refused: %s", self._provider.issuer, refused)
            return None
        return Admitted(principal, f"user {principal.user}")

    def challenge(self, path: str, *, is_shown: bool) -> Mapping[str, str]:
        challenge = dict(challenge_of(self._audience, path, is_shown=is_shown))
        challenge.pop("scope")
        return {
            **challenge,
            **({"scope": self._settings.required_scope} if self._settings.required_scope else {}),
        }

    def is_open(self, key: str) -> bool:
        """For who listens to a stream: as long as the token counts with which it was begun, and its user is one."""
        with self._lock:
            until, user = self._until.get(key, (0.0, ""))
        return time.time() < until and (bool(self._settings.role_claim) or self._find_user(user) is not None)

    def _principal(self, token: str, path: str) -> Principal:
        claims, settings = self._provider.claims(token), self._settings
        self._check_audience(claims, path)
        scopes = frozenset(_words(claims.get("scope", claims.get("scp"))))
        if settings.required_scope and settings.required_scope not in scopes:
            raise TokenRefused(f"it is not for the scope {settings.required_scope}")
        user = self._user(claims)
        permissions = ROLES[user.role]
        if named := scopes & set(PERMISSIONS):
            permissions &= named
        workspaces = self._workspaces(claims)
        key = f"oidc-{digest_of(token)[:16]}"
        with self._lock:
            self._until[key] = (float(claims["exp"]), user.name)
            while len(self._until) > _MOST_OPEN:
                self._until.popitem(last=False)
        return Principal(
            kept_name(user, KeyBounds()),
            user=user.name,
            permissions=permissions,
            key=key,
            org=user.org,
            workspaces=both_bounds(user.workspaces, workspaces),
        )

    def _check_audience(self, claims: Mapping[str, Any], path: str) -> None:
        audiences = _words(claims.get("aud"), is_list_of_one=True)
        if self._settings.audience:
            if self._settings.audience not in audiences:
                raise TokenRefused("it is for somebody else")
            return
        ours = [found for text in audiences if (found := self._audience.canonical(text)) is not None]
        if not any(self._audience.covers(resource, path) for resource in ours):
            raise TokenRefused("it is for somebody else, or for another part of this server")

    def _user(self, claims: Mapping[str, Any]) -> User:
        name = claims.get(self._settings.user_claim)
        try:
            checked = self._checked_user(name if isinstance(name, str) else "")
        except BadValue as error:
            raise TokenRefused(f"{self._settings.user_claim} is missing, or no name of a user") from error
        known = self._find_user(checked)
        if not self._settings.role_claim:
            if known is None:
                raise TokenRefused(f"{checked} is no user here; `helix user add {checked}`")
            return known
        given = frozenset(_words(claims.get(self._settings.role_claim), is_list_of_one=True))
        role = next((role for role in ROLES if role in given), None)
        if role is None:
            raise TokenRefused(f"{self._settings.role_claim} names no role")
        return replace(known, role=role) if known is not None else User(checked, role, "", MAIN)

    def _workspaces(self, claims: Mapping[str, Any]) -> frozenset[str] | None:
        if not self._settings.workspace_claim:
            return None
        names = frozenset(_words(claims.get(self._settings.workspace_claim), is_list_of_one=True))
        if not names:
            raise TokenRefused(f"{self._settings.workspace_claim} names no workspace")
        return names


def _words(value: object, *, is_list_of_one: bool = False) -> list[str]:
    """Of a claim that is a list of texts, or a text; which is one, or several with blanks between them."""
    if isinstance(value, str):
        return [value] if is_list_of_one else value.split()
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return value
    return []
