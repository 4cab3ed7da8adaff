"""The table of the verbs about code."""

from __future__ import annotations

from typing import Annotated

from helix.memory.size_limits import LEAST_TOKENS, MOST_TOKENS
from helix.memory.verbs.verb import About, Asks, Route, Verb

SymbolName = Annotated[
    str,
    About("`retry`, `Gateway.retry` or `src/pay.py::Gateway.retry`.", longest=500, example="Gateway.retry"),
]
InSource = Annotated[str | None, About("Only in this source, by its id or its name.", longest=200)]
CodeTokens = Annotated[
    int, About("The whole answer fits in so many tokens.", least=LEAST_TOKENS, most=MOST_TOKENS)
]
CodeLimit = Annotated[int, About(least=1, most=500)]


class CodeFindRequest(Asks):
    symbol: SymbolName
    source: InSource = None
    limit: CodeLimit = 25
    max_tokens: CodeTokens = 2000


class CodeImpactRequest(Asks):
    symbol: SymbolName
    source: InSource = None
    depth: Annotated[int, About("How far it is followed.", least=1, most=5)] = 3
    limit: CodeLimit = 100
    max_tokens: CodeTokens = 4000


class CodeNeighborhoodRequest(Asks):
    symbol: Annotated[str, About("A symbol, or the path of a file.", longest=500, example="src/pay.py")]
    source: InSource = None
    limit: CodeLimit = 50
    max_tokens: CodeTokens = 3000


class CodeTourRequest(Asks):
    source: Annotated[str | None, About("Needed when there are several.", longest=200)] = None
    limit: CodeLimit = 100
    max_tokens: CodeTokens = 3000


_ANSWERS = "helix.knowledge.code_answers:"
_RUN = "knowledge.code:"

CODE = (
    Verb(
        "code_find", CodeFindRequest, f"{_ANSWERS}CodeSymbols", run=f"{_RUN}code_find", permission="recall",
        route=Route("GET", "/code/find", "find_symbol", "code", errors=(404,)),
        command="code", sdk="code.find",
        about="Where a symbol is defined, in the sources: the exact name first, then what begins with it or holds it.",
    ),
    Verb(
        "code_impact", CodeImpactRequest, f"{_ANSWERS}CodeImpact", run=f"{_RUN}code_impact", permission="recall",
        route=Route("GET", "/code/impact", "symbol_impact", "code", errors=(404,)),
        command="code", sdk="code.impact",
        about="What changing a symbol may break: callers, importers, tests and memories that cite it, by distance.",
    ),
    Verb(
        "code_neighborhood", CodeNeighborhoodRequest, f"{_ANSWERS}CodeNeighborhood",
        run=f"{_RUN}code_neighborhood", permission="recall",
        route=Route("GET", "/code/neighborhood", "symbol_neighborhood", "code", errors=(404,)),
        command="code", sdk="code.neighborhood",
        about="What stands beside a symbol, or the symbols of a file: who mentions it, and what it mentions.",
    ),
    Verb(
        "code_tour", CodeTourRequest, f"{_ANSWERS}CodeTour", run=f"{_RUN}code_tour", permission="recall",
        route=Route("GET", "/code/tour", "code_tour", "code", errors=(404,)),
        command="code", sdk="code.tour",
        about="In which order to read a repository: what others stand on first, as far as a budget goes.",
    ),
)  # fmt: skip
