"""Who somebody is, and a key of their own for a machine of theirs."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from helix.access import LOCAL, declare
from helix.access.credentials import Credentials, KeyBounds
from helix.access.roles import PERMISSIONS
from helix.errors import AlreadyExists, BadValue, Forbidden, HelixError
from helix.memory.principal import Principal
from helix.oauth.grants import Grants
from helix.surfaces.caller import principal_of
from helix.surfaces.problems import answer, refuse

_ABOUT_ME = LOCAL.of_daemon().unheard()
_HOUR = 3600
_LONGEST = 10 * 365 * 24 * _HOUR


class MeRoutes:
    def __init__(self, credentials: Credentials, grants: Grants | None) -> None:
        self._credentials = credentials
        self._grants = grants

    def routes(self) -> list[Route]:
        @declare(_ABOUT_ME)
        async def me(request: Request) -> Response:
            return JSONResponse(self._me(principal_of(request.scope)))

        @declare(_ABOUT_ME)
        async def mint(request: Request) -> Response:
            try:
                given = await request.json()
            except ValueError:
                given = None
            if not isinstance(given, dict):
                return refuse("bad-request", "the body is no JSON object")
            try:
                made = await anyio.to_thread.run_sync(self._mint, principal_of(request.scope), given)
            except HelixError as error:
                return answer(error)
            return JSONResponse(made)

        return [Route("/me", me, methods=["GET"]), Route("/users/me/tokens", mint, methods=["POST"])]

    def _me(self, principal: Principal) -> dict[str, Any]:
        grants = [] if self._grants is None else self._grants.list_grants()
        grant = next((one for one in grants if one.id == principal.key), None)
        return {
            "id": principal.user or principal.id,
            "name": principal.user or principal.id,
            "org": principal.org,
            "workspaces": None if principal.workspaces is None else sorted(principal.workspaces),
            "projects": None if principal.projects is None else sorted(principal.projects),
            "permissions": [name for name in PERMISSIONS if principal.may(name)],
            "client": None if grant is None else grant.consent.client_name,
            "resource": None if grant is None else grant.consent.resource,
            "key": principal.key if grant is None else None,
            "grant": None if grant is None else grant.id,
        }

    def _mint(self, principal: Principal, given: dict[str, Any]) -> dict[str, Any]:
        """A key that may no more than what it was asked with."""
        if principal.user is None:
            raise Forbidden("keys are made for users of a team; you came in as the owner of this machine")
        name, duration, org = given.get("name"), given.get("duration"), given.get("organization_id")
        if unknown := sorted(set(given) - {"name", "duration", "organization_id"}):
            raise BadValue(
                f"there is no field {unknown[0][:40]!r}; there are name, duration, organization_id"
            )
        if not isinstance(name, str) or not name.strip():
            raise BadValue("name says what you call the key")
        if type(duration) is not int or not _HOUR <= duration <= _LONGEST:
            raise BadValue(f"duration is a number of seconds from {_HOUR} to {_LONGEST}")
        if org not in (None, principal.org):
            raise BadValue(f"you are of the org {principal.org!r}, and a key opens no other")
        if any(one.name == name and one.user == principal.user for one in self._credentials.list_keys()):
            raise AlreadyExists("you have had a key of this name; give another one")
        bounds = KeyBounds(
            principal.permissions,
            principal.projects,
            principal.agent,
            None,
            principal.harness,
            principal.workspaces,
        )
        key, text = self._credentials.create_key(
            principal.user, name=name, bounds=bounds, expires_in=f"{duration // _HOUR}h"
        )
        return {"token": {"token": text, "id": key.id, "expires_at": key.expires_at}}
