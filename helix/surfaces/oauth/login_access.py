"""The part of the policy of a team that knows programs which were let in, by the access tokens that they show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from starlette.requests import HTTPConnection

from helix.oauth.audience import Audience
from helix.oauth.opaque_token import ACCESS
from helix.oauth.scopes import USUAL
from helix.oauth.token_ring import TokenRing
from helix.surfaces.guard import Admitted

_BEARER = re.compile(r"bearer +(?P<token>[!-~]+)", re.IGNORECASE)


class LoginAccess(Protocol):
    """Who issued the tokens: we, or a provider."""

    def is_for(self, shown: str) -> bool:
        """Whether this is a token, as far as one can see, and no key."""

    async def admit(self, connection: HTTPConnection, shown: str) -> Admitted | None: ...

    def challenge(self, path: str, *, is_shown: bool) -> Mapping[str, str]:
        """What a client is told that has no valid one."""


class OwnLogins:
    """Tokens of our own."""

    def __init__(self, ring: TokenRing) -> None:
        self._ring = ring

    def is_for(self, shown: str) -> bool:
        return shown.startswith(ACCESS)

    async def admit(self, connection: HTTPConnection, shown: str) -> Admitted | None:
        if not is_in_its_header(connection, shown):
            return None
        bearer = self._ring.find(shown, connection.scope["path"])
        return None if bearer is None else Admitted(bearer.principal, f"user {bearer.principal.user}")

    def challenge(self, path: str, *, is_shown: bool) -> Mapping[str, str]:
        return challenge_of(self._ring.audience, path, is_shown=is_shown)


def is_in_its_header(connection: HTTPConnection, shown: str) -> bool:
    """A token is shown as `Authorization: Bearer …`, and in no other header."""
    values = connection.headers.getlist("authorization")
    found = _BEARER.fullmatch(values[0].strip()) if len(values) == 1 else None
    return found is not None and found["token"] == shown and "x-api-key" not in connection.headers


def challenge_of(audience: Audience, path: str, *, is_shown: bool) -> Mapping[str, str]:
    wrong = {"error": "invalid_token"} if is_shown else {}
    return {**wrong, "resource_metadata": audience.metadata_url(path), "scope": " ".join(USUAL)}
