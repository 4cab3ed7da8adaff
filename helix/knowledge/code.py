"""code_find, code_impact, code_neighborhood, code_tour: what the code of the sources says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from helix.code_graph import queries
from helix.code_graph.graph_store import CodeGraph, KnownSymbol
from helix.errors import BadValue, HelixError, SymbolNotFound
from helix.knowledge.code_answers import (
    AffectedCode,
    CitingMemory,
    CodeImpact,
    CodeNeighbor,
    CodeNeighborhood,
    CodeSymbol,
    CodeSymbols,
    CodeTour,
    TourStop,
)
from helix.memory.arguments import check_limit
from helix.memory.budget import fit_page
from helix.memory.reading.search import ask
from helix.memory.request import Request, verb
from helix.sources.source import SourceFolder

_MOST = 500
_NAMED = 10
Item = TypeVar("Item", bound=Mapping[str, Any])
_Graphs = list[tuple[SourceFolder, CodeGraph]]


@verb("code_find")
def code_find(
    request: Request, *, symbol: str, source: str | None = None, limit: int = 25, max_tokens: int = 2000
) -> CodeSymbols:
    check_limit(limit, _MOST)
    found = [
        _symbol(folder, known)
        for folder, graph in _graphs(request, source)
        for known in queries.find(graph, _named(symbol), limit)
    ]
    return cast(CodeSymbols, _fitted(request, {}, "symbols", found, limit, max_tokens))


@verb("code_impact")
def code_impact(
    request: Request,
    *,
    symbol: str,
    source: str | None = None,
    depth: int = 3,
    limit: int = 100,
    max_tokens: int = 4000,
) -> CodeImpact:
    check_limit(limit, _MOST)
    if not 1 <= depth <= queries.DEEPEST:
        raise BadValue(f"depth is {depth}; give a number from 1 to {queries.DEEPEST}")
    meant: list[CodeSymbol] = []
    affected: list[AffectedCode] = []
    memories: list[CitingMemory] = []
    for folder, graph, start in _meant(request, symbol, source):
        meant += [_symbol(folder, known) for known in start]
        affected += [_affected(folder, node) for node in queries.impact(graph, start, depth)]
        memories += [found for known in start for found in _citing(request, known) if found not in memories]
    affected.sort(key=lambda node: node["distance"])
    head = {
        "symbols": meant,
        "total": len(affected),
        "tests": sum(node.get("test", False) for node in affected),
        "memories": memories,
    }
    return cast(CodeImpact, _fitted(request, head, "affected", affected, limit, max_tokens))


@verb("code_neighborhood")
def code_neighborhood(
    request: Request, *, symbol: str, source: str | None = None, limit: int = 50, max_tokens: int = 3000
) -> CodeNeighborhood:
    check_limit(limit, _MOST)
    meant: list[CodeSymbol] = []
    neighbors: list[CodeNeighbor] = []
    for folder, graph, start in _meant(request, symbol, source, files_too=True):
        meant += [_symbol(folder, known) for known in start[:_NAMED]]
        neighbors += [_neighbor(folder, found) for found in queries.neighborhood(graph, start, _MOST)]
    return cast(
        CodeNeighborhood, _fitted(request, {"symbols": meant}, "neighbors", neighbors, limit, max_tokens)
    )


@verb("code_tour")
def code_tour(
    request: Request, *, source: str | None = None, limit: int = 100, max_tokens: int = 3000
) -> CodeTour:
    check_limit(limit, _MOST)
    graphs = _graphs(request, source)
    if len(graphs) > 1:
        names = ", ".join(folder.name for folder, _ in graphs)
        raise BadValue(f"say with source which is meant: {names}")
    [(folder, graph)] = graphs
    stops = queries.tour(graph)
    shown_stops: list[TourStop] = [
        {
            "path": stop.file.path,
            "lines": stop.file.lines,
            "imported_by": stop.imported_by,
            "symbols": [known.name for known in stop.symbols[:_NAMED]],
        }
        for stop in stops
    ]
    head = {"source": folder.name, "files": len(stops)}
    return cast(CodeTour, _fitted(request, head, "stops", shown_stops, limit, max_tokens))


def _graphs(request: Request, source: str | None) -> _Graphs:
    own = request.sources()
    folders = own.seen() if source is None else [own.get(source)]
    if not folders:
        raise BadValue("no source is connected here; `helix source connect FOLDER` connects one")
    own.sources.catch_up(folders)
    return [(folder, own.sources.graph(folder)) for folder in folders]


def _meant(
    request: Request, symbol: str, source: str | None, *, files_too: bool = False
) -> list[tuple[SourceFolder, CodeGraph, list[KnownSymbol]]]:
    pattern = _named(symbol)
    found = []
    for folder, graph in _graphs(request, source):
        start = graph.symbols("f.path = ? ORDER BY s.first", pattern) if files_too else []
        start = start or queries.seeds(graph, pattern)
        if start:
            found.append((folder, graph, start))
    if not found:
        raise SymbolNotFound(
            f"there is no symbol {pattern[:100]!r} in the sources; `helix code find` looks for parts"
        )
    return found


def _named(symbol: str) -> str:
    name = symbol.strip().removeprefix("code:").removesuffix("()")
    if not name:
        raise BadValue("name a symbol, such as Gateway.retry")
    return name


def _citing(request: Request, known: KnownSymbol) -> list[CitingMemory]:
    names = dict.fromkeys([f"{known.path}::{known.qualified}", f"{known.path}::{known.name}"])
    found: dict[str, CitingMemory] = {}
    for name in names:
        phrase = f'"code:{name}"' if '"' not in name else ""
        try:
            hits = (
                ask(request.view(), phrase, place=request.place, scope="all", limit=20).hits if phrase else []
            )
        except HelixError:  # search is still starting
            return []
        for row in request.view().find_rows([hit.memory_id for hit in hits]).values():
            found[row.id] = {"id": row.id, "title": row.title}
    return list(found.values())


def _symbol(folder: SourceFolder, known: KnownSymbol) -> CodeSymbol:
    answer: CodeSymbol = {
        "name": known.qualified,
        "kind": known.kind,
        "source": folder.name,
        "path": known.path,
        "line": known.first,
        "end_line": known.last,
    }
    if known.is_test:
        answer["test"] = True
    return answer


def _affected(folder: SourceFolder, node: queries.Affected) -> AffectedCode:
    answer: AffectedCode = {
        "distance": node.distance,
        "relation": cast(Any, node.relation),
        "source": folder.name,
        "path": node.path,
        "symbol": None if node.symbol is None else node.symbol.qualified,
        "line": node.line,
        "via": node.via,
    }
    if node.is_test:
        answer["test"] = True
    if not node.is_sure:
        answer["likely"] = True
    return answer


def _neighbor(folder: SourceFolder, found: queries.Neighbour) -> CodeNeighbor:
    return {
        "symbol": found.symbol.qualified,
        "relation": cast(Any, found.relation),
        "direction": "out" if found.is_outgoing else "in",
        "other": None if found.other is None else found.other.qualified,
        "source": folder.name,
        "path": found.path,
        "line": found.line,
    }


def _fitted(
    request: Request, head: Mapping[str, Any], key: str, items: Sequence[Item], limit: int, max_tokens: int
) -> dict[str, Any]:
    """As many as fit. Nothing of it is kept for a next page, for a listing outlives the source that it speaks of."""
    listing = request.cursors.start(f"code-{key}", [*items], None)

    def build(begun: Mapping[str, Any], shown: Sequence[Item], end: Any) -> dict[str, Any]:
        return {**begun, key: list(shown), **end}

    render: Callable[[Any], Any] = dict
    page = fit_page(head, listing, render, cast(Any, build), limit, request.budget(max_tokens))
    return {**page, "next_cursor": None}
