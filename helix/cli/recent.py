"""helix recent: the memories, last changed first."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.options import (
    AsOf,
    Everything,
    Global,
    IncludeDeleted,
    Kind,
    Project,
    Ref,
    Tag,
    Unfiled,
    filters_of,
)
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import gather, open_verbs, viewpoint_of


@reports_errors
def recent(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    project: Project = None,
    only_global: Global = False,
    everything: Everything = False,
    unfiled: Unfiled = False,
    kind: Kind = None,
    tag: Tag = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only what changed since then.")] = None,
    include_deleted: IncludeDeleted = False,
    as_of: AsOf = None,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """List the memories, last changed first."""
    with open_verbs(context, viewpoint_of(context, project, only_global, everything)) as verbs:
        filters = filters_of(kind=kind, tag=tag, unfiled="true" if unfiled else None)
        ask = partial(
            verbs.ask, "recent", filters=filters, since=since, include_deleted=include_deleted, as_of=as_of, ref=ref,
        )  # fmt: skip
        answer = gather(ask, "results", limit)
    if as_json:
        print_json(answer)
        return
    for memory in answer["results"]:
        _print(memory)
    if not answer["results"]:
        err.print("nothing is unfiled" if unfiled else "no memories; `helix remember TEXT` writes one")
    elif unfiled and out.is_terminal:
        err.print("`helix file ID... --project NAME` files them", style="dim")
    if answer["truncated"]:
        err.print(f"… and more; `--limit {limit * 5}` shows more of them", style="dim")


def _print(memory: dict[str, Any]) -> None:
    """Two lines for a person; one line in a pipe, where `grep` and `cut` read it."""
    day = (memory.get("updated") or memory.get("created") or "")[:10]
    status = "" if memory["status"] == "active" else memory["status"]
    facts = "  ".join(filter(None, (day, memory["kind"], memory.get("project"), status)))
    if out.is_terminal:
        out.parts((memory["id"], "bold"), (f"  {facts}", "dim"))
        out.print(memory["title"], indent=2)
    else:
        project = memory.get("project") or ""
        fields = (memory["id"], day, memory["kind"], project, memory["status"], memory["title"])
        out.print("\t".join(fields))
