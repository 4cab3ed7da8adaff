"""helix user: the people of a team, and their passwords. On the machine of its daemon, whether that runs or not."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from helix.access.credentials import Credentials, User
from helix.access.workspaces import MAIN, Workspaces
from helix.cli.open_vault import config_of_daemon
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.errors import BadValue, WorkspaceNotFound

app = typer.Typer(
    help="Add, list and remove people, and set their passwords.",
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

    The name stands in notes as that of their owner. `helix key create NAME` gives them a key, and
    `helix user passwd NAME` a password for the dashboard.
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
                    "has_password": user.has_password,
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


@app.command("passwd")
@reports_errors
def set_password(
    context: typer.Context,
    name: UserName,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read it from standard input, one line, and ask nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Set the password with which somebody signs in to the dashboard.

    It is asked for twice and not shown. Wherever they are signed in they sign in anew.
    """
    password = _line_of_stdin() if stdin else _typed_twice(name)
    # Here and not above: none of the other commands needs it.
    from helix.access.password import Passwords, check_password

    check_password(password, name)
    kept = Passwords().hash(password)
    with open_credentials(context) as credentials:
        ended = credentials.set_password(name, kept)
    if as_json:
        print_json({"user": name, "signed_out": ended})
    else:
        out.print(f"{name} has a new password{_signed_out(ended)}")


def _line_of_stdin() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def _typed_twice(name: str) -> str:
    # Never among the arguments: everybody who lists processes would see it, and the shell's history keep it.
    if not sys.stdin.isatty():
        raise BadValue(
            "there is no terminal to ask for the password; give it on standard input, with --stdin"
        )
    password = getpass.getpass(f"new password of {name}: ")
    if getpass.getpass("the same again: ") != password:
        raise BadValue("the two are not the same; nothing was changed")
    return password


def _signed_out(count: int) -> str:
    return f"; signed out of {count} browser{'' if count == 1 else 's'}" if count else ""


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
