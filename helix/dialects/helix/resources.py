"""What can be browsed: the graph of the memories, and what an export of them would hold."""

from __future__ import annotations

from collections.abc import Mapping

from helix.dialects.dialect import Resource
from helix.errors import BadValue
from helix.memory.reading.view import Caller
from helix.memory.service import Service
from helix.memory.tokens import Payload

_PAGE = 4000


def _graph(service: Service, caller: Caller, said: Mapping[str, str]) -> Payload:
    return service.graph(
        caller=caller,
        scope=said.get("scope", "project"),
        max_tokens=_page(said),
        cursor=said.get("cursor"),
    )


def _manifest(service: Service, caller: Caller, said: Mapping[str, str]) -> Payload:
    return service.strand_manifest(cursor=said.get("cursor"), max_tokens=_page(said))


def _page(said: Mapping[str, str]) -> int:
    wanted = said.get("max_tokens", str(_PAGE))
    if not wanted.isdecimal() or len(wanted) > 9:
        raise BadValue(f"max_tokens is {wanted[:40]!r}; give a number such as {_PAGE}")
    return int(wanted)


RESOURCES = (
    Resource(
        "helix://graph",
        "graph",
        "Memory graph",
        f"Memories and their typed edges, in pages of {_PAGE} tokens; next_cursor leads on.",
        _graph,
        ("cursor", "max_tokens", "scope"),
    ),
    Resource(
        "helix://strand/manifest",
        "strand-manifest",
        "Strand manifest",
        "What an export of this vault would hold: memories, schema version, embedding model.",
        _manifest,
        ("cursor", "max_tokens"),
    ),
)
