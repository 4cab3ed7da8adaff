"""helix history and diff: what git knows of a memory."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from helix.cli.open_vault import session
from helix.cli.options import MemoryId
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.verbs import gather, open_verbs

_SHORT = 10
"""enough of a commit's name for git to know it by"""


@reports_errors
def history(
    context: typer.Context,
    memory_id: MemoryId,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest so many.")] = None,
    as_json: Json = False,
) -> None:
    """List the versions of a memory in git, across renames."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "history", memory_id=memory_id), "versions", limit)
    if as_json:
        print_json(answer)
    elif answer["versions"]:
        rows = [
            (version["commit"][:_SHORT], version["time"], version["author"], version["subject"])
            for version in answer["versions"]
        ]
        print_table(("commit", "time", "author", "subject"), rows, shrink="subject")
        for path in dict.fromkeys(one["path"] for one in answer["versions"]):
            err.print(f"in {path}", style="dim")
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
    """Show what changed in a memory since a revision.

    With two revisions, between them.
    """
    with session(context) as helix:
        text = helix.versions.diff(memory_id, old, new)
    if as_json:
        print_json({"id": memory_id, "from": old, "to": new, "diff": text})
    elif text:
        for line in text.rstrip("\n").split("\n"):
            out.print(line, _STYLE.get(line[:1], ""), wrap=False)
    else:
        err.print("no difference")


_STYLE = {"+": "green", "-": "red", "@": "cyan"}
