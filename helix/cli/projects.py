"""helix projects: which projects the memories are of."""

from __future__ import annotations

from functools import partial

import typer

from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import gather, open_verbs


@reports_errors
def projects(context: typer.Context, as_json: Json = False) -> None:
    """List the projects, last changed first.

    With how many memories each has, and how many nobody has filed yet.
    """
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "projects"), "projects", None)
    if as_json:
        print_json(answer)
        return
    for project in answer["projects"]:
        changed = f"  {project['updated'][:10]}" if project["updated"] else ""
        active = "  active" if project.get("is_active") else ""
        out.parts(
            (project["project"], "bold"), (f"  {_memories(project['memories'])}{changed}{active}", "dim")
        )
        if project.get("members"):
            owner = f"owner {project['owner']}  " if project["owner"] else ""
            out.print(f"{owner}members {', '.join(project['members'])}", style="dim", indent=2)
    if answer["unfiled"]:
        err.print(f"{_memories(answer['unfiled'])} unfiled; `helix recent --unfiled` lists them", style="dim")
    elif not answer["projects"]:
        err.print("no memory is of a project")


def _memories(count: int) -> str:
    return f"{count} memor{'y' if count == 1 else 'ies'}"
