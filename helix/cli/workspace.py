"""helix workspace: several vaults on one daemon, each by itself."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.access.workspaces import MAIN, ListedWorkspace, Workspaces, split_name
from helix.cli.open_vault import config_of_daemon
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.config import CONFIG_FILE, Config, set_in_file, unset_in_file
from helix.daemon_client import find_daemon
from helix.errors import BadValue, HelixError, WorkspaceNotFound
from helix.follow.lock import FollowLock
from helix.vault.vault_id import state_folder

app = typer.Typer(
    help="Make, list and archive the workspaces of a daemon.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The workspace: `web`, or `acme.web` for one of the org acme.")
]

_CLOSED_WITHIN = 20.0
_PAUSE = 0.05


@app.command("create")
@reports_errors
def create_workspace(
    context: typer.Context,
    name: Name,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Its vault folder, new or with notes in it. Default: beside the daemon's own vault."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a workspace: a vault of its own on the same daemon, which opens it when somebody asks for it.

    Nobody of another org, and no key that is bound to other workspaces, can ask for it.
    """
    from helix.vault.starter import find_template, start_vault

    config = _on_the_server(context)
    org, short = split_name(name)
    listed = Workspaces(config.config_dir, config.vault)
    vault = (folder or _beside(config.vault) / name).expanduser().absolute()
    made = listed.add(org or MAIN, short, vault)
    try:
        started = start_vault(vault, find_template())
    except HelixError:
        listed.remove(made.full_name)
        raise
    if as_json:
        print_json({**_told(made), "created": started.created})
        return
    out.print(f"made the workspace {made.full_name} in {vault}")
    if started.was_in_use:
        err.print("The folder holds notes already: they are its memories now, and none of them was changed.")
    err.print(
        f"`helix user add NAME --org {made.org}` adds somebody who may use it; "
        f"`helix workspace switch {made.full_name}` makes commands here work in it",
        style="dim",
    )


@app.command("list")
@reports_errors
def list_workspaces(context: typer.Context, as_json: Json = False) -> None:
    """List the workspaces: all of this machine's daemon, or those that your key opens."""
    config = config_of_daemon(context)
    daemon = find_daemon(config)
    rows = _listed_here(config) if daemon is None else daemon.ask("/workspaces")["workspaces"]
    for row in rows:
        row["chosen"] = row["name"] == config.workspace or (not config.workspace and row["is_default"])
    if as_json:
        print_json(rows)
        return
    print_table(
        ("", "workspace", "org", "state", "vault"),
        [
            ("*" if row["chosen"] else "", row["name"], row["org"], row["state"], row.get("vault", ""))
            for row in rows
        ],
        shrink="vault",
    )
    for row in rows:
        if row.get("reason"):
            err.print(f"{row['name']}: {row['reason']}", style="yellow")


@app.command("switch")
@reports_errors
def switch_workspace(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Work in a workspace from now on, where none is named.

    Commands, helix-mcp, the hooks and the Python SDK follow it; HELIX_WORKSPACE goes before it. `main` leads back.
    """
    config = config_of_daemon(context)
    if config.url:
        offered = find_daemon(config)
        known = [] if offered is None else offered.ask("/workspaces")["workspaces"]
        if name not in (one["name"] for one in known):
            names = ", ".join(str(one["name"]) for one in known)
            raise WorkspaceNotFound(f"there is no workspace {name[:80]!r} for you; there are {names}")
    else:
        found = Workspaces(config.config_dir, config.vault).get(name)
        if found.archived_at is not None:
            raise BadValue(
                f"{found.full_name} is archived; `helix workspace restore {found.full_name}` first"
            )
        name = found.full_name
    file = config.config_dir / CONFIG_FILE
    if name == MAIN and not config.url:
        unset_in_file(file, "workspace")
    else:
        set_in_file(file, "workspace", name)
    if as_json:
        print_json({"workspace": name})
        return
    out.print(f"working in {name}")
    if (overriding := os.environ.get("HELIX_WORKSPACE", "").strip()) and overriding != name:
        err.print(f"HELIX_WORKSPACE is set, and goes before it: {overriding}", style="yellow")


@app.command("archive")
@reports_errors
def archive_workspace(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Put a workspace away: nobody can ask for it any more, and its files stay as they are."""
    config = _on_the_server(context)
    listed = Workspaces(config.config_dir, config.vault).archive(name)
    _wait_until_closed(config, listed)
    if as_json:
        print_json(_told(listed))
        return
    out.print(f"archived {listed.full_name}; its notes are in {listed.vault}")
    err.print(f"`helix workspace restore {listed.full_name}` brings it back", style="dim")


@app.command("restore")
@reports_errors
def restore_workspace(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Bring an archived workspace back, as it was."""
    config = _on_the_server(context)
    listed = Workspaces(config.config_dir, config.vault).restore(name)
    if as_json:
        print_json(_told(listed))
    else:
        out.print(f"restored {listed.full_name}")


def _on_the_server(context: typer.Context) -> Config:
    config = config_of_daemon(context)
    if config.url:
        raise BadValue(
            f"HELIX_URL names the daemon at {config.url}; make and archive workspaces on its own machine"
        )
    return config


def _beside(vault: Path) -> Path:
    return vault.with_name(f"{vault.name}-workspaces")


def _wait_until_closed(config: Config, listed: ListedWorkspace) -> None:
    """Whoever archives a workspace may want to move its folder next."""
    if not listed.vault.is_dir():
        return
    lock = FollowLock(state_folder(config.state_dir, listed.vault))
    deadline = time.monotonic() + _CLOSED_WITHIN
    while lock.find_daemon() is not None and time.monotonic() < deadline:
        time.sleep(_PAUSE)


def _listed_here(config: Config) -> list[dict[str, Any]]:
    listed = Workspaces(config.config_dir, config.vault).all()
    return [
        {
            "name": workspace.full_name,
            "org": workspace.org,
            "is_default": workspace.is_main,
            "state": "archived" if workspace.archived_at else "closed",
            "vault": str(workspace.vault),
            "reason": None if workspace.vault.is_dir() else f"there is no folder {workspace.vault}",
        }
        for workspace in listed
    ]


def _told(listed: ListedWorkspace) -> dict[str, Any]:
    return {
        "name": listed.full_name,
        "org": listed.org,
        "vault": str(listed.vault),
        "archived_at": listed.archived_at,
    }
