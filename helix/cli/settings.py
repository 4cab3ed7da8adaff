"""helix config: the settings in force, where each comes from, and changing them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.config import (
    CONFIG_FILE,
    ENVIRONMENT,
    SECRETS,
    Setting,
    set_in_file,
    settings,
    unset_in_file,
    without_password,
)
from helix.errors import ConfigError

app = typer.Typer(
    help="Show and change the settings.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)

_HIDDEN = "(set; `helix token` prints it)"


def _complete(context: typer.Context, incomplete: str) -> list[str]:
    return [one.name for one in _in_force(context) if one.name.startswith(incomplete)]


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Such as port or git.autocommit.", autocompletion=_complete)
]


@app.command()
@reports_errors
def show(context: typer.Context, as_json: Json = False) -> None:
    """List every setting, its value and where it comes from."""
    rows = _in_force(context)
    if as_json:
        print_json([{"name": one.name, "value": _shown(one), "origin": one.origin} for one in rows])
        return
    room = max(len(one.name) for one in rows)
    for setting in rows:
        origin = "" if setting.origin == "default" else f"  from {setting.origin}"
        out.parts((f"{setting.name:<{room}}  ", ""), (_to_text(setting) or "(none)", ""), (origin, "dim"))
    err.print(f"`helix config set NAME VALUE` writes {_file(context)}", style="dim")


@app.command()
@reports_errors
def get(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Print one setting."""
    setting = _find(context, name)
    if as_json:
        print_json({"name": name, "value": _shown(setting), "origin": setting.origin})
    else:
        out.print(_to_text(setting))


@app.command("set")
@reports_errors
def set_one(
    context: typer.Context,
    name: Name,
    value: Annotated[str, typer.Argument(help="The value; true or false for a switch.")],
    as_json: Json = False,
) -> None:
    """Write a setting into your config.toml."""
    before = _find(context, name)
    set_in_file(_file(context), name, _typed(before, value))
    _answer(context, name, as_json)


@app.command()
@reports_errors
def unset(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Take a setting out of your config.toml."""
    _find(context, name)
    if not unset_in_file(_file(context), name) and not as_json:
        err.print(f"{name} is not in {_file(context)}")
    _answer(context, name, as_json)


@app.command()
@reports_errors
def path(context: typer.Context, as_json: Json = False) -> None:
    """Print where your config.toml is, or would be."""
    if as_json:
        print_json({"path": str(_file(context)), "exists": _file(context).exists()})
    else:
        out.print(str(_file(context)), wrap=False)


def _answer(context: typer.Context, name: str, as_json: bool) -> None:
    now = _find(context, name)
    if as_json:
        print_json({"name": name, "value": _shown(now), "origin": now.origin})
        return
    out.print(f"{name} = {_to_text(now)}  (from {now.origin})")
    if now.origin in ENVIRONMENT or now.origin == "the command line":
        err.print(f"{now.origin} is stronger than the file", style="yellow")
    err.print("A running daemon takes it up when it starts again.", style="dim")


def _in_force(context: typer.Context) -> list[Setting]:
    return settings(os.environ, Path.home(), context.obj or {})


def _find(context: typer.Context, name: str) -> Setting:
    known = {one.name: one for one in _in_force(context)}
    if name not in known:
        import difflib

        nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
        raise ConfigError(f"there is no setting {name!r}; did you mean {nearest!r}?")
    return known[name]


def _file(context: typer.Context) -> Path:
    return config_of(context).config_dir / CONFIG_FILE


def _typed(now: Setting, text: str) -> object:
    """The value as the type of the setting wants it; what does not fit is refused with the name of the setting."""
    if isinstance(now.value, bool) and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if isinstance(now.value, int | float) and not isinstance(now.value, bool):
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
    if isinstance(now.value, tuple):
        import json

        try:
            return json.loads(text)
        except ValueError:
            # Names may be typed as they are; a program and its arguments may not, and are refused as a text.
            names = [name.strip() for name in text.split(",") if name.strip()]
            return text if any(" " in name for name in names) else names
    if isinstance(now.value, Path):
        return text if text.startswith("~") else str(Path(text).absolute())
    return text


def _shown(setting: Setting) -> object:
    if setting.name in ("index", "limits.redis"):
        return without_password(str(setting.value))
    if setting.name in SECRETS:
        return _HIDDEN if setting.value else ""
    return str(setting.value) if isinstance(setting.value, Path) else setting.value


def _to_text(setting: Setting) -> str:
    value = _shown(setting)
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
