"""helix context: what an agent should read before a task."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.options import AsOf, Everything, Global, Kind, Project, Ref, Tag, filters_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import open_verbs, viewpoint_of


@reports_errors
def context(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="What is about to be done.")],
    max_tokens: Annotated[int, typer.Option(min=64, max=200_000, help="The pack fits in so many.")] = 4000,
    project: Project = None,
    only_global: Global = False,
    everything: Everything = False,
    kind: Kind = None,
    tag: Tag = None,
    detailed: Annotated[
        bool, typer.Option("--detailed", help="Also project, tags, provenance and score of each.")
    ] = False,
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Read the best ones again with the finer model.")
    ] = False,
    as_of: AsOf = None,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """Print the memories that a task needs, packed for an agent.

    Grouped, cited and fenced as data; the same vault and the same task give the same pack.
    """
    with open_verbs(context, viewpoint_of(context, project, only_global, everything)) as verbs:
        pack = verbs.ask(
            "context", task=task, filters=filters_of(kind=kind, tag=tag), max_tokens=max_tokens, rerank=rerank,
            as_of=as_of, ref=ref, response_format="detailed" if detailed else "concise",
        )  # fmt: skip
    if as_json:
        print_json(pack)
        return
    if pack["context"]:
        out.print(pack["context"].rstrip("\n"))
    err.print(
        f"{pack['tokens_used']} tokens, {len(pack['citations'])} memories, {pack['dropped']} left out", "dim"
    )
    for text in filter(None, (pack.get("note"), pack.get("degraded"))):
        err.print(text, style="yellow")
