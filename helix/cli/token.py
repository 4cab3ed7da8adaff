"""helix token: what programs show to a daemon that asks."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, out, print_json, reports_errors
from helix.token_file import TokenFile


@reports_errors
def token(
    context: typer.Context,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Make a new one; the old one opens nothing any more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the token of this machine.

    One is made when there is none. A running daemon notices a new one.
    """
    file = TokenFile(config_of(context))
    value = file.rotate() if rotate else file.get()
    if as_json:
        print_json({"token": value})
    else:
        out.print(value)
