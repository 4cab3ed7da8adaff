"""Who makes a call: what its headers say, and where they say nothing, what the protocol does."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from mcp.server import ServerRequestContext
from starlette.datastructures import Headers
from starlette.requests import Request

from helix.memory.judgement.secrets import find_secret
from helix.memory.reading.view import Caller
from helix.memory.tokens import clean
from helix.surfaces.caller import caller_of

Context = ServerRequestContext[Any, Request]

_SESSION_ID = "mcp-session-id"
_LONGEST = 80


def caller_in(ctx: Context) -> Caller:
    if ctx.request is None:
        return Caller()
    headers = ctx.request.headers
    said = caller_of(headers)
    client = ctx.session.client_params
    name = "" if client is None else " ".join(clean(client.client_info.name).split())[:_LONGEST]
    name = name if find_secret(name) is None else ""
    return replace(said, agent=said.agent or name or None, session=said.session or _session(headers))


def _session(headers: Headers) -> str | None:
    """A name for the session of the protocol. Not its id, which opens the session to whoever reads it in a note."""
    session_id = headers.get(_SESSION_ID)
    return None if session_id is None else f"mcp-{hashlib.sha256(session_id.encode()).hexdigest()[:12]}"
