"""Which workspace a request is about: what it names, among those that its credential opens.

It is named by the header `Helix-Workspace`, or in front of the path: `/w/NAME/…`, for whatever can be given an address
and nothing else. A request that names none is about the one that its credential opens first.
"""

from __future__ import annotations

from typing import Protocol

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.access import Credential
from helix.errors import BadValue, HelixError
from helix.memory.principal import Principal
from helix.surfaces.caller import principal_of
from helix.surfaces.doors import Doors, put_doors, put_refusal
from helix.surfaces.guard import access_in
from helix.surfaces.problems import answer

WORKSPACE = "helix-workspace"
PREFIX = "/w/"
_NAMED = "helix.workspace_named"


class Entered(Protocol):
    """A workspace that stays open until it is left."""

    @property
    def doors(self) -> Doors: ...
    def leave(self) -> None: ...


class OpenDoors(Protocol):
    """The workspaces of a daemon. Raises HelixError for one that there is not, or that cannot be opened."""

    def main(self, principal: Principal, named: str | None) -> Doors | None:
        """Its own one, which is always open, if the request is about that."""

    async def enter(self, principal: Principal, named: str | None) -> Entered:
        """Another one."""


class WorkspaceAddress:
    """Before the guard: takes the workspace off the path, as a server does with the path that an app is mounted at."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PREFIX):
            name, slash, _ = scope["path"].removeprefix(PREFIX).partition("/")
            if slash:
                # The path stays whole and the routes look behind `root_path`, as ASGI has it.
                scope["root_path"] = f"{scope.get('root_path', '')}{PREFIX}{name}"
                scope[_NAMED] = name
        await self._app(scope, receive, send)


class InWorkspace:
    """Behind the guard, before all that answers."""

    def __init__(self, app: ASGIApp, workspaces: OpenDoors) -> None:
        self._app = app
        self._workspaces = workspaces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not access_in(scope).is_of_workspace:
            await self._app(scope, receive, send)
            return
        principal = principal_of(scope)
        try:
            named = named_in(scope)
            doors = self._workspaces.main(principal, named)
            entered = None if doors is not None else await self._workspaces.enter(principal, named)
        except HelixError as error:
            # What is for everybody is no workspace's: a page to sign in with, or the proof that the daemon is yours.
            put_refusal(scope, error)
            is_open = access_in(scope).credential is Credential.NEVER
            await (self._app if is_open else answer(error))(scope, receive, send)
            return
        if doors is not None:
            put_doors(scope, doors)
            await self._app(scope, receive, send)
        elif entered is not None:
            put_doors(scope, entered.doors)
            try:
                await self._app(scope, receive, send)
            finally:
                entered.leave()


def named_in(scope: Scope) -> str | None:
    """The workspace that a request names."""
    found = {value.strip() for value in Headers(scope=scope).getlist(WORKSPACE)}
    if (in_path := scope.get(_NAMED)) is not None:
        found.add(in_path)
    found.discard("")
    if len(found) > 1:
        raise BadValue("the request names two workspaces; name one")
    return found.pop() if found else None
