"""Opening the vault for one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from helix.cli.output import err, progress_bar
from helix.config import Config, from_process

if TYPE_CHECKING:
    from helix.memory.followed_vault import FollowedVault


def config_of(context: typer.Context, **flags: object) -> Config:
    """The settings in force, with the vault of the workspace that was chosen; `flags` are those that the command itself
    was given."""
    config = config_of_daemon(context, **flags)
    if not config.workspace or (context.obj or {}).get("vault"):  # who names a folder means that folder
        return config
    from helix.access.workspaces import in_workspace  # not above: most people have one vault

    return in_workspace(config)


def config_of_daemon(context: typer.Context, **flags: object) -> Config:
    """The same, whichever workspace was chosen: of the daemon that has them all."""
    options: dict[str, object] = context.obj or {}
    return from_process(**options, **flags)


@contextmanager
def session(context: typer.Context) -> Iterator[FollowedVault]:
    """The vault with a catalog that is up to date: kept by the daemon when one runs, else brought up here."""
    from helix.compose import open_vault  # not above: a command that asks the daemon needs nothing of it

    with open_vault(config_of(context)) as helix:
        with progress_bar("reading the vault") as progress:
            helix.catch_up(progress)
        if helix.reconciler.brake.reason:
            err.print(f"helix: {helix.reconciler.brake.reason}", style="yellow")
        yield helix
