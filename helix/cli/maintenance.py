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
        said = verbs.consolidate(dry_run=dry_run, only=ids or (), progress=progress)
    if as_json:
        print_json(said)
        return
    for name, label in (("applied", "done"), ("proposals", "proposed")):
        for one in said[name]:
            target = f" by {one['other']}" if one["action"] == "supersede" else ""
            action = "" if one["action"] == "none" else f": {one['action']} {one['memory']}{target}"
            out.print(f"{label}  {one['id']}{action}")
            out.print(f"{one['memory']}: {one['reason']}", style="dim", indent=4)
    if not said["applied"] and not said["proposals"]:
        err.print("nothing to tidy")
    elif said["proposals"]:
        err.print("`helix consolidate PROPOSAL` does what is only proposed; every step can be undone")


@reports_errors
def conflicts(context: typer.Context, as_json: Json = False) -> None:
    """List what needs a person: files not read or merged."""
    with open_verbs(context) as verbs:
        said = gather(partial(verbs.conflicts), "conflicts", None)
    if as_json:
        print_json(said)
        return
    for one in said["conflicts"]:
        if "paths" in one:
            out.print(f"{one['id']}: stands in {len(one['paths'])} files, which will be merged", style="bold")
            for path in one["paths"]:
                out.print(path, indent=4)
            continue
        place = f":{one['line']}" if one["line"] else ""
        out.print(f"{one['path']}{place}: {one['reason']}", style="bold")
        for text in filter(None, (one["remedy"] and f"→ {one['remedy']}", one["detail"])):
            out.print(text.rstrip("\n"), indent=4)
    if not said["conflicts"]:
        err.print("nothing needs you")
