"""The parameters of a request: each at most once, of a size that means something, and of characters that may be."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from helix.oauth.refusal import OAuthRefused

_MOST = 40
_LONGEST = 2000


def parse_parameters(encoded: bytes | str) -> Mapping[str, str]:
    """Of a query or a form. Raises OAuthRefused."""
    text = encoded.decode("latin-1") if isinstance(encoded, bytes) else encoded
    try:
        pairs = parse_qsl(
            text, keep_blank_values=False, strict_parsing=False, max_num_fields=_MOST, errors="strict"
        )
    except ValueError as error:
        raise OAuthRefused("invalid_request", "these are no parameters in UTF-8") from error
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            shown = name if name.isidentifier() and len(name) <= 40 else "a parameter"
            raise OAuthRefused(
                "invalid_target" if name == "resource" else "invalid_request", f"{shown} stands there twice"
            )
        if len(value) > _LONGEST or not (value.isascii() and value.isprintable()):
            shown = name if name.isidentifier() and len(name) <= 40 else "a parameter"
            raise OAuthRefused("invalid_request", f"{shown} is too long, or not of printable ASCII")
        found[name] = value
    return found
