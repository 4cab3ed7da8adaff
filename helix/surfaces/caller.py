"""Who asks: what the shim, or any client that cares to, says of itself in headers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from helix.memory.tokens import clean
from helix.memory.view import Caller

PROJECT, SESSION, CLIENT = "helix-project", "helix-session", "helix-client"
_LONGEST = 200


def caller_of(headers: Mapping[str, str]) -> Caller:
    """From headers with names in lower case. Values are percent-encoded UTF-8, since a header is Latin-1."""
    return Caller(_said(headers, PROJECT), _said(headers, SESSION), _said(headers, CLIENT))


def _said(headers: Mapping[str, str], name: str) -> str | None:
    text = " ".join(clean(unquote(headers.get(name, ""))).split())[:_LONGEST]
    return text or None
