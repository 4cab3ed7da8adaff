"""For which part of this server a token is good: the `resource` of RFC 8707, and whether a request is below it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

METADATA = "/.well-known/oauth-protected-resource"
_LONGEST = 500
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Audience:
    """Of one daemon. `base` is its address, which is also who issues its tokens; `names` are its `Host` headers."""

    base: str
    names: frozenset[str]

    def canonical(self, resource: str) -> str | None:
        """The resource as it is kept: under the one address of this daemon. None for what is not of this daemon."""
        if len(resource) > _LONGEST or not (resource.isascii() and resource.isprintable()) or " " in resource:
            return None
        try:
            parts = urlsplit(resource)
            port = parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:
            return None
        if parts.scheme not in self._schemes or parts.query or "#" in resource or "?" in resource:
            return None
        if "@" in parts.netloc or not parts.hostname:
            return None
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        if not {f"{host}:{port}", *([host] if port == _PORTS[parts.scheme] else [])} & self.names:
            return None
        path = parts.path.rstrip("/")
        if "%" in path or "\\" in path or any(step in ("", ".", "..") for step in path.split("/")[1:]):
            return None
        return self.base + path

    def covers(self, resource: str, path: str) -> bool:
        """Whether a token for this resource opens this path of ours: the resource itself, and what is below it."""
        wanted = self.base + path.rstrip("/")
        return wanted == resource or wanted.startswith(f"{resource}/")

    def metadata_url(self, path: str) -> str:
        """Where it is said how to log in to what is at this path: by itself for MCP, else for the whole server."""
        return f"{self.base}{METADATA}{path if is_of_mcp(path) else ''}"

    @property
    def _schemes(self) -> frozenset[str]:
        # A client on this machine may come round the proxy whose address we go by.
        return frozenset({urlsplit(self.base).scheme})


def is_of_mcp(path: str) -> bool:
    steps = path.split("/")
    inside = steps[3:] if steps[1:2] == ["w"] else steps[1:]
    return inside[:1] == ["mcp"]


def audience_of(base: str, names: Iterable[str]) -> Audience:
    return Audience(base.rstrip("/"), frozenset(names))
