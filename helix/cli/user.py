"""helix user: the people of a team. On the machine of its daemon, whether that runs or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from helix.access.credentials import Credentials, User
from helix.access.workspaces import MAIN, Workspaces
from helix.cli.open_vault import config_of_daemon
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.errors import WorkspaceNotFound

app = typer.Typer(
    help="Add, list and remove the people of a team.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

UserName = Annotated[str, typer.Argument(metavar="NAME", help="The name of the user, such as `ann`.")]


@contextmanager
def open_credentials(context: typer.Context) -> Iterator[Credentials]:
    credentials = Credentials(config_of_daemon(context).config_dir)
    try:
        yield credentials
    finally:
        credentials.close()


def check_workspaces(context: typer.Context, org: str, names: Iterable[str] | None) -> None:
    """That there are such an org and such workspaces: a name that was mistyped would open nothing."""
    config = config_of_daemon(context)
    known = [one.name for one in Workspaces(config.config_dir, config.vault).all() if one.org == org]
    if not known:
        raise WorkspaceNotFound(
            f"there is no workspace of the org {org[:80]!r}; `helix workspace create {org[:80]}.NAME` makes the first"
        )
    for name in names or ():
        if name not in known:
            raise WorkspaceNotFound(f"{org} has no workspace {name[:80]!r}; it has {', '.join(known)}")


def _places(user: User) -> dict[str, Any]:
    return {"org": user.org, "workspaces": None if user.workspaces is None else sorted(user.workspaces)}


@app.command("add")
@reports_errors
def add_user(
    context: typer.Context,
    name: UserName,
    role: Annotated[str, typer.Option(help="admin, operator, agent or readonly.")] = "agent",
    org: Annotated[str, typer.Option(help="Whose workspaces they may use.")] = MAIN,
    workspace: Annotated[
        list[str] | None, typer.Option(help="Only this workspace of the org; repeat it for several.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add somebody to the team.

    The name stands in notes as that of their owner. `helix key create NAME` gives them a key.
    """
    check_workspaces(context, org, workspace)
    with open_credentials(context) as credentials:
        user = credentials.add_user(name, role, org=org, workspaces=workspace or None)
    if as_json:
        print_json({"user": user.name, "role": user.role, **_places(user)})
        return
    out.print(f"added {user.name}, {user.role}{'' if org == MAIN else f' of {org}'}")
    err.print(f"`helix key create {user.name}` makes the key to come in with", style="dim")


@app.command("list")
@reports_errors
def list_users(context: typer.Context, as_json: Json = False) -> None:
    """List the people of the team."""
    with open_credentials(context) as credentials:
        users, keys = credentials.list_users(), credentials.list_keys()
    counts = {
        user.name: sum(key.user == user.name and key.revoked_at is None for key in keys) for user in users
    }
    if as_json:
        print_json(
            [
                {
                    "user": user.name,
                    "role": user.role,
                    **_places(user),
                    "keys": counts[user.name],
                    "created_at": user.created_at,
                }
                for user in users
            ]
        )
    elif not users:
        err.print("there is nobody yet; `helix team init` adds the first admin")
    else:
        rows = [(user.name, user.role, user.org, counts[user.name], user.created_at[:10]) for user in users]
        print_table(("user", "role", "org", "keys", "since"), rows, shrink="user")


@app.command("remove")
@reports_errors
def remove_user(context: typer.Context, name: UserName, as_json: Json = False) -> None:
    """Remove somebody from the team.

    Their keys open nothing any more, from the next request on. What they wrote stays.
    """
    with open_credentials(context) as credentials:
        count = credentials.remove_user(name)
    if as_json:
        print_json({"user": name, "revoked_keys": count})
    else:
        out.print(f"removed {name}; {count} key{'' if count == 1 else 's'} revoked")
