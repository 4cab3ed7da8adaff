"""The commands as a typer application. A command's module is imported when somebody asks for it, not before."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from helix.cli.main import ABOUT, commands, help_page

_SETTINGS = {"help_option_names": ["-h", "--help"]}


class LazyGroup(TyperGroup):
    _names_are_enough = False

    def list_commands(self, ctx: Any) -> list[str]:
        return list(commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in commands() and self._names_are_enough:
            return TyperCommand(name=cmd_name, help=commands()[cmd_name][1])
        return load(cmd_name) if cmd_name in commands() else None

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """After Tab a name and a line of help are wanted of every command, and not its module."""
        self._names_are_enough = True
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self._names_are_enough = False

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_page())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in commands():
            near = difflib.get_close_matches(args[0], commands())
            hint = f"did you mean {' or '.join(near)}?" if near else "`helix --help` lists them"
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """The command of this name, made from its function, or from the typer application of its group."""
    location, _ = commands()[name]
    module, _, attribute = location.partition(":")
    target = getattr(importlib.import_module(module), attribute)
    if not isinstance(target, typer.Typer):
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS)
        alone.command(name)(target)
        target = alone
    command = get_command(target)
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


def _say_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version  # only here: no other command needs it at its start

        print(f"helix {version('helix-memory')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    vault: Annotated[Path | None, typer.Option(help="The vault folder (HELIX_VAULT, ~/helix-vault).")] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say which Helix this is.")
    ] = False,
) -> None:
    context.obj = {"vault": vault}
