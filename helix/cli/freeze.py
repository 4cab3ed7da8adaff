"""helix freeze and thaw: no changes for a while, whoever asks."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.output import Json, out, print_json, reports_errors
from helix.cli.verbs import open_verbs


@reports_errors
def freeze(
    context: typer.Context,
    reason: Annotated[str, typer.Argument(help="Why; whoever is refused is told.")] = "",
    as_json: Json = False,
) -> None:
    """Refuse changes until the vault is thawed.

    Reading goes on, and files that a person edits are followed. It survives a restart of the daemon.
    """
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("freeze", reason=reason)
    if as_json:
        print_json(answer)
    else:
        out.print(f"frozen: {answer['frozen']['reason']}; `helix thaw` takes changes again")


@reports_errors
def thaw(context: typer.Context, as_json: Json = False) -> None:
    """Take changes again."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("thaw")
    if as_json:
        print_json(answer)
    else:
        out.print("thawed: changes are taken again")
