"""helix project: which project this folder belongs to, and who may say so."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer
from helix_mcp.project import PROJECT_FILE, TRUSTED_FILE, find_project, trusted

from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.config import Config
from helix.errors import BadValue, ConfigError, StorageError

_LONGEST_NAME = 200

app = typer.Typer(
    help="Say which project this folder is of, and who works on it.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
@reports_errors
def show(context: typer.Context, as_json: Json = False) -> None:
    """Say which project this folder is of, and who works on it.

    HELIX_PROJECT comes first, then a `.helix-project` that you trust, then the git repository around the folder.
    """
    if context.invoked_subcommand is not None:
        return
    name_set = os.environ.get("HELIX_PROJECT", "").strip()
    project = find_project(os.getcwd(), str(config_of(context).config_dir))
    name = name_set or project.name
    if as_json:
        print_json({"project": name or None, "ignored": project.ignored or None})
        return
    out.print(name or "no project")
    if project.remark and not name_set:
        err.print(f"helix: {project.remark}", style="yellow")


@app.command("set")
@reports_errors
def set_name(
    context: typer.Context, name: Annotated[str, typer.Argument(help="The project.")], as_json: Json = False
) -> None:
    """Write a .helix-project with this name here, and trust it."""
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME:
        raise BadValue(f"a project has a name of 1 to {_LONGEST_NAME} characters")
    file = Path.cwd() / PROJECT_FILE
    try:
        _replace(file, f"{name}\n", 0o666)
    except OSError as error:
        raise StorageError.from_os(error, f"write {file}") from error
    _trust(config_of(context), file.parent, name)
    _answer(file.parent, name, as_json)


@app.command()
@reports_errors
def trust(context: typer.Context, as_json: Json = False) -> None:
    """Let the .helix-project around this folder name the project.

    It counts as long as it says the same name.
    """
    config = config_of(context)
    project = find_project(os.getcwd(), str(config.config_dir))
    if not project.ignored:
        raise BadValue(
            f"there is no {PROJECT_FILE} here that is not trusted already; the project is {project.name!r}"
        )
    folder = Path(project.ignored).parent
    _trust(config, folder, project.ignored_name)
    _answer(folder, project.ignored_name, as_json)


@app.command()
@reports_errors
def distrust(context: typer.Context, as_json: Json = False) -> None:
    """Let no .helix-project around this folder name the project any more."""
    config, here = config_of(context), os.path.realpath(os.getcwd())
    known = trusted(str(config.config_dir))
    kept = {folder: name for folder, name in known.items() if not Path(here).is_relative_to(folder)}
    if kept != known:
        _keep(config, kept)
    name = find_project(here, str(config.config_dir)).name
    if as_json:
        print_json({"project": name or None, "distrusted": sorted(set(known) - set(kept))})
    else:
        out.print(f"the project here is {name or 'none'}")


def _answer(folder: Path, name: str, as_json: bool) -> None:
    if as_json:
        print_json({"project": name, "folder": str(folder)})
    else:
        out.print(f"{folder} belongs to the project {name}")


def _trust(config: Config, folder: Path, name: str) -> None:
    _keep(config, {**trusted(str(config.config_dir)), os.path.realpath(folder): name})


def _keep(config: Config, names: dict[str, str]) -> None:
    file = config.config_dir / TRUSTED_FILE
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _replace(file, json.dumps(names, indent=2, ensure_ascii=False), 0o600)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written ({error.strerror}); set HELIX_CONFIG_DIR") from error


def _replace(file: Path, text: str, mode: int) -> None:
    """Never through a link: a repository may have brought one that leads to another file of the user's."""
    draft = file.with_name(f"{file.name}-{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as opened:
            opened.write(text.encode("utf-8", "surrogateescape"))
        draft.replace(file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
