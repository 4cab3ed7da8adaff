"""helix recall: ask the memories a question."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.options import AsOf, Everything, Global, IncludeDeleted, Kind, Project, Ref, Tag, filters_of
from helix.cli.output import Json, err, out, print_json, reports_errors, shortened
from helix.cli.verbs import gather, open_verbs, viewpoint_of

_LINES = 4
_SHOWN = 8
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
    limit: Annotated[
        int | None,
        typer.Option(min=1, max=_MOST, help="How many at most. Default: 8, and 2 when nothing fits well."),
    ] = None,
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
    with open_verbs(context, viewpoint_of(context, project, only_global, everything)) as verbs:
        ask = partial(
            verbs.ask, "search", query=question, filters=filters_of(kind=kind, tag=tag), rerank=rerank,
            include_deleted=include_deleted, as_of=as_of, ref=ref,
        )  # fmt: skip
        answer = gather(ask, "results", limit or _SHOWN, lambda page: limit is None and _nothing_fits(page))
    if as_json:
        print_json(answer)
        return
    nothing_fits = _nothing_fits(answer)
    if nothing_fits:  # before what is merely near: who reads on knows what it is
        err.print(answer["note"], style="yellow")
    for position, hit in enumerate(answer["results"]):
        if position:
            out.print()
        _print_hit(hit, why)
    suggested = answer.get("suggestions")
    notices = (
        None if nothing_fits else answer.get("note"),
        answer.get("degraded"),
        suggested and f"did you mean: {', '.join(suggested)}?",
    )
    for text in filter(None, notices):
        err.print(text, style="yellow")
    if nothing_fits and answer["truncated"]:
        err.print(f"`--limit {_SHOWN}` shows more of what is near", style="dim")


def _nothing_fits(answer: dict[str, Any]) -> bool:
    return any(one.get("nearest") for one in answer["results"])


def _print_hit(hit: dict[str, Any], why: bool) -> None:
    status = "" if hit["status"] == "active" else f"  {hit['status']}"
    where = f"  {hit['project']}" if hit.get("project") else ""
    out.parts((hit["id"], "bold"), (f"  {hit['score']:.2f}{where}{status}", "dim"))
    text = hit["text"].splitlines()
    if not text or text[0].strip() != hit["title"]:
        out.print(hit["title"], indent=2)
    room = None if out.width is None else _LINES * (out.width - 4)
    for line in text[:_LINES]:
        out.print(line if room is None else shortened(line, room), style="dim", indent=2)
    if len(text) > _LINES or hit.get("truncated"):
        out.print("…", style="dim", indent=2)
    if hit.get("citation"):
        out.print(hit["citation"], style="cyan", indent=2, wrap=False)
    if why:
        out.print(", ".join(f"{name} {value:+.2f}" for name, value in hit["reasons"].items()), indent=2)
