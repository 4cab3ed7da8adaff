"""What other daemons over the same database pass on to the one that keeps the index: verbs, for whom they let in.

They show a secret that the keeper wrote into the database when it began. Who can read the tables of a vault there can
read all of its memories, and so is trusted to say who asks.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import asdict
from typing import Any
from urllib.parse import quote, unquote

import anyio.to_thread
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route

from helix.access import OPEN, Access, declare
from helix.errors import BadValue, HelixError, NotHere
from helix.memory.place import Place
from helix.memory.principal import Principal
from helix.memory.verbs.call import call
from helix.surfaces.caller import principal_of
from helix.surfaces.doors import doors_in
from helix.surfaces.guard import AccessRefused, Admitted, Policy
from helix.surfaces.problems import answer
from helix.surfaces.rest.respond import reply
from helix.vault.authors import Author, acting
from helix.verb_table import VERBS

PATH = "/passed-on"
_PRINCIPAL = "helix-principal"
_SETS = ("projects", "permissions", "workspaces")

is_passed_on: ContextVar[bool] = ContextVar("helix_passed_on", default=False)
"""whether another daemon asks: it is not passed on again"""


def to_header(principal: Principal) -> Mapping[str, str]:
    fields = {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in vars(principal).items()
    }
    return {_PRINCIPAL: quote(json.dumps(fields))}


def _from_header(text: str) -> Principal:
    fields = json.loads(unquote(text))
    for name in _SETS:
        if fields[name] is not None:
            fields[name] = frozenset(fields[name])
    return Principal(**fields)


def to_content(verb: str, values: Mapping[str, Any], place: Place, author: Author | None) -> dict[str, Any]:
    return {
        "verb": verb,
        "values": dict(values),
        "place": asdict(place),
        "author": None if author is None else asdict(author),
    }


class PassedOnAccess:
    """The policy of a daemon, and beside it that of this one route."""

    def __init__(self, policy: Policy, secret: str) -> None:
        self._policy = policy
        self._secret = secret

    def check_source(self, connection: HTTPConnection) -> None:
        if not self._is_passed_on(connection):
            self._policy.check_source(connection)

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        if not self._is_passed_on(connection):
            return await self._policy.identify(connection, access)
        try:
            return Admitted(_from_header(connection.headers[_PRINCIPAL]), "another daemon")
        except (KeyError, TypeError, ValueError) as error:
            raise AccessRefused("bad-request", "it is not said for whom that is asked") from error

    def _is_passed_on(self, connection: HTTPConnection) -> bool:
        """By the very path and the secret; whoever comes to the path without it is nobody, and hears so."""
        path = connection.scope["path"].removeprefix(connection.scope.get("root_path", ""))
        if path != PATH:
            return False
        scheme, _, shown = connection.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not hmac.compare_digest(shown.strip().encode(), self._secret.encode()):
            raise AccessRefused("unauthorized", "this is for the daemons that share an index with this one")
        return True


def routes() -> list[Route]:
    @declare(OPEN.judged_later().unheard())
    async def passed_on(request: Request) -> Response:
        asked = await request.json()
        try:
            return await anyio.to_thread.run_sync(_answered, request, asked)
        except HelixError as error:
            return answer(error)

    return [Route(PATH, passed_on, methods=["POST"])]


def _answered(request: Request, asked: Mapping[str, Any]) -> Response:
    doors = doors_in(request.scope)
    engine = doors.find_engine()
    if engine is None or not engine.keeps:
        raise NotHere("this daemon does not keep the index; the database says which one does")
    verb = VERBS.get(str(asked.get("verb")))
    if verb is None:
        raise BadValue("this daemon is of another version, and has no such verb")
    place, author = Place(**asked["place"]), asked["author"]
    narrowed = doors.workspace.request(principal_of(request.scope), place)
    is_passed_on.set(True)
    with acting(None if author is None else Author(**author)):
        answered = call(narrowed, verb, verb.request(**asked["values"]))
    return reply({"answer": answered, "mark": engine.written()})
