"""helix project create, share, leave, …: who works together on what."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from helix.cli.options import IdempotencyKey
from helix.cli.output import Json, out, print_json, reports_errors
from helix.cli.project import app
from helix.cli.verbs import open_verbs

Name = Annotated[str, typer.Argument(metavar="PROJECT", help="The project.")]
User = Annotated[str, typer.Argument(help="The name of a user.")]
OfSession = Annotated[
    str | None, typer.Option("--session", metavar="SESSION", help="For this session alone.")
]


@app.command()
@reports_errors
def create(
    context: typer.Context,
    project: Name,
    member: Annotated[list[str] | None, typer.Option(help="A user; may be given several times.")] = None,
    idempotency_key: IdempotencyKey = None,
    as_json: Json = False,
) -> None:
    """Make a project, whose memories its members share."""
    named = {"members": member or [], "idempotency_key": idempotency_key}
    _ask(context, "create_project", as_json, project=project, **named)


@app.command()
@reports_errors
def share(context: typer.Context, project: Name, user: User, as_json: Json = False) -> None:
    """Make somebody a member: from now on they see its memories."""
    _ask(context, "share_project", as_json, project=project, user=user)


@app.command()
@reports_errors
def unshare(context: typer.Context, project: Name, user: User, as_json: Json = False) -> None:
    """Take somebody out of a project; what they wrote stays."""
    _ask(context, "unshare_project", as_json, project=project, user=user)


@app.command()
@reports_errors
def leave(context: typer.Context, project: Name, as_json: Json = False) -> None:
    """Be a member no more."""
    _ask(context, "leave_project", as_json, project=project)


@app.command()
@reports_errors
def transfer(context: typer.Context, project: Name, user: User, as_json: Json = False) -> None:
    """Give a project to another owner, and stay a member."""
    _ask(context, "transfer_project", as_json, project=project, user=user)


@app.command()
@reports_errors
def delete(context: typer.Context, project: Name, as_json: Json = False) -> None:
    """Forget a project with its memories; `helix restore` brings each back."""
    _ask(context, "delete_project", as_json, project=project)


@app.command()
@reports_errors
def activate(context: typer.Context, project: Name, session: OfSession = None, as_json: Json = False) -> None:
    """Ask and write in a project whatever names none, from now on."""
    _ask(context, "activate_project", as_json, project=project, of_session=session)


@app.command()
@reports_errors
def deactivate(context: typer.Context, session: OfSession = None, as_json: Json = False) -> None:
    """Work in no project any more, unless one is named."""
    _ask(context, "deactivate_project", as_json, of_session=session)


def _ask(context: typer.Context, verb: str, as_json: bool, **fields: Any) -> None:
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(verb, **fields)
    if as_json:
        print_json(answer)
        return
    out.print(f"{answer['project'] or 'no project'}  {answer['status']}")
    if "members" in answer:
        owner = f"owner {answer['owner']}  " if answer["owner"] else ""
        out.print(f"{owner}members {', '.join(answer['members']) or 'none'}", indent=2)
    if "forgotten" in answer:
        out.print(f"{answer['forgotten']} memories forgotten", indent=2)
