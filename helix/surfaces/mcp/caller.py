"""Who makes a call, and from where: what its headers say, and where they say nothing, what the protocol does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from mcp.server.context import ServerRequestContext
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from helix.memory.place import Place
from helix.memory.principal import UNKNOWN
from helix.memory.request import Request as MemoryRequest
from helix.memory.tokens import clean
from helix.memory.verbs.permitted import bound_place
from helix.memory.workspace import Workspace
from helix.surfaces.caller import check_harness, principal_of
from helix.surfaces.caller import place_in as place_of_request
from helix.vault.secrets import find_secret

Context = ServerRequestContext[Any, Request]


class Caller(NamedTuple):
    """Who makes a call, as far as its request and its session say so."""

    scope: Scope | None
    """None for a call that came over no HTTP"""
    client: str = ""
    """the name that the client gave in the handshake"""


RequestIn = Callable[[Caller], MemoryRequest]
"""a call of the protocol as a request of the memory floor"""

_SESSION_ID = "mcp-session-id"
_LONGEST = 80


def requests_to(workspace: Workspace, session_header: str = "") -> RequestIn:
    """The one place where a call of the protocol becomes a request of the memory floor.

    `session_header` is in which a connection names the session that it is held to.
    """

    def request_in(caller: Caller) -> MemoryRequest:
        principal = UNKNOWN if caller.scope is None else principal_of(caller.scope)
        if caller.client:
            check_harness(principal, caller.client)
        return workspace.request(principal, bound_place(principal, place_in(caller, session_header)))

    return request_in


def caller_in(ctx: Context) -> Caller:
    client = ctx.session.client_params
    scope = None if ctx.request is None else ctx.request.scope
    return Caller(scope, "" if client is None else client_name(client.client_info.name))


def client_name(given: str) -> str:
    name = " ".join(clean(given).split())[:_LONGEST]
    return name if find_secret(name) is None else ""


def place_in(caller: Caller, session_header: str = "") -> Place:
    if caller.scope is None:
        return Place()
    headers = Headers(scope=caller.scope)
    place = place_of_request(caller.scope)
    place = replace(place, client=place.client or caller.client or None)
    if session_header and (held := headers.get(session_header, "").strip()):
        return replace(place, session=held, session_is="held")
    if place.session:
        return replace(place, session_is="named")
    return replace(place, session=_session(headers))


def _session(headers: Headers) -> str | None:
    """A name for the session of the protocol. Not its id, which opens the session to whoever reads it in a note."""
    session_id = headers.get(_SESSION_ID)
    return None if session_id is None else f"mcp-{hashlib.sha256(session_id.encode()).hexdigest()[:12]}"
