"""The `helix` command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from helix.cli import care, carry, find, memories, models, past, setup, tidy, token

app = typer.Typer(
    name="helix",
    help="A memory for coding agents that you can read: markdown files in a folder of yours.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    context: typer.Context,
    vault: Annotated[Path | None, typer.Option(help="The vault folder (HELIX_VAULT, ~/helix-vault).")] = None,
) -> None:
    context.obj = {"vault": vault}


app.command()(setup.init)
app.command()(memories.add)
app.command("list")(memories.list_memories)
app.command()(find.search)
app.command()(memories.show)
app.command()(memories.forget)
app.command()(memories.restore)
app.command()(memories.adopt)
app.command()(past.history)
app.command()(past.diff)
app.command()(carry.export)
app.command("import")(carry.import_memories)
app.command()(care.status)
app.command()(care.doctor)
app.command()(care.reindex)
app.command()(tidy.consolidate)
app.command()(token.token)
app.add_typer(models.app, name="model")


def main() -> None:
    app()
