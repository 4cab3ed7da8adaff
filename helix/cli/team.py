"""helix team: from a vault of one person to one of several."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.access.key_facts import to_json
from helix.cli.key import print_key
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.user import open_credentials
from helix.errors import AlreadyExists, VaultMissing

app = typer.Typer(
    help="Begin to share a vault with others.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

_SHARED = """Nothing in the vault was moved or rewritten. From now on:
- what somebody writes at scope global is theirs alone, unless it says `visibility: team`
- what somebody writes in a project is for its members; `helix project create` and `share` say who they are
- what was in the vault before has no owner: you see it on this machine, and others see it once it says whose it is
  (`owner`, `visibility`), or `.helix/visibility.yaml` says it of its folder"""


@app.callback()
def team() -> None:
    """Begin to share a vault with others."""


@app.command()
@reports_errors
def init(
    context: typer.Context,
    admin: Annotated[str, typer.Option(help="The name of the first admin.")] = "admin",
    as_json: Json = False,
) -> None:
    """Add the first admin, print their key once, and say what is private and what is shared."""
    config = config_of(context)
    if not config.vault.is_dir():
        raise VaultMissing(f"there is no vault at {config.vault}; `helix init` makes one")
    with open_credentials(context) as credentials:
        if users := credentials.list_users():
            raise AlreadyExists(
                f"there is a team already: {', '.join(user.name for user in users)}; `helix user add` adds to it"
            )
        credentials.add_user(admin, "admin")
        key, text = credentials.create_key(admin, name="first")
    if as_json:
        print_json({"user": admin, "key": text, **to_json(key)})
        return
    print_key(key, text)
    err.print(_SHARED)
    if config.mode == "local":
        err.print("`helix config set mode team` asks everybody for a key, once the daemon starts again.")
    out.stream.flush()
