"""How the library that reads the protocol is bound: which grants there are, and what each asks of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from authlib.oauth2 import OAuth2Error, OAuth2Request, rfc6749
from authlib.oauth2.rfc6749 import InvalidGrantError, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceCodeGrant
from authlib.oauth2.rfc8628.errors import AuthorizationPendingError, ExpiredTokenError, SlowDownError

from helix.oauth.clients import OAuthClient
from helix.oauth.devices import APPROVED, DENIED, PENDING, Device
from helix.oauth.grants import Consent, GrantCode, Token
from helix.oauth.opaque_token import ACCESS, REFRESH

_OURS = "https://authorization.invalid/"
_METHODS = ["none"]


class ProtocolRequest(OAuth2Request):  # type: ignore[misc]
    def __init__(self, method: str, parameters: Mapping[str, str]) -> None:
        super().__init__(method, _OURS)
        self.payload = BasicOAuth2Payload(dict(parameters))

    @property
    def args(self) -> dict[str, str]:
        return dict(self.payload.data)

    @property
    def form(self) -> dict[str, str]:
        return dict(self.payload.data)


class OnlyS256(CodeChallenge):  # type: ignore[misc]
    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def get_authorization_code_challenge(self, authorization_code: _KeptCode) -> str:
        return authorization_code.code.challenge

    def get_authorization_code_challenge_method(self, authorization_code: _KeptCode) -> str:
        return "S256"


@dataclass(frozen=True)
class _KeptCode:
    code: GrantCode

    def get_redirect_uri(self) -> str:
        return self.code.redirect_uri

    def get_scope(self) -> str:
        return self.code.grant.consent.scope


@dataclass(frozen=True)
class _KeptToken:
    token: Token

    def check_client(self, client: OAuthClient) -> bool:
        return self.token.grant.consent.client == client.id

    def get_scope(self) -> str:
        return self.token.scope


@dataclass(frozen=True)
class _KeptDevice:
    device: Device

    def get_client_id(self) -> str:
        return self.device.client

    def get_scope(self) -> str:
        return self.device.scope


class _Bound:
    """What every grant checks at the end: that the token is wanted for what it was granted for."""

    request: Any
    server: Any

    def check_resource(self, resource: str) -> None:
        asked = self.request.payload.data.get("resource")
        if asked is not None and self.server.audience.canonical(asked) != resource:
            raise _InvalidTarget("the resource is not the one that was consented to")

    def check_user(self, consent: Consent, created: float) -> None:
        if not self.server.is_user(consent.user, created):
            raise InvalidGrantError("whoever granted it is no user here any more")


class _InvalidTarget(OAuth2Error):  # type: ignore[misc]
    error = "invalid_target"
    status_code = 400


class CodeGrant(_Bound, grants.AuthorizationCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS

    def query_authorization_code(self, code: str, client: OAuthClient) -> _KeptCode | None:
        kept, store = self.server.grants.find_code(code), self.server.grants
        if kept is None:
            return None
        if kept.is_used:
            store.end(kept.grant.id, "its code was shown twice")
            return None
        if kept.grant.consent.client != client.id or not kept.grant.is_open_at(store.clock()):
            return None
        if store.clock() >= kept.expires:
            return None
        self.check_user(kept.grant.consent, kept.grant.created)
        self.check_resource(kept.grant.consent.resource)
        return _KeptCode(kept)

    def authenticate_user(self, authorization_code: _KeptCode) -> str:
        return authorization_code.code.grant.consent.user

    def delete_authorization_code(self, authorization_code: _KeptCode) -> None:
        """It was used up with the making of the tokens, and is kept to be known again."""

    def save_authorization_code(self, code: str, request: Any) -> None:
        raise NotImplementedError  # a code is made of a person's consent, and of nothing else


class RefreshGrant(_Bound, grants.RefreshTokenGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> _KeptToken | None:
        store = self.server.grants
        token = store.find_token(refresh_token, REFRESH)
        if token is None:
            return None
        if token.is_used:
            store.end(token.grant.id, "a refresh token was shown twice")
            return None
        if not token.is_valid_at(store.clock()):
            return None
        self.check_user(token.grant.consent, token.grant.created)
        self.check_resource(token.grant.consent.resource)
        return _KeptToken(token)

    def authenticate_user(self, refresh_token: _KeptToken) -> str:
        return refresh_token.token.grant.consent.user

    def revoke_old_credential(self, refresh_token: _KeptToken) -> None:
        """It was used up with the making of the new one."""


class DeviceGrant(_Bound, DeviceCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = _METHODS

    def query_device_credential(self, device_code: str) -> _KeptDevice:
        device = self.server.devices.find(device_code)
        if device is None:
            raise InvalidGrantError("there is no such device_code")
        return _KeptDevice(device)

    def validate_device_credential(self, credential: _KeptDevice) -> str:
        device, devices = credential.device, self.server.devices
        self.check_resource(device.resource)
        if self.server.grants.clock() >= device.expires:
            raise ExpiredTokenError()
        if not devices.poll(device):
            raise SlowDownError()
        if device.state == PENDING:
            raise AuthorizationPendingError()
        if device.state == DENIED:
            raise rfc6749.AccessDeniedError()
        if device.state != APPROVED:
            raise InvalidGrantError("this device_code was used before, and is good once")
        return device.user_code


class Revocation(RevocationEndpoint):  # type: ignore[misc]
    CLIENT_AUTH_METHODS = _METHODS

    def query_token(self, token_string: str, token_type_hint: str | None) -> _KeptToken | None:
        store = self.server.grants
        found = store.find_token(token_string, REFRESH) or store.find_token(token_string, ACCESS)
        return None if found is None else _KeptToken(found)

    def revoke_token(self, token: _KeptToken, request: Any) -> None:
        """With either of its tokens the whole grant goes: who gives one back wants none of them any more."""
        self.server.grants.end(token.token.grant.id, "the program gave it back")
