"""What the daemon of this release answers whatever is in its vault, from files that are made from the daemon's
own answers (`make docs`): one for each dialect, and for each further set of tools."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from helix_mcp.message import Message

_FOLDER = "known_answers"
_DEFAULT = "helix"
_META = "io.modelcontextprotocol/"


class KnownAnswers:
    def __init__(self, dialect: str, *, dotted: bool = False, tools: str = "") -> None:
        """Empty for a dialect or a set of tools that is not known: the daemon says that there is none."""
        name = "-".join(part for part in (dialect or _DEFAULT, tools) if part)
        try:
            with open(os.path.join(os.path.dirname(__file__), _FOLDER, f"{name}.json"), "rb") as file:
                known = json.load(file)
        except (OSError, ValueError):  # also of an installation that is not whole: the daemon is asked
            known = {}
        self._versions: list[str] = known.get("handshake_versions", [])
        self._latest: str = known.get("latest_handshake_version", "")
        self._eras: dict[str, Any] = known.get("eras", {})
        self._dotted = dotted

    def find(self, message: Message) -> dict[str, Any] | None:
        """The result of a request; None when only the daemon knows it, or has to say what is wrong with it."""
        era = self._eras.get(message.version or "handshake", {})
        result = era.get(message.method)
        if result is None:
            return None
        if message.method == "initialize":
            return {**result, "protocolVersion": self._negotiated(message)} if _is_opening(message) else None
        if set(message.params) - {"_meta"} or (message.version and not _is_complete(message)):
            return None
        if message.method == "tools/list" and self._dotted:
            return {**result, "tools": [{**tool, "name": tool["title"]} for tool in result["tools"]]}
        return dict(result)

    def _negotiated(self, opening: Message) -> str:
        wanted = str(opening.params["protocolVersion"])
        return wanted if wanted in self._versions else self._latest


def _is_opening(message: Message) -> bool:
    version, capabilities = message.params.get("protocolVersion"), message.params.get("capabilities")
    return isinstance(version, str) and isinstance(capabilities, dict) and _is_client(message.params, "")


def _is_complete(message: Message) -> bool:
    """Whether it says of itself what every request has to say since 2026-07-28."""
    meta = message.params["_meta"]
    return isinstance(meta.get(f"{_META}clientCapabilities"), dict) and _is_client(meta, _META)


def _is_client(fields: dict[str, Any], prefix: str) -> bool:
    client = fields.get(f"{prefix}clientInfo")
    return isinstance(client, dict) and all(isinstance(client.get(name), str) for name in ("name", "version"))
