"""helix consolidate and conflicts: what could be tidied in the store, and what needs a person."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.cli.verbs import gather, open_verbs


@reports_errors
def consolidate(
    context: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[PROPOSAL]...", help="Do these, and nothing else.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    as_json: Json = False,
) -> None:
    """Find what could be tidied, and tidy what is certain.

    Duplicates, contradictions, what is out of date. Only exact doubles are dealt with unasked, and every step can be
    undone.
    """
    with open_verbs(context, writes=not dry_run) as verbs, progress_bar("looking") as progress:
        answer = verbs.consolidate(dry_run=dry_run, only=ids or (), progress=progress)
    if as_json:
        print_json(answer)
        return
    for name, label in (("applied", "done"), ("proposals", "proposed")):
        for proposal in answer[name]:
            target = f" by {proposal['other']}" if proposal["action"] == "supersede" else ""
            action = (
                "" if proposal["action"] == "none" else f": {proposal['action']} {proposal['memory']}{target}"
            )
            out.print(f"{label}  {proposal['id']}{action}")
            out.print(f"{proposal['memory']}: {proposal['reason']}", style="dim", indent=4)
    if not answer["applied"] and not answer["proposals"]:
        err.print("nothing to tidy")
    elif answer["proposals"]:
        err.print("`helix consolidate PROPOSAL` does what is only proposed; every step can be undone")


@reports_errors
def conflicts(context: typer.Context, as_json: Json = False) -> None:
    """List what needs a person: files not read or merged."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "conflicts"), "conflicts", None)
    if as_json:
        print_json(answer)
        return
    for conflict in answer["conflicts"]:
        if "paths" in conflict:
            out.print(
                f"{conflict['id']}: stands in {len(conflict['paths'])} files, which will be merged",
                style="bold",
            )
            for path in conflict["paths"]:
                out.print(path, indent=4)
            continue
        line = f":{conflict['line']}" if conflict["line"] else ""
        out.print(f"{conflict['path']}{line}: {conflict['reason']}", style="bold")
        for text in filter(None, (conflict["remedy"] and f"→ {conflict['remedy']}", conflict["detail"])):
            out.print(text.rstrip("\n"), indent=4)
    if not answer["conflicts"]:
        err.print("nothing needs you")
