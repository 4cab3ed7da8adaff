"""helix history and diff: what git knows of a memory."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.memories import MemoryId
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.session import session
from helix.vault.times import format_time


@reports_errors
def history(
    context: typer.Context,
    memory_id: MemoryId,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest so many.")] = None,
    as_json: Json = False,
) -> None:
    """List the versions of a memory in git, across renames."""
    with session(context) as helix:
        versions = helix.memories.versions(memory_id, limit)
    if as_json:
        print_json(
            [
                {
                    "commit": one.commit,
                    "time": format_time(one.time),
                    "author": one.author,
                    "subject": one.subject,
                    "path": one.path,
                }
                for one in versions
            ]
        )
    elif versions:
        rows = [(one.short, format_time(one.time), one.author, one.subject, one.path) for one in versions]
        print_table(("commit", "time", "author", "subject", "path"), rows, shrink="subject")
    else:
        err.print("no version of this memory was ever committed")


@reports_errors
def diff(
    context: typer.Context,
    memory_id: MemoryId,
    old: Annotated[str, typer.Argument(metavar="REV", help="A commit, branch or tag.")] = "HEAD",
    new: Annotated[
        str | None, typer.Argument(metavar="[REV]", help="Default: the file as it is now.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what changed in a memory since a revision, or between two."""
    with session(context) as helix:
        text = helix.memories.diff(memory_id, old, new)
    if as_json:
        print_json({"id": memory_id, "from": old, "to": new, "diff": text})
    elif text:
        out.print(text.rstrip("\n"))
    else:
        err.print("no difference")
