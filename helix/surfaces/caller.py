"""Who asks: what the shim, or any client that cares to, says of itself in headers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.memory.tokens import clean
from helix.memory.view import Caller
from helix.vault.authors import PERSON, Author, acting

PROJECT, SESSION, CLIENT = "helix-project", "helix-session", "helix-client"
_LONGEST = 200


def caller_of(headers: Mapping[str, str]) -> Caller:
    """From headers with names in lower case. Values are percent-encoded UTF-8, since a header is Latin-1."""
    return Caller(_said(headers, PROJECT), _said(headers, SESSION), _said(headers, CLIENT))


def author_of(caller: Caller, headers: Mapping[str, str]) -> Author:
    """Only browsers say from which page a request comes, and only Helix's own page is let in: a person sits there."""
    return PERSON if "sec-fetch-site" in headers else Author("agent", caller.agent)


class Signed:
    """What is written while a request is answered is by whoever made the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        with acting(author_of(caller_of(headers), headers)):
            await self._app(scope, receive, send)


def _said(headers: Mapping[str, str], name: str) -> str | None:
    text = " ".join(clean(unquote(headers.get(name, ""))).split())[:_LONGEST]
    return text or None
