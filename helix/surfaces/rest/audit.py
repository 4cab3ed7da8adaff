"""The route by which admins read who did what."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from helix.access import LOCAL, declare
from helix.access.audit import AUDIT_FOLDER
from helix.access.audit_query import AuditQuery, query_audit
from helix.errors import BadValue, HelixError
from helix.surfaces.caller import workspace_of
from helix.surfaces.problems import answer

_TEXTS = ("user", "verb", "since")


def routes() -> list[Route]:
    @declare(LOCAL.needing("admin").unheard())
    def audit(request: Request) -> JSONResponse:
        try:
            return JSONResponse(
                query_audit(
                    workspace_of(request).followed.state / AUDIT_FOLDER, _wanted(dict(request.query_params))
                )
            )
        except HelixError as error:
            return answer(error)

    return [Route("/audit", audit)]


def _wanted(given: dict[str, str]) -> AuditQuery:
    limit = given.pop("limit", "100")
    refused = given.pop("refused", "false").lower()
    if unknown := sorted(set(given) - set(_TEXTS)):
        raise BadValue(
            f"there is no parameter {unknown[0][:40]!r}; there are user, verb, since, refused, limit"
        )
    if not limit.isdecimal() or not 1 <= int(limit[:9]) <= 1000:
        raise BadValue("limit is a number from 1 to 1000")
    if refused not in ("true", "false"):
        raise BadValue("refused is true or false")
    texts: dict[str, Any] = {name: given.get(name) or None for name in _TEXTS}
    return AuditQuery(**texts, only_refused=refused == "true", limit=int(limit))
