"""helix model: which model turns text into vectors. Nothing is downloaded unless `pull` is asked to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.config import CONFIG_FILE, Config, set_in_file
from helix.errors import ModelUnavailable
from helix.index import pulled_models
from helix.index.models import BUNDLED, NONE, Model, bundled_embedder, downloaded, from_folder, get_model

app = typer.Typer(
    help="Choose the model that searches by meaning.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("list")
@reports_errors
def list_models(
    context: typer.Context,
    as_json: Json = False,
) -> None:
    """Show the models that are here and those that could be."""
    config = config_of(context)
    rows = _rows(config)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        facts = (
            f"{row['where']}, {row['dimensions']} dimensions, {row['size'] / 1e6:.0f} MB, {row['licence']}"
        )
        out.parts(
            (f"{'*' if row['in_use'] else ' '} {row['name']}", "bold" if row["in_use"] else ""),
            (f"  {facts}", "dim"),
        )
    if config.model == NONE:
        err.print("No model is in use: search is by words only.")


@app.command()
@reports_errors
def use(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(help="`bundled`, `none`, a model that was pulled, or a folder with model.onnx in it."),
    ],
    as_json: Json = False,
) -> None:
    """Search with another model from now on. The notes are embedded again in the background."""
    config = config_of(context)
    choice = str(Path(name).absolute()) if Path(name).is_dir() else name
    if choice != NONE:
        model = get_model(choice, _models_dir(config))
        choice = BUNDLED if choice == BUNDLED else model.name
    path = config.config_dir / CONFIG_FILE
    set_in_file(path, "model", choice)
    if as_json:
        print_json({"model": choice, "config": str(path)})
    else:
        out.print(f"model = {choice!r} in {path}; a running daemon takes it up when it starts again")


@app.command()
@reports_errors
def pull(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="As `helix model list` spells it.")],
    as_json: Json = False,
) -> None:
    """Download a model. `helix model use` then chooses it."""
    config = config_of(context)
    model = pulled_models.pull(name, _models_dir(config))
    if as_json:
        print_json({"model": model.name, "folder": str(model.folder), "licence": model.licence})
    else:
        out.print(f"{model.name} ({model.licence}, {model.size / 1e6:.0f} MB) is in {model.folder}")


@app.command()
@reports_errors
def path(context: typer.Context, as_json: Json = False) -> None:
    """Print the folder of the model in use."""
    config = config_of(context)
    if config.model == NONE:
        raise ModelUnavailable("no model is in use; `helix model use bundled` takes the one that came along")
    folder = str(get_model(config.model, _models_dir(config)).folder)
    if as_json:
        print_json({"model": config.model, "folder": folder})
    else:
        out.print(folder)


def _models_dir(config: Config) -> Path:
    return config.state_dir / "models"


def _rows(config: Config) -> list[dict[str, Any]]:
    here = [(BUNDLED, "bundled", bundled_embedder())]
    here += [(model.name, "downloaded", model) for model in downloaded(_models_dir(config))]
    if Path(config.model).is_absolute():
        here.append((config.model, "folder", from_folder(Path(config.model))))
    rows = [_row(choice, where, installed, config) for choice, where, installed in here]
    names = {row["name"] for row in rows}
    for model in sorted(pulled_models.supported_models(), key=lambda model: float(model["size_in_GB"])):
        if model["model"] not in names:
            rows.append(
                {
                    "name": model["model"],
                    "where": "can be pulled",
                    "dimensions": model["dim"],
                    "size": int(model["size_in_GB"] * 1e9),
                    "licence": model["license"],
                    "in_use": False,
                }
            )
    return rows


def _row(choice: str, where: str, model: Model, config: Config) -> dict[str, Any]:
    return {
        "name": choice if where != "bundled" else f"{BUNDLED} ({model.name})",
        "where": where,
        "dimensions": model.dimensions,
        "size": model.size,
        "licence": model.licence,
        "in_use": choice.lower() == config.model.lower(),
    }
