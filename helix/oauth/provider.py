"""Tokens of an OpenID provider that the team has already, instead of our own: who issued them, for whom, and how long.

What a token says of itself decides nothing: which algorithms there are is fixed here, none of them with a secret that
both sides would know, and the key comes from the provider's own list and from no header.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from helix.errors import ConfigError
from helix.oauth.outbound import Fetched, FetchLimits, NotFetched, fetch_json

_ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}
)
_TYPES = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})
_LONGEST = 16 * 1024
_MOST_BYTES = 128 * 1024
_MOST_KEYS = 50
_SECONDS = 5.0
_FRESH = 3600.0
# A provider that is away for a while does not lock the team out, if its keys were known not long ago.
_STALE = 86400.0
# Tokens that name keys which nobody knows do not make us ask again and again.
_ASK_AGAIN = 30.0
_LEEWAY = 30.0
_LEAST_RSA_BITS = 2048


class TokenRefused(Exception):
    """Why, in one sentence for the log of an admin. Whoever showed it hears only that it opens nothing."""


@dataclass
class _Known:
    keys: Mapping[str, Any] = field(default_factory=dict)
    nameless: tuple[Any, ...] = ()
    fetched: float = float("-inf")
    asked: float = float("-inf")


class Provider:
    def __init__(
        self,
        issuer: str,
        fetch: Callable[[str], Fetched] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.issuer = issuer
        self._fetch = fetch or _fetcher(issuer)
        self._clock = clock
        self._now = now
        self._lock = threading.Lock()
        self._known = _Known()

    def claims(self, token: str) -> Mapping[str, Any]:
        """Of a token that this provider signed and that counts now. Raises TokenRefused."""
        header = _header(token)
        claims = self._verified(token, header)
        if claims.get("iss") != self.issuer:
            raise TokenRefused("it was issued by somebody else")
        now = self._now()
        expires, begins, issued = (_moment(claims, name) for name in ("exp", "nbf", "iat"))
        if expires is None or now >= expires + _LEEWAY:
            raise TokenRefused("it has expired, or does not say when it does")
        if any(moment is not None and moment > now + _LEEWAY for moment in (begins, issued)):
            raise TokenRefused("it does not count yet")
        return claims

    def _verified(self, token: str, header: Mapping[str, Any]) -> Mapping[str, Any]:
        from joserfc import jws  # only here: who has no provider needs none of it
        from joserfc.errors import JoseError

        algorithm, name = header["alg"], header.get("kid")
        for key in self._keys(name if isinstance(name, str) else None):
            if _fits(key, algorithm):
                try:
                    payload = jws.deserialize_compact(token, key, algorithms=[algorithm]).payload
                    claims = json.loads(payload)
                except (JoseError, ValueError, RecursionError):
                    continue
                if isinstance(claims, dict):
                    return claims
        raise TokenRefused("none of the provider's keys made it")

    def _keys(self, name: str | None) -> tuple[Any, ...]:
        with self._lock:
            now = self._clock()
            found = self._named(name)
            is_old = now - self._known.fetched > _FRESH
            if (is_old or not found) and now - self._known.asked > _ASK_AGAIN:
                self._known.asked = now
                try:
                    self._read()
                except NotFetched as error:
                    if now - self._known.fetched > _STALE:
                        raise TokenRefused(f"the provider's keys cannot be had: {error}") from error
                found = self._named(name)
            if now - self._known.fetched > _STALE:
                raise TokenRefused("the provider's keys are not known")
            return found

    def _named(self, name: str | None) -> tuple[Any, ...]:
        if name is None:
            every = (*self._known.keys.values(), *self._known.nameless)
            return every if len(every) == 1 else ()
        found = self._known.keys.get(name)
        return () if found is None else (found,)

    def _read(self) -> None:
        document = self._fetch(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration").document
        address = document.get("jwks_uri")
        if document.get("issuer") != self.issuer or not isinstance(address, str):
            raise NotFetched("what the provider says of itself is of another one, or names no keys")
        entries = self._fetch(address).document.get("keys")
        if not isinstance(entries, list) or len(entries) > _MOST_KEYS:
            raise NotFetched("the provider's keys are no list of a usual length")
        keys = [(entry, key) for entry in entries if (key := _read_key(entry)) is not None]
        names = [entry.get("kid") for entry, _ in keys]
        if len({name for name in names if name is not None}) != sum(name is not None for name in names):
            raise NotFetched("two of the provider's keys have one name")
        self._known = _Known(
            {entry["kid"]: key for entry, key in keys if isinstance(entry.get("kid"), str)},
            tuple(key for entry, key in keys if entry.get("kid") is None),
            self._clock(),
            self._known.asked,
        )


def _header(token: str) -> Mapping[str, Any]:
    parts = token.split(".")
    if len(token) > _LONGEST or len(parts) != 3 or not all(parts):
        raise TokenRefused("it is no signed token")
    try:
        header = json.loads(base64.urlsafe_b64decode(parts[0] + "=" * (-len(parts[0]) % 4)))
    except (ValueError, RecursionError) as error:
        raise TokenRefused("it is no signed token") from error
    if not isinstance(header, dict) or header.get("alg") not in _ALGORITHMS:
        raise TokenRefused("it is not signed with a key of which only one side knows the secret")
    if "crit" in header or "b64" in header or str(header.get("typ", "")).lower() not in _TYPES:
        raise TokenRefused("it asks for something that is not understood here")
    return header


def _read_key(entry: object) -> Any:
    """None for what is no public key to check signatures with."""
    from joserfc.errors import JoseError
    from joserfc.jwk import import_key

    if not isinstance(entry, dict) or entry.get("kty") not in ("RSA", "EC", "OKP"):
        return None
    if entry.get("use", "sig") != "sig" or entry.get("crv") in ("X25519", "X448"):
        return None
    public = {
        name: value
        for name, value in entry.items()
        if name in ("kty", "n", "e", "crv", "x", "y", "kid", "alg")
    }
    try:
        key = import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    if entry["kty"] == "RSA" and len(str(entry.get("n", ""))) * 6 < _LEAST_RSA_BITS:
        return None
    return key


def _fits(key: Any, algorithm: str) -> bool:
    """Whether this kind of key makes such signatures; one that names its algorithm makes no others."""
    kind = {"R": "RSA", "P": "RSA"}.get(algorithm[0]) or ("EC" if algorithm.startswith("ES") else "OKP")
    return bool(key.key_type == kind and key.get("alg", algorithm) == algorithm)


def _moment(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TokenRefused(f"{name} is no time")
    return float(value)


def _fetcher(issuer: str) -> Callable[[str], Fetched]:
    """The provider is one that an admin named, so that it may stand in a private network; but not without HTTPS."""
    is_plain = issuer.startswith("http://")
    limits = FetchLimits(_MOST_BYTES, _SECONDS, lambda _: True, is_plain_allowed=is_plain)
    return lambda url: fetch_json(url, limits)


def check_issuer(issuer: str) -> None:
    """Raises ConfigError."""
    if find_spec("joserfc") is None:
        raise ConfigError(
            "oauth.issuer is set, and the library that reads its tokens is not installed: "
            "pip install 'helix-memory[team]'"
        )
    is_loopback = issuer.startswith(("http://127.0.0.1:", "http://localhost:", "http://[::1]:"))
    if not (issuer.startswith("https://") or is_loopback) or "?" in issuer or "#" in issuer:
        raise ConfigError(
            f"oauth.issuer is {issuer!r}; give the https:// address of your provider, as it names itself"
        )
