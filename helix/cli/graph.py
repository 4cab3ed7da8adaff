"""helix graph: the memories and what leads from one to the other."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.completion import complete_ids
from helix.cli.options import AsOf, Everything, Global, IncludeDeleted, Project, Ref
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import gather, gather_graph, open_verbs, viewpoint_of

_DEEPEST = 3


class Form(StrEnum):
    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"


@reports_errors
def graph(
    context: typer.Context,
    memory_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]", help="Only the memories around this one.", autocompletion=complete_ids
        ),
    ] = None,
    depth: Annotated[int, typer.Option(min=1, max=_DEEPEST, help="With an ID: how many edges away.")] = 1,
    form: Annotated[
        Form, typer.Option("--format", help="For people, or to draw it with another tool.")
    ] = Form.TEXT,
    project: Project = None,
    only_global: Global = False,
    everything: Everything = False,
    include_deleted: IncludeDeleted = False,
    as_of: AsOf = None,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """Show which memories lead to which.

    All that are in sight, or those around one.
    """
    with open_verbs(context, viewpoint_of(context, project, only_global, everything)) as verbs:
        when = {"include_deleted": include_deleted, "as_of": as_of, "ref": ref}
        if memory_id is None:
            answer = gather_graph(partial(verbs.ask, "graph", **when))
        else:
            start = verbs.ask("get", memory_id=memory_id, **{**when, "include_deleted": True})
            around = gather(
                partial(verbs.ask, "neighbors", memory_id=memory_id, depth=depth, **when), "neighbors", None
            )
            answer = _as_graph(start, around["neighbors"])
    if as_json:
        print_json(answer)
    elif form is Form.TEXT:
        _print(answer)
    else:
        out.print({Form.DOT: to_dot, Form.MERMAID: to_mermaid}[form](answer), wrap=False)


def _as_graph(start: dict[str, Any], neighbors: list[dict[str, Any]]) -> dict[str, Any]:
    known = ("id", "title", "kind", "project", "status")
    nodes = [
        {key: memory[key] for key in known if memory.get(key)}
        for memory in (start, *neighbors)
        if memory.get("title")
    ]
    edges = [edge for one in neighbors for edge in (one["edge"], *one.get("more_edges", ()))]
    return {"nodes": nodes, "edges": edges}


def _print(answer: dict[str, Any]) -> None:
    titles = {one["id"]: one["title"] for one in answer["nodes"]}
    alone = 0
    for node in answer["nodes"]:
        leaving = [edge for edge in answer["edges"] if edge["from"] == node["id"]]
        arriving = [edge for edge in answer["edges"] if edge["to"] == node["id"]]
        if not leaving and not arriving:
            alone += 1
            continue
        out.print(f"{node['title']}", style="bold")
        out.print(node["id"], style="dim", indent=2)
        for edge in leaving:
            missing = "nothing answers to " if edge.get("dangling") else ""
            out.print(f"{edge['rel']} → {missing}{titles.get(edge['to'], edge['to'])}", indent=2)
        for edge in arriving:
            out.print(f"{edge['rel']} ← {titles.get(edge['from'], edge['from'])}", indent=2)
    err.print(
        f"{len(answer['nodes'])} memories, {len(answer['edges'])} edges, {alone} memories without any", "dim"
    )


def to_dot(answer: dict[str, Any]) -> str:
    lines = ["digraph helix {", '  node [shape=box, fontname="sans-serif"];']
    lines += [f"  {_quoted(one['id'])} [label={_quoted(one['title'])}];" for one in answer["nodes"]]
    lines += [
        f"  {_quoted(edge['from'])} -> {_quoted(edge['to'])} [label={_quoted(edge['rel'])}];"
        for edge in answer["edges"]
    ]
    return "\n".join([*lines, "}"])


def to_mermaid(answer: dict[str, Any]) -> str:
    ends = (end for one in answer["edges"] for end in (one["from"], one["to"]))
    names = {
        node_id: f"m{number}"
        for number, node_id in enumerate(dict.fromkeys((*(n["id"] for n in answer["nodes"]), *ends)))
    }
    titles = {one["id"]: one["title"] for one in answer["nodes"]}
    # Mermaid ends a label at the first quote, and reads # as the beginning of an entity.
    labels = {one: titles.get(one, one).replace("#", "#35;").replace('"', "#quot;") for one in names}
    lines = ["graph LR"]
    lines += [f'  {name}["{labels[one]}"]' for one, name in names.items()]
    lines += [f"  {names[one['from']]} -->|{one['rel']}| {names[one['to']]}" for one in answer["edges"]]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
