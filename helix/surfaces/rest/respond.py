"""How a route answers, and how it says so in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from helix.memory.tokens import Payload, serialize
from helix.surfaces.rest.daemon_answers import Problem
from helix.surfaces.rest.models import answer_model

MEANING = {
    400: "A value that cannot be used; the message names it",
    401: "This daemon asks for its token",
    403: "A request from another web page",
    404: "No such memory, version or history",
    408: "The body did not arrive in time",
    409: "Not based on what the file says now, or an idempotency key used for something else",
    410: "It was forgotten or erased",
    413: "The body is too large",
    415: "The body is not JSON",
    421: "Not a name of this machine",
    422: "Understood and refused: nothing worth keeping, a credential, a file that cannot be read or edited safely",
    500: "Something went wrong in Helix itself",
    503: "Not now: busy, starting, or the vault is not there; see Retry-After",
    507: "The disk is full",
}
ALWAYS = (400, 401, 403, 421, 422, 500, 503)
_WITH_BODY = (408, 413, 415)
_CHANGING = (404, 409, 410, 507)


def reply(payload: Payload, headers: Mapping[str, str] | None = None, status: int = 200) -> Response:
    """The payload exactly as it was counted."""
    return Response(serialize(payload), status, headers, media_type="application/json")


def reads(kind: type, *more: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The answers of a route that reads."""
    return _answers(kind, (*ALWAYS, *more), status)


def changes(kind: type, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The answers of a route with a body that changes memories."""
    return _answers(kind, (*ALWAYS, *_WITH_BODY, *_CHANGING), status)


def reads_body(kind: type, status: int = 200) -> dict[int | str, dict[str, Any]]:
    return _answers(kind, (*ALWAYS, *_WITH_BODY, 404), status)


def _answers(kind: type, statuses: tuple[int, ...], status: int) -> dict[int | str, dict[str, Any]]:
    done = "Done" if status == 200 else "Begun"
    answers: dict[int | str, dict[str, Any]] = {status: {"model": answer_model(kind), "description": done}}
    for refused in sorted(set(statuses)):
        answers[refused] = {"model": answer_model(Problem), "description": MEANING[refused]}
    return answers


CALLER: dict[str, Any] = {
    "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in ("Project", "Session", "Client")]
}
"""the headers by which a caller says from where it asks"""

CALLER_HEADERS = {
    "Project": ("Helix-Project", "The project that the caller works in; percent-encoded UTF-8."),
    "Session": ("Helix-Session", "The session that the caller works in; percent-encoded UTF-8."),
    "Client": ("Helix-Client", "The name of the program that asks; percent-encoded UTF-8."),
}
