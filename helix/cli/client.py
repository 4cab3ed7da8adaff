"""helix client: the programs that people of a team let in, and what they granted to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from helix.cli.open_vault import config_of_daemon
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.oauth.clients import OAuthClient
from helix.oauth.database import LoginDatabase
from helix.oauth.grants import Grant, Grants, GrantTimes
from helix.oauth.known_clients import KnownClients

app = typer.Typer(
    help="Name programs that people let in, and end what they were granted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@contextmanager
def _database(context: typer.Context) -> Iterator[LoginDatabase]:
    database = LoginDatabase(config_of_daemon(context).config_dir)
    try:
        yield database
    finally:
        database.close()


def _grants(context: typer.Context, database: LoginDatabase) -> Grants:
    settings = config_of_daemon(context).oauth
    times = GrantTimes(settings.access_minutes * 60, settings.refresh_days * 86400)
    return Grants(database, times, lambda: datetime.now(UTC).timestamp())


@app.command("add")
@reports_errors
def add_client(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What people see whom they let in.")],
    redirect: Annotated[
        list[str],
        typer.Option(
            metavar="URI",
            help="Where browsers are sent back to, to the letter; on loopback the port is free. Repeat it for several.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Make a client for a program that cannot name itself, and print its id.

    A client has no secret: the id goes into the settings of the program.
    """
    with _database(context) as database:
        client = KnownClients(database).add(name, redirect)
    if as_json:
        print_json(_client_to_json(client))
    else:
        out.print(client.id)


@app.command("list")
@reports_errors
def list_clients(context: typer.Context, as_json: Json = False) -> None:
    """List the clients that were made or have registered.

    Those that name themselves by the address of a document are in no list.
    """
    with _database(context) as database:
        clients = KnownClients(database).list_all()
    if as_json:
        print_json([_client_to_json(client) for client in clients])
    elif not clients:
        err.print("there is no client; `helix client add NAME --redirect URI` makes one")
    else:
        rows = [(client.id, client.name, client.origin, " ".join(client.redirect_uris)) for client in clients]
        print_table(("id", "name", "by", "sent back to"), rows, shrink="sent back to")


@app.command("remove")
@reports_errors
def remove_client(
    context: typer.Context,
    client_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the client.")],
    as_json: Json = False,
) -> None:
    """Forget a client.

    What people granted to it ends with it.
    """
    with _database(context) as database:
        client = KnownClients(database).remove(client_id)
    if as_json:
        print_json(_client_to_json(client))
    else:
        out.print(f"removed {client.name}")


@app.command("grants")
@reports_errors
def list_grants(
    context: typer.Context,
    user: Annotated[str | None, typer.Option(help="Only those of this user.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also those that have ended.")] = False,
    as_json: Json = False,
) -> None:
    """List which programs were let in, by whom and for what."""
    with _database(context) as database:
        grants = _grants(context, database)
        now = grants.clock()
        found = [
            grant
            for grant in grants.list_grants()
            if (user is None or grant.consent.user == user) and (everything or grant.is_open_at(now))
        ]
    if as_json:
        print_json([_grant_to_json(grant, now) for grant in found])
    elif not found:
        err.print("nobody has let a program in")
    else:
        rows = [
            (grant.id, grant.consent.user, grant.consent.client_name, grant.consent.scope, _state(grant, now))
            for grant in found
        ]
        print_table(("id", "user", "program", "scope", "state"), rows, shrink="scope")


@app.command("end")
@reports_errors
def end_grant(
    context: typer.Context,
    grant_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the grant.")],
    as_json: Json = False,
) -> None:
    """End what was granted.

    The next request with any of its tokens is refused, and streams that it opened end within a second.
    """
    with _database(context) as database:
        grants = _grants(context, database)
        grant, now = grants.end(grant_id, "an admin ended it"), grants.clock()
    if as_json:
        print_json(_grant_to_json(grant, now))
    else:
        out.print(f"ended {grant.id} of {grant.consent.user}")


def _client_to_json(client: OAuthClient) -> dict[str, Any]:
    return {
        "id": client.id,
        "name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "origin": client.origin,
        "created_at": _time(client.created),
    }


def _grant_to_json(grant: Grant, now: float) -> dict[str, Any]:
    consent = grant.consent
    return {
        "id": grant.id,
        "user": consent.user,
        "client": consent.client,
        "client_name": consent.client_name,
        "scope": consent.scope,
        "resource": consent.resource,
        "workspaces": None if consent.workspaces is None else sorted(consent.workspaces),
        "projects": None if consent.projects is None else sorted(consent.projects),
        "created_at": _time(grant.created),
        "expires_at": _time(grant.expires),
        "state": _state(grant, now),
    }


def _state(grant: Grant, now: float) -> str:
    if grant.ended is not None:
        return grant.why or "ended"
    return "open" if grant.is_open_at(now) else "expired"


def _time(seconds: float) -> str:
    from helix.vault.times import format_time

    return format_time(datetime.fromtimestamp(seconds, UTC))
