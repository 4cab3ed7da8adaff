"""The route that lists workspaces: those that whoever asks may name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from helix.access import LOCAL, declare
from helix.errors import HelixError
from helix.memory.principal import Principal
from helix.memory.tokens import Payload
from helix.surfaces.caller import principal_of
from helix.surfaces.problems import answer


def routes(states: Callable[[Principal], Sequence[Payload]]) -> list[Route]:
    @declare(LOCAL.of_daemon().unheard())
    def workspaces(request: Request) -> JSONResponse:
        try:
            return JSONResponse({"workspaces": list(states(principal_of(request.scope)))})
        except HelixError as error:
            return answer(error)

    return [Route("/workspaces", workspaces)]
