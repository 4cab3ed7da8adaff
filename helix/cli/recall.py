"""helix recall: ask the memories a question."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.options import AsOf, Everything, Global, IncludeDeleted, Kind, Project, Ref, Tag, filters_of
from helix.cli.output import Json, err, out, print_json, reports_errors, shortened
from helix.cli.verbs import gather, open_verbs, standing_of

_LINES = 4
_MOST = 200
"""as many hits as the service can page through"""


@reports_errors
def recall(
    context: typer.Context,
    question: Annotated[
        str,
        typer.Argument(
            help='Words, a question, filters: `tag:auth kind:decision after:2026-06 "exact phrase" -word`.'
        ),
    ],
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help="How many at most.")] = 8,
    project: Project = None,
    only_global: Global = False,
    everything: Everything = False,
    kind: Kind = None,
    tag: Tag = None,
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Read the best ones again with the finer model.")
    ] = False,
    include_deleted: IncludeDeleted = False,
    as_of: AsOf = None,
    ref: Ref = None,
    why: Annotated[bool, typer.Option("--why", help="Show what each score is made of.")] = False,
    as_json: Json = False,
) -> None:
    """Find memories by words and by meaning."""
    with open_verbs(context, standing_of(context, project, only_global, everything)) as verbs:
        ask = partial(
            verbs.recall, question, filters=filters_of(kind=kind, tag=tag), rerank=rerank,
            include_deleted=include_deleted, as_of=as_of, ref=ref,
        )  # fmt: skip
        said = gather(ask, "results", limit)
    if as_json:
        print_json(said)
        return
    for place, one in enumerate(said["results"]):
        if place:
            out.print()
        _print_hit(one, why)
    suggested = said.get("suggestions")
    notices = (
        said.get("note"), said.get("degraded"), suggested and f"did you mean: {', '.join(suggested)}?"
    )  # fmt: skip
    for text in filter(None, notices):
        err.print(text, style="yellow")


def _print_hit(one: dict[str, Any], why: bool) -> None:
    status = "" if one["status"] == "active" else f"  {one['status']}"
    where = f"  {one['project']}" if one.get("project") else ""
    out.parts((one["id"], "bold"), (f"  {one['score']:.2f}{where}{status}", "dim"))
    text = one["text"].splitlines()
    if not text or text[0].strip() != one["title"]:
        out.print(one["title"], indent=2)
    room = None if out.width is None else _LINES * (out.width - 4)
    for line in text[:_LINES]:
        out.print(line if room is None else shortened(line, room), style="dim", indent=2)
    if len(text) > _LINES or one.get("truncated"):
        out.print("…", style="dim", indent=2)
    if why:
        out.print(", ".join(f"{name} {value:+.2f}" for name, value in one["reasons"].items()), indent=2)
