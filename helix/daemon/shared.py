"""What a daemon has more when others use the same index: a station, a route for what they pass on, marks on answers."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.config import Config
from helix.errors import NotHere
from helix.index.station import Station
from helix.surfaces.doors import find_doors
from helix.surfaces.guard import Policy
from helix.surfaces.marks import Marked
from helix.surfaces.passed_on import PassedOnAccess, routes
from helix.surfaces.problems import answer

_OF_THE_FOLDER = ("/reindex", "/capture", "/events")
"""routes that are no verbs, and are about files"""


class Shared:
    def __init__(self, config: Config, url: str) -> None:
        self.station = Station((config.keeper_address or url).rstrip("/"), secrets.token_urlsafe(32))

    def at(self, path: str) -> Station:
        """That of a further workspace."""
        return replace(self.station, address=f"{self.station.address}{path}")

    def policy(self, policy: Policy) -> Policy:
        return PassedOnAccess(policy, self.station.secret)

    def routes(self) -> Sequence[BaseRoute]:
        return routes()

    def layers(self, *, is_reader: bool) -> Sequence[Middleware]:
        return [*([Middleware(_NotHere)] if is_reader else []), Middleware(Marked)]


class _NotHere:
    """Of a daemon without a folder: what is about files is refused, and it is said who has them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or not path.startswith(_OF_THE_FOLDER):
            await self._app(scope, receive, send)
            return
        doors = find_doors(scope)
        engine = None if doors is None else doors.find_engine()
        keeper = None if engine is None else engine.keeper()
        where = "none is known now" if keeper is None else keeper.station.address
        await answer(
            NotHere(
                f"this daemon has no vault folder, and {path} is about files; ask the one that keeps the index: "
                f"{where}"
            )
        )(scope, receive, send)
