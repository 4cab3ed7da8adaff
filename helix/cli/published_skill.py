"""helix skill published|publish|withdraw|pull|unpull: skills for others to use, and in the folders of harnesses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from helix.cli.completion import complete_projects
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.verbs import Verbs, gather, open_verbs
from helix.errors import BadValue, MemoryNotFound
from helix.harnesses.harness import HARNESSES, named
from helix.harnesses.skill_folders import PulledSkill, SkillFolders, SkillOutcome
from helix.hosts.this_machine import project_folder

_WITH_SKILLS = ", ".join(harness.name for harness in HARNESSES if harness.skills)

PublishedName = Annotated[str, typer.Argument(metavar="NAME", help="The name under which it is published.")]
Names = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME...]", help="Default: all that are published.")
]
HarnessNames = Annotated[
    list[str] | None,
    typer.Option(
        "--harness",
        help=f"One of {_WITH_SKILLS}; repeat for several. Default: those that have a folder there.",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option("--folder", help="The folder of the project. Default: the repository around this one."),
]
User = Annotated[bool, typer.Option("--user", help="Your own folders, for all projects.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would change, and change nothing.")]


def add_publishing(app: typer.Typer) -> None:
    app.command("published")(list_published)
    app.command("publish")(publish)
    app.command("withdraw")(withdraw)
    app.command("pull")(pull)
    app.command("unpull")(unpull)


@reports_errors
def list_published(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    as_json: Json = False,
) -> None:
    """List the skills that are published."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "published_skills"), "skills", limit)
    if as_json:
        print_json(answer)
    elif answer["skills"]:
        print_table(
            ("name", "version", "for", "description"),
            [
                (skill["name"], skill["version"], skill["visibility"], skill["description"])
                for skill in answer["skills"]
            ],
            shrink="description",
        )
    else:
        err.print("no skill is published; `helix skill publish ID` publishes one that was validated")


@reports_errors
def publish(
    context: typer.Context,
    skill_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the skill.")],
    name: Annotated[
        str | None, typer.Option(help="What folders are called after. Default: made from the id.")
    ] = None,
    description: Annotated[
        str | None,
        typer.Option(help="By which hosts decide whether it applies. Default: made from the note."),
    ] = None,
    visibility: Annotated[str | None, typer.Option(help="private, project or team.")] = None,
    project: Annotated[
        str | None,
        typer.Option(help="Its project. Default: that of its note.", autocompletion=complete_projects),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put a skill that was validated or revised before others.

    The same again changes nothing; what changed since is the skill from then on.
    """
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(
            "skill_publish",
            skill_id=skill_id,
            skill_name=name,
            description=description,
            visibility=visibility,
            project=project,
        )
    if as_json:
        print_json(answer)
    elif answer["status"] == "noop":
        out.print(f"{answer['name']} is published so already")
    else:
        out.print(f"{answer['name']} is published ({answer['id']})")


@reports_errors
def withdraw(context: typer.Context, name: PublishedName, as_json: Json = False) -> None:
    """Take a published skill back. Who pulls next has it no more."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("skill_withdraw", skill_name=name)
    print_json(answer) if as_json else out.print(
        f"{name} is withdrawn; `helix restore {answer['id']}` undoes it"
    )


@reports_errors
def pull(
    context: typer.Context,
    names: Names = None,
    harness: HarnessNames = None,
    folder: Folder = None,
    user: User = False,
    link: Annotated[bool, typer.Option("--link", help="Link to one copy, and do not write copies.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Write published skills into the folders of harnesses, as NAME/SKILL.md.

    The same again writes nothing, and what was withdrawn goes. A copy that somebody changed stays as it is, and is
    proposed in the inbox.
    """
    folders = _folders(context, folder, user)
    with open_verbs(context, writes=not dry_run) as verbs:
        answer = gather(partial(verbs.ask, "published_skills"), "skills", None)
        skills = [PulledSkill(skill["name"], skill["text"], skill["hash"]) for skill in answer["skills"]]
        done = folders.pull(skills, named(harness or ()), names=names or (), link=link, dry_run=dry_run)
        proposed = [] if dry_run else list(filter(None, (_propose(verbs, outcome) for outcome in done)))
    _report(done, proposed, dry_run, as_json)


@reports_errors
def unpull(
    context: typer.Context,
    names: Names = None,
    harness: HarnessNames = None,
    folder: Folder = None,
    user: User = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take out of the folders of harnesses what was pulled. A copy that somebody changed stays."""
    folders = _folders(context, folder, user)
    done = folders.remove(named(harness or ()), names=names or (), dry_run=dry_run)
    _report(done, [], dry_run, as_json)


def _folders(context: typer.Context, folder: Path | None, user: bool) -> SkillFolders:
    if user and folder is not None:
        raise BadValue("--user and --folder exclude each other; give one of them")
    config = config_of(context)
    place = None if user else folder.absolute() if folder is not None else project_folder(Path.cwd())
    return SkillFolders.at(place, config.state_dir, config.vault)


def _propose(verbs: Verbs, outcome: SkillOutcome) -> str | None:
    if outcome.edited_text is None:
        return None
    try:
        answer = verbs.ask(
            "skill_propose", skill_name=outcome.name, text=outcome.edited_text, edited_from=outcome.based_on
        )
    except (BadValue, MemoryNotFound) as error:
        err.print(f"{outcome.path} is not proposed: {error.message}", style="yellow")
        return None
    return str(answer["id"])


def _report(done: Sequence[SkillOutcome], proposed: Sequence[str], dry_run: bool, as_json: bool) -> None:
    if as_json:
        skills = [
            {
                "name": each.name,
                "harness": each.harness,
                "path": each.path,
                "state": each.state,
                "problem": each.problem,
            }
            for each in done
        ]
        print_json({"dry_run": dry_run, "skills": skills, "proposed": list(proposed)})
        return
    for each in done:
        out.print(f"{each.path}: {each.state}{f', {each.problem}' if each.problem else ''}")
    if not done:
        err.print("nothing was pulled here")
    if proposed:
        err.print("what somebody changed is proposed in the inbox; `helix inbox` shows it")
