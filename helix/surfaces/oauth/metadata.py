"""What clients look up before they log in: who issues tokens for this server (RFC 9728), and how (RFC 8414).

`/.well-known/openid-configuration` says the same for clients that look there alone.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from helix.access import OPEN, declare
from helix.access.roles import PERMISSIONS
from helix.oauth.audience import METADATA, Audience, is_of_mcp
from helix.oauth.clients import CODE_GRANT, DEVICE_GRANT, REFRESH_GRANT
from helix.oauth.scopes import USUAL
from helix.surfaces.problems import refuse

_OPEN = OPEN.of_daemon().unheard()
_FOR_A_WHILE = {"Cache-Control": "public, max-age=300"}


def resource_routes(audience: Audience, issuer: str) -> list[Route]:
    @declare(_OPEN)
    async def whole(request: Request) -> Response:
        return JSONResponse(_resource(audience.base, issuer), headers=_FOR_A_WHILE)

    @declare(_OPEN)
    async def part(request: Request) -> Response:
        resource = audience.canonical(f"{audience.base}/{request.path_params['path']}")
        if resource is None or not is_of_mcp(resource.removeprefix(audience.base)):
            return refuse("no-such-path", "nothing of its own is protected at that path")
        return JSONResponse(_resource(resource, issuer), headers=_FOR_A_WHILE)

    return [Route(METADATA, whole), Route(f"{METADATA}/{{path:path}}", part)]


def server_routes(audience: Audience, *, documents: bool, registration: bool) -> list[Route]:
    body = server_metadata(audience.base, documents=documents, registration=registration)

    @declare(_OPEN)
    async def server(request: Request) -> Response:
        return JSONResponse(body, headers=_FOR_A_WHILE)

    names = ("oauth-authorization-server", "openid-configuration")
    return [Route(f"/.well-known/{name}", server) for name in names]


def _resource(resource: str, issuer: str) -> dict[str, Any]:
    return {
        "resource": resource,
        "authorization_servers": [issuer],
        "scopes_supported": list(USUAL),
        "bearer_methods_supported": ["header"],
        "resource_name": "Helix",
    }


def server_metadata(base: str, *, documents: bool, registration: bool) -> dict[str, Any]:
    more = {"registration_endpoint": f"{base}/auth/register"} if registration else {}
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}/auth/authorize",
        "token_endpoint": f"{base}/auth/token",
        "revocation_endpoint": f"{base}/auth/revoke",
        "device_authorization_endpoint": f"{base}/auth/device/code",
        "scopes_supported": list(PERMISSIONS),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [CODE_GRANT, REFRESH_GRANT, DEVICE_GRANT],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": documents,
        **more,
    }
