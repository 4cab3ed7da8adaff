"""helix key: what the people of a team, and their agents, come in with."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.access.api_key import DEFAULT_SPELLING, SPELLINGS, spelled_for
from helix.access.credentials import Key, KeyBounds
from helix.access.key_facts import to_json
from helix.access.roles import CONNECTOR
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.user import UserName, check_workspaces, open_credentials
from helix.errors import BadValue

app = typer.Typer(
    help="Make, list and revoke the keys of a team.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("create")
@reports_errors
def create_key(
    context: typer.Context,
    user: UserName,
    name: Annotated[str, typer.Option(help="What you call the key, such as `laptop`.")] = "",
    role: Annotated[
        str | None, typer.Option(help="A role that may less than the user's own: operator, agent, readonly.")
    ] = None,
    permission: Annotated[
        list[str] | None, typer.Option(help="Only this permission; repeat it for several.")
    ] = None,
    project: Annotated[
        list[str] | None, typer.Option(help="Only this project; repeat it for several.")
    ] = None,
    workspace: Annotated[
        list[str] | None, typer.Option(help="Only this workspace of the user's org; repeat it for several.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent; what it writes is signed so.")] = None,
    connector: Annotated[
        str | None,
        typer.Option(help="For a connector: recall, remember and documents, unless permissions are named."),
    ] = None,
    harness: Annotated[
        str | None, typer.Option(help="Only this program, by the name it gives itself: `claude-code`.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="It opens nothing after 12h, 30d or 8w.")
    ] = None,
    dialect: Annotated[
        str, typer.Option(help=f"Print it as the clients of a dialect know keys: {', '.join(SPELLINGS)}.")
    ] = DEFAULT_SPELLING,
    as_json: Json = False,
) -> None:
    """Make a key for a user, and print it once.

    What is kept is a hash, so nobody can print it again. Without options it is good for all that the user may do.
    """
    if dialect not in SPELLINGS:
        raise BadValue(f"there is no spelling for {dialect!r}; there are {', '.join(SPELLINGS)}")
    bounds = KeyBounds(
        frozenset(permission) if permission else CONNECTOR if connector else None,
        frozenset(project) if project else None,
        agent,
        connector,
        harness,
        frozenset(workspace) if workspace else None,
    )
    with open_credentials(context) as credentials:
        if workspace and (found := next((one for one in credentials.list_users() if one.name == user), None)):
            check_workspaces(context, found.org, workspace)
        key, text = credentials.create_key(user, name=name, role=role, bounds=bounds, expires_in=expires)
    text = spelled_for(dialect, text)
    if as_json:
        print_json({"key": text, **to_json(key)})
    else:
        print_key(key, text)


def print_key(key: Key, text: str) -> None:
    """The one time that it is seen."""
    out.print(text)
    err.print(
        f"This is the only time that it is shown. {key.user} sets it as HELIX_TOKEN; "
        f"`helix key revoke {key.id}` takes it back.",
        style="dim",
    )


@app.command("list")
@reports_errors
def list_keys(
    context: typer.Context,
    user: Annotated[str | None, typer.Option(help="Only those of this user.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that were revoked or have expired.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the keys: whose they are and what they are good for, never their values."""
    from helix.vault.times import format_time, utc_now

    now = format_time(utc_now())
    with open_credentials(context) as credentials:
        keys = [
            key
            for key in credentials.list_keys()
            if (user is None or key.user == user) and (everything or key.is_valid_at(now))
        ]
    if as_json:
        print_json([to_json(key) for key in keys])
    elif not keys:
        err.print("there is no key; `helix key create NAME` makes one")
    else:
        rows = [
            (
                key.id,
                key.user,
                key.name,
                key.role,
                _spoken(key),
                _state(key, now),
                (key.last_used_at or "")[:16],
            )
            for key in keys
        ]
        print_table(("id", "user", "name", "role", "only", "state", "last used"), rows, shrink="only")


@app.command("revoke")
@reports_errors
def revoke_key(
    context: typer.Context,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the key, from `helix key list`.")],
    as_json: Json = False,
) -> None:
    """Take a key back.

    The next request with it is refused, and streams that it opened end within a second.
    """
    with open_credentials(context) as credentials:
        key = credentials.revoke_key(key_id)
    if as_json:
        print_json(to_json(key))
    else:
        out.print(f"revoked {key.id} of {key.user}")


def _spoken(key: Key) -> str:
    bounds = key.bounds
    parts = (
        ("", sorted(bounds.permissions or ())),
        ("workspace ", sorted(bounds.workspaces or ())),
        ("project ", sorted(bounds.projects or ())),
        ("agent ", [bounds.agent] if bounds.agent else []),
        ("connector ", [bounds.connector] if bounds.connector else []),
        ("program ", [bounds.harness] if bounds.harness else []),
    )
    return "; ".join(f"{label}{', '.join(values)}" for label, values in parts if values)


def _state(key: Key, now: str) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if not key.is_valid_at(now):
        return "expired"
    return f"until {key.expires_at[:10]}" if key.expires_at else "valid"
