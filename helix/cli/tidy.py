"""helix consolidate: what could be tidied in the store, and tidying it."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.daemon_client import ask_daemon
from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.cli.session import session
from helix.compose import open_recall, open_service
from helix.memory.fit import MOST_TOKENS
from helix.memory.reader import MOST_AT_ONCE


@reports_errors
def consolidate(
    context: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[PROPOSAL]...", help="Do these, and nothing else.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    as_json: Json = False,
) -> None:
    """Find duplicates, contradictions and what is out of date; do what is certain and can be undone."""
    with session(context) as helix:
        if helix.follows:
            with (
                progress_bar("looking") as progress,
                open_recall(helix, progress) as recall,
                open_service(helix, lambda: recall) as service,
            ):
                said = service.consolidate(dry_run=dry_run, only=ids or (), progress=progress)
        else:
            applied = []
            if not dry_run:
                asked = {"ids": ids or []}
                applied = ask_daemon(helix.config, "/consolidate", method="POST", body=asked)["applied"]
            left = ask_daemon(helix.config, f"/consolidate?limit={MOST_AT_ONCE}&max_tokens={MOST_TOKENS}")
            said = {"applied": applied, "proposals": left["proposals"]}
    if as_json:
        print_json(said)
        return
    for name, label in (("applied", "done"), ("proposals", "proposed")):
        for one in said[name]:
            target = f" by {one['other']}" if one["action"] == "supersede" else ""
            action = "" if one["action"] == "none" else f": {one['action']} {one['memory']}{target}"
            out.print(f"{label}  {one['id']}{action}")
            out.print(f"    {one['memory']}: {one['reason']}", style="dim")
    if not said["applied"] and not said["proposals"]:
        err.print("nothing to tidy")
    elif said["proposals"]:
        err.print("`helix consolidate PROPOSAL` does what is only proposed; every step can be undone")
