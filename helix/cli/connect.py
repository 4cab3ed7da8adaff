"""helix connect and disconnect: the files of hosts. By default nothing is written."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from helix.access import Credential
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.config import Config
from helix.dialects.registry import DEFAULT, REGISTERED, access_to
from helix.errors import BadValue
from helix.hosts.connect import HostStatus, connect_host, disconnect_host, host_statuses
from helix.hosts.fragment import TOKEN_VARIABLE, Program, Server, ServerUrl, text
from helix.hosts.host import Host, Machine, Scope
from helix.hosts.record import Records
from helix.hosts.registry import HOSTS, get_host
from helix.hosts.this_machine import carried, get_executable, this_machine

HostName = Annotated[str, typer.Argument(metavar="HOST", help=f"One of {', '.join(h.name for h in HOSTS)}.")]
Dialect = Annotated[
    str,
    typer.Option(
        "--dialect",
        metavar="NAME",
        help=f"Speak another dialect, under its own name: {', '.join(n for n in REGISTERED if n != DEFAULT)}.",
    ),
]
User = Annotated[bool, typer.Option("--user", help="The user's own file instead of the project's.")]


@reports_errors
def connect(
    context: typer.Context,
    host: Annotated[
        str, typer.Argument(metavar="[HOST]", help=f"One of {', '.join(h.name for h in HOSTS)}.")
    ] = "",
    install: Annotated[
        bool, typer.Option("--install", help="Write it into the host's file; a backup is kept beside it.")
    ] = False,
    user: User = False,
    http: Annotated[
        bool, typer.Option("--http", help="Connect to the daemon's URL instead of starting helix-mcp.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a server of the same name that says something else.")
    ] = False,
    dialect: Dialect = DEFAULT,
    list_hosts: Annotated[
        bool, typer.Option("--list", help="Show all hosts: which are here, which are connected.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Give a host the memory: print its set-up, or install it.

    Without --install the text is printed and nothing is written. With it the text is merged into the project's file
    (or the user's, with --user, and where a host has no file in projects); everything else in the file stays as it
    is, byte for byte. `helix disconnect HOST` undoes it.
    """
    machine = this_machine()
    if list_hosts:
        _list(machine, as_json)
        return
    if not host:
        raise BadValue("name a host, or ask for --list")
    known = get_host(host)
    server = _server(context, http, _checked(dialect))
    scope = _scope(known, user)
    if install:
        _install(context, known, scope, machine, server, force, dialect, as_json)
    else:
        _print(known, machine, server, dialect, as_json)


@reports_errors
def disconnect(
    context: typer.Context,
    host: HostName,
    user: User = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also a server of this name that helix did not write.")
    ] = False,
    dialect: Dialect = DEFAULT,
    as_json: Json = False,
) -> None:
    """Take out of a host's file what connect put there.

    The file is then what it was before, to the byte; a file that connect made is removed again.
    """
    machine, known = this_machine(), get_host(host)
    records = Records(config_of(context).state_dir)
    name = _checked(dialect)
    done = disconnect_host(known, _scope(known, user), machine, records, force=force, name=name)
    if as_json:
        print_json({"host": known.name, "file": str(done.path), "file_removed": done.removed})
    else:
        outcome = "removed" if done.removed else "changed back"
        out.print(f"disconnected {known.title} ({machine.shown(done.path)} {outcome})")


def _scope(host: Host, user: bool) -> Scope:
    return "user" if user else host.scopes()[0]


def _checked(dialect: str) -> str:
    """A host knows our server by its dialect: so one that is connected to several has each of them."""
    if dialect not in REGISTERED:
        raise BadValue(f"there is no dialect {dialect!r}; there are {', '.join(REGISTERED)}")
    return dialect


def _server(context: typer.Context, http: bool, dialect: str) -> Server:
    config, is_other = config_of(context), dialect != DEFAULT
    if http:
        url = f"{config.base_url}/mcp" + (f"/{dialect}" if is_other else "")
        always = access_to(dialect).credential is Credential.ALWAYS
        return ServerUrl(url, needs_token=config.require_token or always or _needs_key(config))
    typed = (context.obj or {}).get("vault") is not None
    arguments = ("--dialect", dialect) if is_other else ()
    return Program(get_executable(), carried(config, os.environ, vault_was_typed=typed), arguments)


def _needs_key(config: Config) -> bool:
    """Whether the daemon is a team's. A key is written into no file of a host: it is each user's own."""
    return config.mode == "team" or bool(config.url and config.token)


def _install(
    context: typer.Context,
    host: Host,
    scope: Scope,
    machine: Machine,
    server: Server,
    force: bool,
    name: str,
    as_json: bool,
) -> None:
    records = Records(config_of(context).state_dir)
    done = connect_host(host, scope, machine, server, records, force=force, name=name)
    if as_json:
        backup = str(done.backup) if done.backup else None
        print_json({"host": host.name, "file": str(done.path), "changed": done.changed, "backup": backup})
        return
    shown = machine.shown(done.path)
    if not done.changed:
        out.print(f"{host.title} is connected already ({shown}); nothing was changed")
        return
    out.print(f"connected {host.title} ({shown})")
    if done.backup:
        err.print(f"The file as it was: {machine.shown(done.backup)}")
    if server.needs_token if isinstance(server, ServerUrl) else _needs_key(config_of(context)):
        err.print(f"Its daemon asks for a token: set {TOKEN_VARIABLE} where {host.title} is started.")
    for hint in (host.asks if scope == "project" else "", host.afterwards):
        if hint:
            err.print(hint)


def _print(host: Host, machine: Machine, server: Server, name: str, as_json: bool) -> None:
    fragment = text(host, server, name)
    asked = host.name if name == DEFAULT else f"{host.name} --dialect {name}"
    files = {scope: machine.shown(host.file(scope, machine)) for scope in host.scopes()}
    if as_json:
        print_json(
            {
                "host": host.name,
                "title": host.title,
                "files": files,
                "language": host.language,
                "fragment": fragment,
            }
        )
        return
    err.print(
        f"{host.title} reads this from {' or '.join(files.values())}; "
        f"`helix connect {asked} --install` puts it into {next(iter(files.values()))}."
    )
    sys.stdout.write(fragment)


def _list(machine: Machine, as_json: bool) -> None:
    statuses = host_statuses(machine)
    if as_json:
        print_json([_row(status, machine) for status in statuses])
        return
    rows = [
        (
            status.host.name,
            status.host.title,
            "yes" if status.detected else "no",
            ", ".join(machine.shown(connection.path) for connection in status.connections) or "no",
        )
        for status in statuses
    ]
    print_table(("host", "name", "here", "connected"), rows, shrink="connected")
    for status in statuses:
        for problem in status.problems:
            err.print(f"helix: {problem}", style="yellow")


def _row(status: HostStatus, machine: Machine) -> dict[str, Any]:
    return {
        "host": status.host.name,
        "title": status.host.title,
        "detected": status.detected,
        "files": {scope: str(status.host.file(scope, machine)) for scope in status.host.scopes()},
        "connections": [
            # not the whole entry: a person may keep a secret in it
            {
                "scope": connection.scope,
                "file": str(connection.path),
                "command": connection.executable,
                "url": connection.url,
            }
            for connection in status.connections
        ],
        "problems": status.problems,
    }
