"""helix harness: the rules of a project in the files that harnesses read, such as CLAUDE.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from helix.cli.completion import complete_projects
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.verbs import gather, open_verbs, viewpoint_of
from helix.config import Config
from helix.harnesses.harness import HARNESSES, NAMES, named
from helix.harnesses.rules import ProjectRule, spell
from helix.harnesses.sync import FileOutcome, ProjectFiles
from helix.hosts.this_machine import project_folder

app = typer.Typer(
    help="Tell harnesses, such as Claude Code, the rules of a project.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[HARNESS...]",
        help=f"Of {', '.join(NAMES)}. Default: those that the project is worked on with.",
    ),
]
Project = Annotated[
    str | None,
    typer.Option(
        help="The project of the rules. Default: that of the current folder.",
        autocompletion=complete_projects,
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option("--folder", help="The folder of the project. Default: the repository around this one."),
]
Force = Annotated[bool, typer.Option("--force", help="Also a block that somebody changed by hand.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]


@app.command("list")
@reports_errors
def list_files(
    context: typer.Context, project: Project = None, folder: Folder = None, as_json: Json = False
) -> None:
    """List the files that harnesses read, and how the block in each stands."""
    files = _files(config_of(context), folder)
    content, _ = _content(context, project)
    states = files.states(content, HARNESSES)
    if as_json:
        print_json({"folder": str(files.folder), "files": [asdict(state) for state in states]})
        return
    print_table(
        ("file", "state", "read by"),
        [(state.file, state.state, ", ".join(state.harnesses)) for state in states],
        shrink="file",
    )
    for state in states:
        if state.problem:
            err.print(state.problem, style="yellow")


@app.command()
@reports_errors
def sync(
    context: typer.Context,
    harness: Names = None,
    project: Project = None,
    folder: Folder = None,
    force: Force = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Write the rules into the files that harnesses read, in one block each.

    Rules are notes of kind `rule`, and notes with the tag `rule`: those of the project and those that hold everywhere.
    Everything else in a file stays as it is, to the byte. `helix harness remove` undoes it.
    """
    config = config_of(context)
    files = _files(config, folder)
    content, name = _content(context, project)
    done = files.sync(content, name, config.vault, named(harness or ()), force=force, dry_run=dry_run)
    _report(files, done, dry_run, as_json)


@app.command()
@reports_errors
def diff(
    context: typer.Context,
    harness: Names = None,
    project: Project = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Show what sync would change, also over a block that somebody changed by hand."""
    config = config_of(context)
    files = _files(config, folder)
    content, name = _content(context, project)
    done = files.sync(content, name, config.vault, named(harness or ()), force=True, dry_run=True)
    _report(files, done, True, as_json)


@app.command()
@reports_errors
def remove(
    context: typer.Context,
    harness: Names = None,
    folder: Folder = None,
    force: Force = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take the blocks out again. The files are then what they were before, to the byte."""
    files = _files(config_of(context), folder)
    done = files.remove(named(harness or ()), force=force, dry_run=dry_run)
    _report(files, done, dry_run, as_json)


def _files(config: Config, folder: Path | None) -> ProjectFiles:
    place = project_folder(Path.cwd()) if folder is None else folder.absolute()
    return ProjectFiles.at(place, config.state_dir, config.vault)


def _content(context: typer.Context, project: str | None) -> tuple[str, str | None]:
    """What the notes say now, and the project that they say it of."""
    standing = viewpoint_of(context, project, False)
    with open_verbs(context, standing) as verbs:
        answer = gather(partial(verbs.ask, "rules", project=standing.project), "rules", None)
    rules = [
        ProjectRule(rule["id"], rule["title"], rule["text"], rule["importance"], rule["created"])
        for rule in answer["rules"]
    ]
    return spell(rules, standing.project), standing.project


def _report(files: ProjectFiles, done: Sequence[FileOutcome], dry_run: bool, as_json: bool) -> None:
    if as_json:
        answer = {"folder": str(files.folder), "dry_run": dry_run, "files": [asdict(each) for each in done]}
        print_json(answer)
        return
    if not done:
        err.print("no file has a block of Helix")
    for each in done:
        if dry_run and each.diff:
            for line in each.diff.splitlines():
                out.print(line)
        elif not each.changed:
            out.print(f"{each.file}: nothing to change")
        else:
            out.print(f"{each.file}: {'removed' if each.removed else 'changed'}")
