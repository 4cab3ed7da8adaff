"""Programs that ask people to let them in, and to which addresses they may be sent back."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from helix.errors import BadValue

CODE_GRANT, REFRESH_GRANT = "authorization_code", "refresh_token"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_LONGEST = 1000
_MOST = 20
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,60}")
# What a browser does something with itself.
_NEVER = frozenset(
    {"about", "blob", "chrome", "data", "file", "filesystem", "ftp", "intent", "javascript", "mailto", "sms", "tel",
     "vbscript", "view-source", "ws", "wss"}
)  # fmt: skip


@dataclass(frozen=True)
class OAuthClient:
    """A public one: it runs where its user can read it, so that it can keep no secret."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    grants: frozenset[str]
    origin: str
    """`helix`, `command`, `registration` or `document`: how it became known"""
    created: float = 0.0

    # What Authlib asks of a client.

    def get_client_id(self) -> str:
        return self.id

    def get_default_redirect_uri(self) -> str:
        return ""  # it always says where it wants to be sent back to

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return any(is_same_place(registered, redirect_uri) for registered in self.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        return False

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code" and CODE_GRANT in self.grants

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in self.grants


OWN = {
    client.id: client
    for client in (
        OAuthClient("helix-cli", "helix, the command", (), frozenset({DEVICE_GRANT, REFRESH_GRANT}), "helix"),
        OAuthClient("honeycomb", "Honeycomb", (), frozenset({DEVICE_GRANT, REFRESH_GRANT}), "helix"),
    )
}
"""those that are known from the start; none of them can be sent anywhere"""


def check_redirects(addresses: Sequence[object]) -> tuple[str, ...]:
    """Addresses to which a browser may be sent with a code. Raises BadValue."""
    if not addresses or len(addresses) > _MOST:
        raise BadValue(f"a client has 1 to {_MOST} redirect URIs")
    return tuple(_checked(address) for address in addresses)


def _checked(address: object) -> str:
    parts = _parse(address) if isinstance(address, str) else None
    if parts is None or not isinstance(address, str):
        raise BadValue(f"{str(address)[:100]!r} is no redirect URI")
    if parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts)):
        return address
    if parts.scheme == "http":
        raise BadValue(f"{address[:100]!r} is not encrypted; http is for loopback alone")
    if parts.scheme in _NEVER or not _SCHEME.fullmatch(parts.scheme):
        raise BadValue(f"{address[:100]!r}: a browser must not be sent to a URI of this kind")
    return address


def is_same_place(registered: str, asked: str) -> bool:
    """To the letter; but a program on the user's machine takes whichever port is free."""
    if registered == asked:
        return True
    known, wanted = _parse(registered), _parse(asked)
    if known is None or wanted is None or not (_is_loopback(known) and known.scheme == "http"):
        return False
    return _without_port(known) == _without_port(wanted) and wanted.netloc in _ports_of(wanted)


def _parse(address: str) -> SplitResult | None:
    if len(address) > _LONGEST or not (address.isascii() and address.isprintable()):
        return None
    if any(character in address for character in " \\\"'<>`{}|^#;,"):
        return None
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    if (
        not parts.scheme
        or address.split(":")[0] != parts.scheme
        or "@" in parts.netloc
        or "*" in parts.netloc
    ):
        return None
    if parts.scheme in ("http", "https") and not parts.hostname:
        return None
    if any(step in (".", "..") for step in parts.path.split("/")):
        return None
    return parts


def _is_loopback(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _without_port(parts: SplitResult) -> tuple[str, str | None, str, str]:
    return parts.scheme, parts.hostname, parts.path, parts.query


def _ports_of(parts: SplitResult) -> frozenset[str]:
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    return frozenset({shown, f"{shown}:{parts.port}"})
