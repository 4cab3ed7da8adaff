"""The authorization server: Authlib reads the protocol, and what is stricter here than there stands below.

PKCE with S256 and nothing else; the `resource` always named, and bound; codes that are good once, and whose second use
ends what came of the first; refresh tokens that are good once, and whose second use ends the family. What Authlib would
do in several steps (using a code up, making the tokens) is one transaction of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from authlib.oauth2 import OAuth2Error, rfc6749
from authlib.oauth2.rfc6749 import InvalidGrantError

from helix.access.credentials import User
from helix.oauth.audience import Audience
from helix.oauth.clients import OAuthClient
from helix.oauth.devices import Device, Devices
from helix.oauth.grants import Grants, Pair
from helix.oauth.opaque_token import ACCESS, REFRESH
from helix.oauth.protocol import CodeGrant, DeviceGrant, OnlyS256, ProtocolRequest, RefreshGrant, Revocation
from helix.oauth.refusal import OAuthRefused
from helix.oauth.scopes import emit_scope, parse_scope


@dataclass(frozen=True)
class Asked:
    """What a program asks a person for, once all of it was found to be in order."""

    client: OAuthClient
    scope: frozenset[str]
    resource: str
    redirect_uri: str
    challenge: str
    state: str | None


@dataclass(frozen=True)
class Waiting:
    """A program that waits for a person: what it was told."""

    device_code: str
    device: Device


class AuthorizationServer(rfc6749.AuthorizationServer):  # type: ignore[misc]
    def __init__(
        self,
        audience: Audience,
        grants_kept: Grants,
        devices: Devices,
        find_client: Callable[[str], OAuthClient | None],
        is_user: Callable[[str, float], bool],
    ) -> None:
        """`is_user` says whether there is still the user of this name to whom something was granted at that time."""
        super().__init__()
        self.audience = audience
        self.grants = grants_kept
        self.devices = devices
        self.find_client = find_client
        self.is_user = is_user
        self.register_token_generator("default", lambda **_: {"token_type": "Bearer"})
        self.register_grant(CodeGrant, [OnlyS256(required=True)])
        self.register_grant(RefreshGrant)
        self.register_grant(DeviceGrant)
        self.register_endpoint(Revocation)

    # What is asked of it

    def check_request(self, parameters: Mapping[str, str]) -> Asked:
        """Of the page that asks for consent. Raises OAuthRefused."""
        client = self._client_of(parameters)
        redirect_uri, state = parameters.get("redirect_uri", ""), parameters.get("state")
        if not redirect_uri or not client.check_redirect_uri(redirect_uri):
            raise OAuthRefused(
                "invalid_request", "redirect_uri is missing, or not one that this client has registered"
            )
        try:
            return self._check_request(client, parameters, redirect_uri, state)
        except OAuthRefused as refused:
            refused.redirect_uri, refused.state = redirect_uri, state
            raise
        except OAuth2Error as error:
            raise OAuthRefused(
                str(error.error), str(error.description or ""), redirect_uri=redirect_uri, state=state
            ) from error

    def _check_request(
        self, client: OAuthClient, parameters: Mapping[str, str], redirect_uri: str, state: str | None
    ) -> Asked:
        if parameters.get("response_type") != "code":
            raise OAuthRefused("unsupported_response_type", "response_type is code, and nothing else")
        if "request" in parameters or "request_uri" in parameters:
            raise OAuthRefused("request_not_supported", "a request is made of plain parameters here")
        if parameters.get("response_mode", "query") != "query":
            raise OAuthRefused("invalid_request", "response_mode is query, and nothing else")
        if not parameters.get("code_challenge"):
            raise OAuthRefused("invalid_request", "code_challenge is missing; PKCE is asked of every client")
        if parameters.get("code_challenge_method") != "S256":
            raise OAuthRefused("invalid_request", "code_challenge_method is S256, and nothing else")
        self.get_consent_grant(ProtocolRequest("GET", parameters))
        return Asked(
            client, self._scope_of(parameters), self._resource_of(parameters), redirect_uri,
            parameters["code_challenge"], state,
        )  # fmt: skip

    def begin_device(self, parameters: Mapping[str, str], address: str) -> Waiting:
        """Raises OAuthRefused, RateLimited."""
        client = self._client_of(parameters)
        if not client.check_grant_type(DeviceGrant.GRANT_TYPE):
            raise OAuthRefused("unauthorized_client", "this client may not wait for a person elsewhere")
        resource = self._resource_of(parameters) if "resource" in parameters else self.audience.base
        text, device = self.devices.begin(
            client.id, client.name, emit_scope(self._scope_of(parameters)), resource, address
        )
        return Waiting(text, device)

    def token_answer(self, parameters: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        status, body = self.create_token_response(ProtocolRequest("POST", parameters))
        return status, body

    def revocation_answer(self, parameters: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        status, body = self.create_endpoint_response("revocation", ProtocolRequest("POST", parameters))
        return status, body

    def introspect(self, text: str) -> dict[str, Any]:
        """What a token is good for, as RFC 7662 puts it."""
        token = self.grants.find_token(text, ACCESS) or self.grants.find_token(text, REFRESH)
        if token is None or not token.is_valid_at(self.grants.clock()):
            return {"active": False}
        consent = token.grant.consent
        if not self.is_user(consent.user, token.grant.created):
            return {"active": False}
        return {
            "active": True,
            "scope": token.scope,
            "client_id": consent.client,
            "username": consent.user,
            "sub": consent.user,
            "aud": consent.resource,
            "iss": self.audience.base,
            "exp": int(token.expires),
            "iat": int(
                token.expires
                - (self.grants.times.access if token.kind == ACCESS else self.grants.times.refresh)
            ),
            "token_type": "Bearer" if token.kind == ACCESS else "refresh_token",
        }

    # What Authlib asks of whoever uses it

    def query_client(self, client_id: str) -> OAuthClient | None:
        return self.find_client(client_id)

    def save_token(self, token: dict[str, Any], request: Any) -> None:
        pair: Pair | None
        if request.authorization_code is not None:
            pair = self.grants.redeem_code(request.authorization_code.code)
        elif request.refresh_token is not None:
            asked = (request.payload.scope or request.refresh_token.get_scope()).split()
            pair = self.grants.rotate(request.refresh_token.token, emit_scope(asked))
        else:
            pair = self.devices.redeem(request.credential.device)
        if pair is None:
            raise InvalidGrantError("it was used before, and is good once")
        token.update(
            access_token=pair.access, refresh_token=pair.refresh, expires_in=pair.expires_in, scope=pair.scope
        )

    def create_oauth2_request(self, request: Any) -> Any:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> tuple[int, dict[str, Any]]:
        return status, dict(body or {})

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Nobody listens."""

    # Parameters

    def _client_of(self, parameters: Mapping[str, str]) -> OAuthClient:
        client_id = parameters.get("client_id")
        client = self.find_client(client_id) if client_id else None
        if client is None:
            raise OAuthRefused("invalid_client", "client_id is missing, or nobody knows this client", 401)
        return client

    def _scope_of(self, parameters: Mapping[str, str]) -> frozenset[str]:
        scope = parse_scope(parameters.get("scope"))
        if scope is None:
            raise OAuthRefused("invalid_scope", "there is no such scope; the metadata lists them")
        return scope

    def _resource_of(self, parameters: Mapping[str, str]) -> str:
        resource = self.audience.canonical(parameters.get("resource", ""))
        if resource is None:
            raise OAuthRefused("invalid_target", "resource is missing, or not an address of this server")
        return resource


def user_still(find_user: Callable[[str], User | None]) -> Callable[[str, float], bool]:
    """Whether a user is the one they were: who was removed and came back has granted nothing."""
    from datetime import UTC, datetime

    from helix.vault.times import format_time

    def is_user(name: str, created: float) -> bool:
        user = find_user(name)
        return user is not None and format_time(datetime.fromtimestamp(created, UTC)) >= user.created_at

    return is_user
