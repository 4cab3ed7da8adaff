"""Opening the vault for one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from helix.cli.output import err, progress_bar
from helix.compose import Helix, open_helix
from helix.config import Config, from_process


def config_of(context: typer.Context) -> Config:
    flags: dict[str, object] = context.obj or {}
    return from_process(**flags)


@contextmanager
def session(context: typer.Context) -> Iterator[Helix]:
    """The vault with a catalog that is up to date: kept by the daemon when one runs, else brought up here."""
    with open_helix(config_of(context)) as helix:
        with progress_bar("reading the vault") as progress:
            helix.catch_up(progress)
        if helix.reconciler.brake.reason:
            err.print(f"helix: {helix.reconciler.brake.reason}", style="yellow")
        yield helix
