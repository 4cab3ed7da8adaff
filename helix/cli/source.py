"""helix source: folders and repositories that are searched where they are."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.completion import complete_projects
from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.cli.verbs import Verbs, gather, open_verbs

_LOOK_AGAIN = 0.2

app = typer.Typer(
    help="Search folders and repositories where they are.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

SourceName = Annotated[str, typer.Argument(metavar="SOURCE", help="Its name or its id.")]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Let the daemon do it; `helix source health` tells how far it is.")
]


@app.command()
@reports_errors
def connect(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder, or the folder of a repository.")],
    name: Annotated[str | None, typer.Option(help="What it is called; default: as its folder.")] = None,
    project: Annotated[
        str | None,
        typer.Option(
            help="The project it belongs to; without one it holds everywhere.",
            autocompletion=complete_projects,
        ),
    ] = None,
    visibility: Annotated[
        str | None, typer.Option(help="For whom it is in a team: private, project or team.")
    ] = None,
    no_wait: NoWait = False,
    as_json: Json = False,
) -> None:
    """Search a folder or a repository where it is, and follow it. Nothing is written to it."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(
            "source_connect", path=os.path.abspath(folder), name=name, project=project, visibility=visibility
        )
        health = _health(verbs, answer["id"]) if no_wait else _wait(verbs, answer["id"])
    if as_json:
        print_json({**health, "status": answer["status"]})
        return
    _print_health(health)
    err.print("`helix recall lane:source …` looks into it", style="dim")


@app.command("list")
@reports_errors
def list_sources(
    context: typer.Context,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many at most; all, unless you say so.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the sources."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "sources"), "sources", limit)
    if as_json:
        print_json(answer)
        return
    for source in answer["sources"]:
        _print_summary(source)
    if not answer["sources"]:
        err.print("no source is connected; `helix source connect FOLDER` connects one")


@app.command()
@reports_errors
def index(
    context: typer.Context,
    source: SourceName,
    anew: Annotated[
        bool, typer.Option("--anew", help="Read every file again, not only those that changed.")
    ] = False,
    no_wait: NoWait = False,
    as_json: Json = False,
) -> None:
    """Look at everything in a source now; it is followed anyway."""
    with open_verbs(context, writes=True) as verbs:
        health = verbs.ask("source_index", source_id=source, anew=anew)
        health = health if no_wait else _wait(verbs, health["id"])
    print_json(health) if as_json else _print_health(health)


@app.command()
@reports_errors
def health(context: typer.Context, source: SourceName, as_json: Json = False) -> None:
    """Say how far a source is indexed, and which files are not searched and why."""
    with open_verbs(context) as verbs:
        answer = _health(verbs, source)
    print_json(answer) if as_json else _print_health(answer)


@app.command()
@reports_errors
def purge(context: typer.Context, source: SourceName, as_json: Json = False) -> None:
    """Forget a source: what was derived from it is removed; its folder is not touched."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("source_purge", source_id=source)
    if as_json:
        print_json(answer)
        return
    out.print(f"{answer['name']} is purged: {answer['files']} files are searched no more")


def _health(verbs: Verbs, source: str) -> dict[str, Any]:
    return verbs.ask("source_health", source_id=source)


def _wait(verbs: Verbs, source_id: str) -> dict[str, Any]:
    with progress_bar("indexing") as progress:
        while (found := _health(verbs, source_id))["state"] in ("waiting", "indexing"):
            progress(found["done"], found["total"])
            time.sleep(_LOOK_AGAIN)
    return found


def _print_summary(source: dict[str, Any]) -> None:
    at = f" at {source['commit'][:12]}" if source["commit"] else ""
    project = f"  {source['project']}" if source["project"] else ""
    out.parts(
        (source["name"], "bold"),
        (f"  {source['id']}  {source['state']}{project}", ""),
        (f"  {source.get('folder') or ''}{at}  {source['files']} files, {source['lines']} lines", "dim"),
    )


def _print_health(found: dict[str, Any]) -> None:
    _print_summary(found)
    for sentence in (found["trouble"], found["cut"]):
        if sentence:
            err.print(sentence, style="yellow")
    for problem in found["problems"]:
        err.parts((problem["path"], ""), (f"  {problem['reason']}", "dim"))
    if (more := found["problem_count"] - len(found["problems"])) > 0:
        err.print(f"and {more} more", style="dim")
    left_out = sum(found["left_out"].values())
    out.print(f"{found['ignored']} ignored, {left_out} without text", style="dim")
