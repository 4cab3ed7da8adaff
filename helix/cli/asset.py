"""helix asset: files that a team shares, such as prompts and templates."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli.completion import complete_projects
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.verbs import Verbs, gather, open_verbs
from helix.errors import BadValue
from helix.harnesses.asset_folder import AssetFact, AssetFolder, AssetOutcome

app = typer.Typer(
    help="Share files with others: prompts, templates, snippets.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
_LARGEST = 64 * 1024 * 1024


@app.command("list")
@reports_errors
def list_assets(
    context: typer.Context,
    include_deleted: Annotated[
        bool, typer.Option("--include-deleted", help="Also those that were taken back.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    as_json: Json = False,
) -> None:
    """List the files that are shared."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "assets", include_deleted=include_deleted), "assets", limit)
    if as_json:
        print_json(answer)
    elif answer["assets"]:
        print_table(
            ("name", "type", "bytes", "version", "for", "id"),
            [
                (
                    asset["name"],
                    asset["type"],
                    asset["size"],
                    asset["version"],
                    asset["visibility"],
                    asset["id"],
                )
                for asset in answer["assets"]
            ],
            shrink="id",
        )
    else:
        err.print("nothing is shared; `helix asset publish FILE` shares a file")


@app.command()
@reports_errors
def publish(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file.")],
    name: Annotated[str | None, typer.Option(help="Its name. Default: that of the file.")] = None,
    kind: Annotated[str, typer.Option("--type", help="prompt, template, snippet or file.")] = "file",
    description: Annotated[str, typer.Option(help="What it is, in a few words.")] = "",
    visibility: Annotated[str | None, typer.Option(help="private, project or team.")] = None,
    project: Annotated[
        str | None, typer.Option(help="The project that it belongs to.", autocompletion=complete_projects)
    ] = None,
    allow_secrets: Annotated[
        bool, typer.Option("--allow-secrets", help="Also a text that holds what looks like a credential.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Share a file. Under a name that is there already it becomes the next version."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(
            "asset_publish",
            asset_name=name or file.name,
            base64=base64.b64encode(_read(file)).decode("ascii"),
            asset_type=kind,
            description=description,
            visibility=visibility,
            project=project,
            allow_secrets=allow_secrets,
        )
    if as_json:
        print_json(answer)
    elif answer["status"] == "noop":
        out.print(f"{answer['name']} is shared so already")
    else:
        out.print(f"{answer['name']} is shared, version {answer['version']} ({answer['id']})")


@app.command()
@reports_errors
def pull(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="Names or ids. Default: all that are shared."),
    ] = None,
    to: Annotated[Path, typer.Option("--to", help="The folder they are written into.")] = Path("assets"),
    force: Annotated[bool, typer.Option("--force", help="Also over files that say something else.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would change, and change nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write shared files into a folder.

    The same again writes nothing. A file that somebody changed stays; one that was taken back is removed if nobody did.
    """
    config = config_of(context)
    folder = AssetFolder(to.absolute(), config.state_dir, config.vault)
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "assets", include_deleted=True), "assets", None)
        chosen = _chosen(answer["assets"], names or [])
        fetch = partial(_fetch, verbs)
        done = [folder.pull(fact, fetch, force=force, dry_run=dry_run) for fact in chosen]
    _report([each for each in done if each.state != "gone"], dry_run, as_json)


@app.command()
@reports_errors
def tombstone(
    context: typer.Context,
    asset_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the asset.")],
    as_json: Json = False,
) -> None:
    """Take a file back. Who pulls next has it no more."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("asset_tombstone", memory_id=asset_id)
    print_json(answer) if as_json else out.print(f"{answer['name']} is taken back; `helix restore` undoes it")


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            raise BadValue(f"there is no file {file}")
        if file.stat().st_size > _LARGEST:
            raise BadValue(f"{file} is too large to be shared; `assets.most_bytes` says how much is taken")
        return file.read_bytes()
    except OSError as error:
        raise BadValue(f"{file} cannot be read ({error.strerror or error})") from error


def _chosen(assets: Sequence[dict[str, Any]], names: Sequence[str]) -> list[AssetFact]:
    """Of several with one name the first that counts: a folder has one file of it."""
    found: dict[str, AssetFact] = {}
    for asset in sorted(assets, key=lambda asset: asset["status"] != "active"):
        if not names or asset["name"] in names or asset["id"] in names:
            fact = AssetFact(asset["id"], asset["name"], asset["hash"], asset["status"] != "active")
            found.setdefault(fact.name.casefold(), fact)
    known = {fact.name for fact in found.values()} | {fact.id for fact in found.values()}
    if missing := [name for name in names if name not in known]:
        raise BadValue(f"nothing is shared as {missing[0]!r}; `helix asset list` shows what is")
    return sorted(found.values(), key=lambda fact: fact.name)


def _fetch(verbs: Verbs, asset_id: str) -> bytes:
    return base64.b64decode(verbs.ask("asset_pull", memory_id=asset_id)["base64"] or "")


def _report(done: Sequence[AssetOutcome], dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json({"dry_run": dry_run, "assets": [asdict(each) for each in done]})
        return
    for each in done:
        out.print(f"{each.name}: {each.state}")
    if not done:
        err.print("nothing to pull")
