"""helix doctor: what is wrong, with file, line and remedy."""

from __future__ import annotations

import typer

from helix.cli.care import stopped as why_stopped_now
from helix.cli.output import Json, out, print_json, reports_errors
from helix.cli.session import session


@reports_errors
def doctor(context: typer.Context, as_json: Json = False) -> None:
    """Explain what is wrong in the vault, file by file. Exit status 1 when something is."""
    with session(context) as helix:
        problems = helix.catalog.problems()
        conflicts = {
            memory_id: [row.path for row in rows] for memory_id, rows in helix.catalog.duplicates().items()
        }
        stopped = why_stopped_now(helix)
    if as_json:
        print_json(
            {
                "problems": [one.to_dict() for one in problems],
                "waiting_to_merge": conflicts,
                "stopped": stopped,
            }
        )
    else:
        for one in problems:
            out.print(f"{one.path}{f':{one.line}' if one.line else ''}: {one.reason} [{one.code}]")
            for text in filter(None, (one.remedy and f"→ {one.remedy}", one.detail)):
                out.print("\n".join(f"    {line}" for line in text.rstrip("\n").split("\n")))
        for memory_id, paths in conflicts.items():
            out.print(f"{memory_id} stands in {len(paths)} files, which will be merged: {', '.join(paths)}")
        if stopped:
            out.print(stopped)
        if not problems and not conflicts and not stopped:
            out.print("nothing is wrong")
    if problems or stopped:
        raise typer.Exit(1)
