"""Proving to clients that this is their owner's daemon: the other end of `helix_mcp.proof`."""

from __future__ import annotations

import re
from collections.abc import Callable

from helix_mcp.proof import PATH, proof_of
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from helix.access import OPEN, declare
from helix.errors import HelixError
from helix.surfaces.problems import answer, refuse

_CHALLENGE = re.compile(r"[0-9a-f]{32,128}")


def routes(token: Callable[[], str]) -> list[Route]:
    """`token` gives the token in force, each time anew."""

    # Clients want the proof before they show a token.
    @declare(OPEN.unlimited().unheard())
    async def prove(request: Request) -> Response:
        challenge = request.query_params.get("challenge", "")
        if not _CHALLENGE.fullmatch(challenge):
            return refuse("bad-request", "challenge: give 32 to 128 hexadecimal digits, each time others")
        # The address at which this connection came in, and not one that the client names: somebody who sits
        # at another one and hands the question on gets an answer that is good for nothing.
        host, port = request.scope["server"]
        try:
            known = token()
        except HelixError as error:
            return answer(error)
        return PlainTextResponse(proof_of(known, challenge, host, port))

    return [Route(PATH, prove)]
