"""Memories that cite code which has gone: `code:path::symbol` in their text, and no such symbol in its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from helix.code_graph.graph_store import CodeGraph
from helix.errors import HelixError
from helix.memory.reading.search import ask
from helix.memory.reading.view import Row, View
from helix.memory.request import Request

_CITED = re.compile(r"\bcode:([^\s`\"'<>()\[\]]{1,300}?)::([\w.$~]{1,200})")
_MOST = 200
"""memories that are looked at"""


class StaleCitation(NamedTuple):
    row: Row
    cited: str
    line: int
    reason: str


def stale_citations(request: Request, view: View) -> Iterator[StaleCitation]:
    graphs = list(_graphs(request))
    if not graphs:
        return
    try:
        hits = ask(view, '"code:"', place=request.place, scope="all", limit=_MOST).hits
    except HelixError:  # search is still starting
        return
    for hit in hits:
        row, note = view.find_row(hit.memory_id), view.find(hit.memory_id)
        if row is None or note is None or row.status != "active":
            continue
        for found in _CITED.finditer(note.memory.body):
            path, symbol = found[1], found[2].rstrip(".")
            if (reason := _why_stale(graphs, path, symbol)) is not None:
                line = note.memory.body.count("\n", 0, found.start()) + 1
                yield StaleCitation(row, f"code:{path}::{symbol}", line, reason)


def _graphs(request: Request) -> Iterator[CodeGraph]:
    """Of the sources that are seen, and known as they are now."""
    own = request.sources()
    for source in own.seen():
        try:
            if own.health(source, 0).state == "ready":
                yield own.sources.graph(source)
        except HelixError:  # code is not parsed on this machine
            return


def _why_stale(graphs: list[CodeGraph], path: str, symbol: str) -> str | None:
    """None for what is there, and for what is in no source that is connected."""
    container, _, name = symbol.rpartition(".")
    beside = False
    for graph in graphs:
        if graph.has_file(path):
            symbols = graph.symbols("f.path = ? AND s.name = ?", path, name)
            is_there = any(
                not container or known.container == container.rpartition(".")[2] for known in symbols
            )
            return None if is_there else f"{path} has no {symbol} any more"
        beside = beside or graph.has_files_beside(path)
    return f"there is no {path} any more" if beside else None
