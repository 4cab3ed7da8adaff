"""Tools over the sources and their code, for agents that ask for them: each is a verb, with a choice of its fields."""

from __future__ import annotations

from typing import Any

from helix.dialects.ask import ask
from helix.dialects.dialect import Arguments, Run, Tool
from helix.dialects.schema import takes, whole_answer
from helix.memory.request import Request
from helix.memory.tokens import Payload

_TOKENS = {"maximum": 25_000}  # what is longer a host cuts


def _asking(verb_name: str) -> Run:
    def run(request: Request, arguments: Arguments) -> Payload:
        return ask(request, verb_name, **arguments)

    return run


def _tool(name: str, verb_name: str, about: str, **fields: dict[str, Any]) -> Tool:
    return Tool(
        name, name.replace("_", ".", 1), about, takes(verb_name, **fields), _asking(verb_name),
        whole_answer(verb_name), uses_search=False,
    )  # fmt: skip


def knowledge_tools() -> tuple[Tool, ...]:
    found: dict[str, dict[str, Any]] = {"source": {}, "limit": {}, "max_tokens": _TOKENS}
    return (
        _tool("code_find", "code_find", "Where a symbol is defined, in connected repositories.", symbol={}, **found),
        _tool("code_impact", "code_impact",
              "Before changing a symbol: its callers, importers, tests and memories, by distance.",
              symbol={}, depth={}, **found),
        _tool("code_neighborhood", "code_neighborhood",
              "Who mentions a symbol or the symbols of a file, and what they mention.", symbol={}, **found),
        _tool("code_tour", "code_tour", "In which order to read a repository that you do not know.", **found),
        _tool("source_list", "sources",
              "The connected folders. memory_search with lane:source in its query looks into them.",
              limit={}, cursor={}, max_tokens=_TOKENS),
    )  # fmt: skip
