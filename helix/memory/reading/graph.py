"""The memories as a graph: typed edges from the frontmatter, wikilinks from the text, both ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, TypeGuard

from helix.errors import BadValue
from helix.memory import answers
from helix.memory.arguments import check_limit
from helix.memory.budget import NO_HEAD
from helix.memory.place import reaches
from helix.memory.reading.link_graph import Edge, Links
from helix.memory.reading.search import check_scope
from helix.memory.reading.view import NOW, Row, View, When
from helix.memory.request import Request, verb
from helix.memory.size_limits import DEEPEST, MOST_NODES


class _Part(TypedDict):
    """A node or a link."""


@verb("graph")
def graph(
    request: Request,
    *,
    scope: str = "project",
    project: str | None = None,
    include_deleted: bool = False,
    limit: int = MOST_NODES,
    max_tokens: int = 4000,
    cursor: str | None = None,
    when: When = NOW,
) -> answers.Graph:
    """Nodes and edges, paged: each node comes before the edges that leave it."""
    check_limit(limit, MOST_NODES)

    def entries(view: View) -> list[list[Any]]:
        seen = view.rows(reaches(check_scope(scope), request.place), include_hidden=include_deleted)
        kept = {row.id for row in seen if project is None or row.project == project}
        links = view.links()
        leaving: dict[str, list[Edge]] = {}
        for edge in links.edges:
            # An edge to what the asker may not see would tell of it.
            if edge.source in kept and (edge.target in kept or edge.is_dangling):
                leaving.setdefault(edge.source, []).append(edge)
        listed: list[list[Any]] = []
        for memory_id in sorted(kept):
            listed.append([memory_id, include_deleted])
            listed += [
                [memory_id, edge.rel, edge.target, edge.is_dangling, include_deleted]
                for edge in leaving.get(memory_id, ())
            ]
        return listed

    view, listing = request.listed("graph", request.view(when), cursor, entries)

    def render(entry: list[Any]) -> _Part | None:
        *named, hidden_too = entry
        row = _shown(view, named[0], hidden_too)
        if row is None or len(named) == 1:
            return None if row is None else node(row)
        edge = Edge(*named)
        there = edge.is_dangling or _shown(view, edge.target, hidden_too) is not None
        return edge.to_dict() if there else None

    return request.page(
        "graph", listing, render, _nodes_and_edges, head=NO_HEAD, limit=limit, max_tokens=max_tokens
    )


@verb("neighbors")
def neighbors(
    request: Request,
    memory_id: str,
    *,
    depth: int = 1,
    include_deleted: bool = False,
    limit: int = 25,
    max_tokens: int = 2000,
    cursor: str | None = None,
    when: When = NOW,
) -> answers.Neighbors:
    """The memories around one, nearest first, each with the edge that led to it, and with further ones that do."""
    if not 1 <= depth <= DEEPEST:
        raise BadValue(f"depth is {depth}; give 1, 2 or {DEEPEST}")
    check_limit(limit)

    def entries(view: View) -> list[list[Any]]:
        start = view.row(memory_id).id
        links = view.links()
        hidden = {row.id for row in links.rows.values() if row.status != "active" and not include_deleted}
        return [[*one, include_deleted] for one in _around(links, start, depth, hidden)]

    view, listing = request.listed("neighbors", request.view(when), cursor, entries)

    def render(entry: list[Any]) -> answers.Neighbor | None:
        there, distance, edges, hidden_too = entry
        edge, *more = [Edge(*one) for one in edges]
        row = _shown(view, there, hidden_too)
        if row is None and not edge.is_dangling:
            return None
        known: answers.NodeAsKnown = {"id": there} if row is None else {**node(row)}
        way: answers.WayThere = {"distance": distance, "edge": edge.to_dict()}
        if more:
            way["more_edges"] = [further.to_dict() for further in more]
        return {**known, **way}

    return request.page(
        "neighbors",
        listing,
        render,
        lambda _, items, end: answers.Neighbors({"neighbors": list(items), **end}),
        head=NO_HEAD,
        limit=limit,
        max_tokens=max_tokens,
    )


def node(row: Row) -> answers.Node:
    shown: answers.Node = {"id": row.id, "title": row.title, "kind": row.kind}
    if row.project:
        shown["project"] = row.project
    if row.status != "active":
        shown["status"] = row.status
    return shown


def _shown(view: View, memory_id: str, hidden_too: bool) -> Row | None:
    """A memory as it is now; None when it was forgotten since it was listed."""
    row = view.find_row(memory_id)
    return row if row is not None and (hidden_too or row.status == "active") else None


def _around(links: Links, start: str, depth: int, hidden: set[str]) -> list[list[Any]]:
    touching: dict[str, list[Edge]] = {}
    for edge in links.edges:
        touching.setdefault(edge.source, []).append(edge)
        if not edge.is_dangling:
            touching.setdefault(edge.target, []).append(edge)
    reached, ring = {start}, [start]
    found: list[list[Any]] = []
    for distance in range(1, depth + 1):
        outside: dict[str, list[list[Any]]] = {}
        for here in ring:
            for edge in sorted(touching.get(here, ()), key=lambda edge: (edge.rel, edge.source, edge.target)):
                there = edge.target if edge.source == here else edge.source
                if there not in reached and there not in hidden:
                    outside.setdefault(there, []).append(
                        [edge.source, edge.rel, edge.target, edge.is_dangling]
                    )
        found += [[there, distance, edges] for there, edges in outside.items()]
        ring = list(outside)
        reached.update(ring)
    return found


def _nodes_and_edges(_: object, items: Sequence[_Part], end: answers.Page) -> answers.Graph:
    return {
        "nodes": [item for item in items if _is_node(item)],
        "edges": [item for item in items if _is_link(item)],
        **end,
    }


def _is_node(item: _Part) -> TypeGuard[answers.Node]:
    return "id" in item


def _is_link(item: _Part) -> TypeGuard[answers.Link]:
    return "rel" in item
