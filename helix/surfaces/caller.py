"""Who asks, and from where: the principal that the guard let in, and what a client says of itself in headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.errors import Forbidden, SecretRefused
from helix.memory.place import Place
from helix.memory.principal import UNKNOWN, Principal
from helix.memory.request import Request
from helix.memory.tokens import clean
from helix.memory.verbs.permitted import bound_place, check_place
from helix.memory.workspace import Workspace
from helix.surfaces.doors import doors_in, find_doors
from helix.surfaces.guard import ADDRESS, PRINCIPAL, access_in
from helix.surfaces.problems import answer
from helix.vault.authors import PERSON, Author, acting
from helix.vault.secrets import find_secret

PROJECT, SESSION, CLIENT = "helix-project", "helix-session", "helix-client"
_PLACE = "helix.place"
_LONGEST = 200
_SHORTEST_SECRET = 12
# Helix's own programs carry what others ask.
_OF_HELIX = re.compile(r"helix(?:-[a-z]+)?(?:/.*)?")


def workspace_of(connection: HTTPConnection) -> Workspace:
    """The workspace that a request is about, and no other."""
    return doors_in(connection.scope).workspace


def principal_of(scope: Scope) -> Principal:
    """Whom the guard let in. Whoever came another way is nobody, and sees nothing."""
    principal: Principal = scope.get(PRINCIPAL, UNKNOWN)
    return principal


def request_of(connection: HTTPConnection) -> Request:
    """The one place where a request of REST becomes one of the memory floor."""
    principal = principal_of(connection.scope)
    return workspace_of(connection).request(principal, bound_place(principal, place_in(connection.scope)))


def place_in(scope: Scope) -> Place:
    """Where a request comes from, as its headers say: read once, when it came in."""
    place: Place | None = scope.get(_PLACE)
    return place_of(Headers(scope=scope)) if place is None else place


def place_of(headers: Mapping[str, str]) -> Place:
    """From headers with names in lower case. Values are percent-encoded UTF-8, since a header is Latin-1."""
    return Place(_named(headers, PROJECT), _named(headers, SESSION), _named(headers, CLIENT))


class Signed:
    """What is written while a request is answered is by whoever made the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        names = {name: _text(headers, name) for name in (PROJECT, SESSION, CLIENT)}
        if (refusal := _refusal(names)) is not None:
            await answer(refusal)(scope, receive, send)
            return
        project, session, client = (names[header] or None for header in (PROJECT, SESSION, CLIENT))
        place = Place(project, session, client, address=scope.get(ADDRESS))
        try:
            place = scope[_PLACE] = _bound(principal_of(scope), place)
        except Forbidden as forbidden:
            await answer(forbidden)(scope, receive, send)
            return
        if not access_in(scope).is_work:
            # What only carries calls has an author for each of them, and who watches writes nothing.
            await self._app(scope, receive, send)
            return
        is_page = _is_page(headers)
        name = place.client or ("dashboard" if is_page else _program(headers))
        if (doors := find_doors(scope)) is not None:
            doors.clients.saw(replace(place, client=name), "page" if is_page else "rest")
        with acting(PERSON if is_page else Author("agent", place.client)):
            await self._app(scope, receive, send)


def _bound(principal: Principal, place: Place) -> Place:
    """What a client says of itself, as far as its key lets it say so. Raises Forbidden."""
    check_place(principal, place)
    if place.client is not None and not _OF_HELIX.fullmatch(place.client):
        check_harness(principal, place.client)
    return bound_place(principal, place)


def check_harness(principal: Principal, name: str) -> None:
    """Whether a program may show the key. A program that lies is not recognized: this is for keys that stray."""
    if principal.harness not in (None, name.partition("/")[0]):
        raise Forbidden(f"this key is good for the program {principal.harness!r} and no other")


def _is_page(headers: Mapping[str, str]) -> bool:
    """Only browsers say from which page a request comes, and only Helix's own page is let in: a person sits there. What
    the page asks for is of the same origin; `none` is a person who typed an address, and writes nothing.

    A program of the same user that wants to pass for one can send the header too; it could as well edit the file.
    """
    return headers.get("sec-fetch-site", "").strip().lower() == "same-origin"


def _program(headers: Mapping[str, str]) -> str | None:
    """`curl` of `curl/8.5.0`: better than nothing for a client that does not give its name."""
    program = " ".join(clean(headers.get("user-agent", "")).split())
    return program.partition("/")[0].partition(" ")[0][:40] or None


def _named(headers: Mapping[str, str], name: str) -> str | None:
    """What looks like a credential is nobody's name: it gets into no file and no log."""
    text = _text(headers, name)
    return text if text and _secret_in(text) is None else None


def _text(headers: Mapping[str, str], name: str) -> str:
    return " ".join(clean(unquote(headers.get(name, ""))).split())[:_LONGEST]


def _secret_in(name: str) -> str | None:
    """Looked at with every request, so that what is too short to be one costs nothing."""
    return find_secret(name) if len(name) >= _SHORTEST_SECRET else None


def _refusal(names: Mapping[str, str]) -> SecretRefused | None:
    for name, text in names.items():
        if (kind := _secret_in(text)) is not None:
            return SecretRefused(
                f"the header {name.title()} looks like {kind}; nothing was done. It is written into files: say a name",
                kind,
            )
    return None
