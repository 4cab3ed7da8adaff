"""The commands as a typer application. A command's module is imported when somebody asks for it, not before."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from helix.cli.main import ABOUT, commands, help_page

_SETTINGS = {"help_option_names": ["-h", "--help"]}


class LazyGroup(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return load(cmd_name) if cmd_name in commands() else None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_page())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in commands():
            near = difflib.get_close_matches(args[0], commands())
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"there is no command {args[0]!r}{hint} `helix --help` lists them.")
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """The command of this name, made from its function, or from the typer application of its group."""
    place, _ = commands()[name]
    module, _, attribute = place.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS)
        alone.command(name)(found)
        found = alone
    command = get_command(found)
    command.name = name
    return command


app = typer.Typer(
    name="helix",
    cls=LazyGroup,
    help=ABOUT,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


@app.callback()
def options(
    context: typer.Context,
    vault: Annotated[Path | None, typer.Option(help="The vault folder (HELIX_VAULT, ~/helix-vault).")] = None,
) -> None:
    context.obj = {"vault": vault}


def run() -> None:
    app(prog_name="helix")
