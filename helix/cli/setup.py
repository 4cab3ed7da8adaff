"""helix init: a new vault."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.config import CONFIG_FILE, set_in_file
from helix.errors import AlreadyExists
from helix.vault.commit_consent import CommitConsent
from helix.vault.history import History
from helix.vault.starter import find_example, find_template, start_vault


@reports_errors
def init(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="Default: HELIX_VAULT, or ~/helix-vault.")
    ] = None,
    if_missing: Annotated[
        bool, typer.Option("--if-missing", help="Say nothing when there is a vault.")
    ] = False,
    git: Annotated[bool, typer.Option("--git", help="Also make it a git repository and commit.")] = False,
    autocommit: Annotated[
        bool,
        typer.Option("--autocommit", help="Let the daemon commit quiet batches of changes; implies --git."),
    ] = False,
    example: Annotated[
        bool,
        typer.Option(
            "--example", help="Fill a new vault with the memories of an invented team, to look around in."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a vault: a folder of markdown files that you share.

    You and your agents read and write the same files. A folder that holds notes already keeps every byte of them.
    """
    config = config_of(context)
    vault = (folder or config.vault).absolute()
    started = start_vault(vault, find_template(), *([find_example()] if example else []))
    if started.was_vault and not (if_missing or git or autocommit):
        raise AlreadyExists(f"{vault} is a vault already; nothing was changed")
    history = History.start(vault, "Start the vault") if git or autocommit else None
    if autocommit and history is not None:
        history.agree_to_commits(CommitConsent(config.config_dir))
        set_in_file(config.config_dir / CONFIG_FILE, "git.autocommit", True)
    if as_json:
        print_json({"vault": str(vault), "created": started.created, "was_vault": started.was_vault})
    elif not started.was_vault:
        out.print(f"made a vault in {vault} ({len(started.created)} files)")
        if started.was_in_use:
            err.print("The folder holds notes already: they are memories now, and none of them was changed.")
            if example:
                err.print("The example was left out: it would stand among your own.")
        elif example:
            _say_how_to_remove(
                vault, "helix" if vault == config.vault else f"helix --vault {shlex.quote(str(vault))}"
            )
        if vault != config.vault:
            err.print(
                f"To use it: export HELIX_VAULT={shlex.quote(str(vault))}, or helix config set vault PATH"
            )


def _say_how_to_remove(vault: Path, helix: str) -> None:
    """The brake takes so many missing files at once for an unmounted vault, so a person has to say that it is not."""
    names = sorted(path.name for path in find_example().iterdir() if path.is_dir())
    folders = " ".join(shlex.quote(str(vault / name)) for name in names)
    err.print(f"The example is in {folders}. To remove it:")
    err.print(f"  rm -r {folders} && {helix} reindex --accept-missing")
