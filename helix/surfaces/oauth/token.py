"""The routes that programs ask: tokens for a code, giving them back, waiting for a person, registering."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from helix.access import FORM, JSON, LOCAL, OPEN, declare
from helix.access.rates import Rates
from helix.errors import BadValue, HelixError
from helix.oauth.clients import DEVICE_GRANT
from helix.oauth.known_clients import BY_REGISTRATION, KnownClients
from helix.oauth.parameters import parse_parameters
from helix.oauth.refusal import OAuthRefused
from helix.oauth.server import AuthorizationServer
from helix.surfaces.guard import ADDRESS
from helix.surfaces.problems import answer

Answer = tuple[int, dict[str, Any]]

_ASKED = OPEN.of_daemon().unheard()
_FORM = _ASKED.accepting(FORM)
_EITHER = _ASKED.accepting(FORM, JSON)
_NOT_KEPT = {"Cache-Control": "no-store", "Pragma": "no-cache"}
# What somebody tries who guesses.
_GUESSES = frozenset({"invalid_grant", "invalid_client"})
_NAMED_BY = "x-deeplake-client"


class TokenRoutes:
    def __init__(self, server: AuthorizationServer, clients: KnownClients, rates: Rates) -> None:
        self._server = server
        self._clients = clients
        self._rates = rates

    def routes(self, *, registration: bool) -> list[Route]:
        @declare(_FORM)
        async def token(request: Request) -> Response:
            return await self._answered(request, self._token)

        @declare(_FORM)
        async def revoke(request: Request) -> Response:
            return await self._answered(request, self._revoke)

        @declare(LOCAL.needing("admin").of_daemon().unheard().accepting(FORM))
        async def introspect(request: Request) -> Response:
            return await self._answered(request, self._introspect)

        @declare(_EITHER)
        async def device_code(request: Request) -> Response:
            return await self._answered(request, self._device_code)

        @declare(_EITHER)
        async def device_token(request: Request) -> Response:
            return await self._answered(request, self._device_token)

        @declare(_ASKED)
        async def register(request: Request) -> Response:
            return await self._answered(request, self._register)

        routes = [
            Route("/auth/token", token, methods=["POST"]),
            Route("/auth/revoke", revoke, methods=["POST"]),
            Route("/auth/introspect", introspect, methods=["POST"]),
            Route("/auth/device/code", device_code, methods=["POST"]),
            Route("/auth/device/token", device_token, methods=["POST"]),
        ]
        return [*routes, Route("/auth/register", register, methods=["POST"])] if registration else routes

    async def _answered(self, request: Request, act: Callable[[Request, bytes], Answer]) -> Response:
        body = await request.body()
        try:
            status, reply = await anyio.to_thread.run_sync(partial(self._guarded, act, request, body))
        except HelixError as error:
            return answer(error)
        headers = {**_NOT_KEPT, **({"WWW-Authenticate": "Basic"} if status == 401 else {})}
        return JSONResponse(reply, status, headers)

    def _guarded(self, act: Callable[[Request, bytes], Answer], request: Request, body: bytes) -> Answer:
        address = str(request.scope[ADDRESS])
        self._rates.check("failures", address)
        try:
            if act != self._introspect and "authorization" in request.headers:
                raise OAuthRefused(
                    "invalid_client", "clients have no secret here: they show their client_id", 401
                )
            status, reply = act(request, body)
        except OAuthRefused as refused:
            status, reply = refused.status, refused.body()
        if reply.get("error") in _GUESSES:
            self._rates.count("failures", address)
        return status, reply

    def _token(self, request: Request, body: bytes) -> Answer:
        return self._server.token_answer(parse_parameters(body))

    def _revoke(self, request: Request, body: bytes) -> Answer:
        return self._server.revocation_answer(parse_parameters(body))

    def _introspect(self, request: Request, body: bytes) -> Answer:
        return 200, self._server.introspect(parse_parameters(body).get("token", ""))

    def _device_code(self, request: Request, body: bytes) -> Answer:
        address = str(request.scope[ADDRESS])
        self._rates.count("logins", address)
        parameters = dict(_either(request, body))
        if (
            "client_id" not in parameters
            and request.headers.get(_NAMED_BY, "").strip().lower() == "honeycomb"
        ):
            parameters["client_id"] = "honeycomb"
        waiting = self._server.begin_device(parameters, address)
        device, page = waiting.device, f"{self._server.audience.base}/auth/device"
        return 200, {
            "device_code": waiting.device_code,
            "user_code": device.user_code,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?user_code={device.user_code}",
            "expires_in": int(device.expires - self._server.grants.clock()),
            "interval": int(device.pause),
        }

    def _device_token(self, request: Request, body: bytes) -> Answer:
        """The same as the token endpoint, for clients that send JSON and do not name themselves."""
        parameters = dict(_either(request, body))
        if "client_id" not in parameters:
            device = self._server.devices.find(parameters.get("device_code", ""))
            parameters["client_id"] = "honeycomb" if device is None else device.client
        return self._server.token_answer({**parameters, "grant_type": DEVICE_GRANT})

    def _register(self, request: Request, body: bytes) -> Answer:
        self._rates.count("logins", str(request.scope[ADDRESS]))
        asked = _object(body, "invalid_client_metadata")
        if asked.get("token_endpoint_auth_method", "none") != "none":
            raise OAuthRefused(
                "invalid_client_metadata", "token_endpoint_auth_method is none, and nothing else"
            )
        uris = asked.get("redirect_uris")
        try:
            name = str(asked.get("client_name") or "a program without a name")
            client = self._clients.add(name, uris if isinstance(uris, list) else [], BY_REGISTRATION)
        except BadValue as error:
            kind = "invalid_client_metadata" if "name" in error.message else "invalid_redirect_uri"
            raise OAuthRefused(kind, error.message) from error
        return 201, {
            "client_id": client.id,
            "client_id_issued_at": int(client.created),
            "client_name": client.name,
            "redirect_uris": list(client.redirect_uris),
            "grant_types": sorted(client.grants),
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }


def _either(request: Request, body: bytes) -> Mapping[str, str]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        return parse_parameters(body)
    asked = _object(body, "invalid_request") if body.strip() else {}
    if not all(isinstance(value, str) and value.isascii() and len(value) <= 2000 for value in asked.values()):
        raise OAuthRefused("invalid_request", "the values of the body are texts of printable ASCII")
    return asked


def _object(body: bytes, error: str) -> dict[str, Any]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise OAuthRefused(error, "the body is no JSON object")
    return asked
