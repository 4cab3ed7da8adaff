"""What can be browsed: the graph of the memories, and what an export of them would hold."""

from __future__ import annotations

from collections.abc import Mapping

from helix.dialects.ask import ask
from helix.dialects.dialect import Resource
from helix.errors import BadValue
from helix.memory.request import Request
from helix.memory.tokens import Payload

_PAGE = 4000


def _graph(request: Request, given: Mapping[str, str]) -> Payload:
    where = {name: given[name] for name in ("scope", "cursor") if name in given}
    return ask(request, "graph", max_tokens=_page(given), **where)


def _manifest(request: Request, given: Mapping[str, str]) -> Payload:
    return ask(request, "strand_manifest", max_tokens=_page(given), cursor=given.get("cursor"))


def _page(given: Mapping[str, str]) -> int:
    wanted = given.get("max_tokens", str(_PAGE))
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
