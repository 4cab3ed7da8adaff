"""Who makes a call, and from where: what its headers say, and where they say nothing, what the protocol does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcp.server import ServerRequestContext
from starlette.datastructures import Headers
from starlette.requests import Request

from helix.memory.judgement.secrets import find_secret
from helix.memory.place import Place
from helix.memory.principal import UNKNOWN
from helix.memory.request import Request as MemoryRequest
from helix.memory.tokens import clean
from helix.memory.workspace import Workspace
from helix.surfaces import caller

Context = ServerRequestContext[Any, Request]
RequestIn = Callable[[Context], MemoryRequest]
"""a call of the protocol as a request of the memory floor"""

_SESSION_ID = "mcp-session-id"
_LONGEST = 80


def requests_to(workspace: Workspace) -> RequestIn:
    """The one place where a call of the protocol becomes a request of the memory floor."""

    def request_in(ctx: Context) -> MemoryRequest:
        principal = UNKNOWN if ctx.request is None else caller.principal_of(ctx.request.scope)
        return workspace.request(principal, place_in(ctx))

    return request_in


def place_in(ctx: Context) -> Place:
    if ctx.request is None:
        return Place()
    headers = ctx.request.headers
    place = caller.place_in(ctx.request.scope)
    client = ctx.session.client_params
    name = "" if client is None else " ".join(clean(client.client_info.name).split())[:_LONGEST]
    name = name if find_secret(name) is None else ""
    return replace(place, client=place.client or name or None, session=place.session or _session(headers))


def _session(headers: Headers) -> str | None:
    """A name for the session of the protocol. Not its id, which opens the session to whoever reads it in a note."""
    session_id = headers.get(_SESSION_ID)
    return None if session_id is None else f"mcp-{hashlib.sha256(session_id.encode()).hexdigest()[:12]}"
