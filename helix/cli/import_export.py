"""helix export and import: memories on their way out of a vault and into one."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli.open_vault import session
from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.errors import BadValue
from helix.memory.portability.import_format_names import AUTO, FORMATS

_SHOWN = 20
"""reasons that are printed for people; --json has all of them"""


# The strand's modules are imported where they are used: every other command would wait for them too.


@reports_errors
def export(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="Default: the vault's name with .strand; - is standard output."
        ),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Only memories of this project.")] = None,
    scope: Annotated[str | None, typer.Option(help="Only global, project or session.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only memories of this kind.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only memories with this tag.")] = None,
    include_deleted: Annotated[
        bool,
        typer.Option(
            "--include-deleted", help="Also the text of deleted ones, not only that they are deleted."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if there is one.")] = False,
    as_json: Json = False,
) -> None:
    """Write the memories into one file that any Helix imports."""
    from helix.memory.portability.export_archive import SUFFIX, export_strand, write_file, write_stream
    from helix.memory.portability.export_manifest import Selection

    to_stdout = file == "-"
    if to_stdout and as_json:
        raise BadValue("standard output cannot take both the strand and JSON; name a file")
    with session(context) as helix, progress_bar("exporting") as progress:
        target = Path(file or f"{helix.config.vault.resolve().name}{SUFFIX}")
        fill = partial(
            export_strand,
            helix.vault,
            helix.catalog,
            selection=Selection(project, scope, kind, tag, include_deleted),
            embedder=helix.config.model,
            progress=progress,
        )
        manifest = (
            write_stream(sys.stdout.buffer, fill) if to_stdout else write_file(target, fill, replace=force)
        )
    counts = manifest.counts
    if as_json:
        answer = manifest.to_dict()
        print_json({"file": str(target), **{key: value for key, value in answer.items() if key != "entries"}})
        return
    voice = err if to_stdout else out
    by_status = ", ".join(
        f"{count} {name}" for name, count in counts.items() if name not in ("memories", "edges")
    )
    voice.print(
        f"{'standard output' if to_stdout else target}: {counts['memories']} memories ({by_status or 'none'})"
    )
    for path, reason in manifest.left_out[:_SHOWN]:
        err.print(f"left out: {path}: {reason}", style="yellow")


@reports_errors
def import_memories(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="A strand, a file, a folder or a zip.")],
    form: Annotated[str, typer.Option("--format", help=f"{AUTO}, {', '.join(FORMATS)}.")] = AUTO,
    project: Annotated[str | None, typer.Option(help="The project that the memories belong to.")] = None,
    scope: Annotated[str | None, typer.Option(help="global, project or session.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Given to every memory; may be given several times.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")
    ] = False,
    allow_secrets: Annotated[
        bool, typer.Option("--allow-secrets", help="Also what looks like a credential.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring memories in, from a strand or another tool.

    Doing it twice changes nothing.
    """
    from helix.memory.maintenance.freeze import Freeze
    from helix.memory.portability.import_ids import ImportOptions
    from helix.memory.portability.import_records import Importer

    with session(context) as helix, progress_bar("importing") as progress:
        if not dry_run:
            Freeze(helix.state).check()
        importer = Importer(helix.vault, helix.catalog, helix.take_in)
        options = ImportOptions(project, scope, tuple(tag or ()))
        report = importer.run(
            source,
            form=form,
            options=options,
            rehearse=dry_run,
            allow_secrets=allow_secrets,
            progress=progress,
        )
    answer = report.to_dict()
    if as_json:
        print_json(answer)
    else:
        _print_report(answer)


def _print_report(answer: dict[str, Any]) -> None:
    counts = ", ".join(f"{answer[name]} {name}" for name in ("made", "updated", "merged", "unchanged"))
    would = "would be " if answer["dry_run"] else ""
    out.print(
        f"{answer['format']}: {would}{counts}, {len(answer['kept'])} kept, {len(answer['skipped'])} skipped"
    )
    for name, count in answer["ignored"].items():
        out.print(f"  not looked at: {count} {name}")
    for title in ("kept", "skipped"):
        for entry in answer[title][:_SHOWN]:
            err.print(f"{title}: {entry['name']}: {entry['reason']}", style="yellow")
        if (more := len(answer[title]) - _SHOWN) > 0:
            err.print(f"… and {more} more; --json lists all", style="yellow")
    if answer["degraded"]:
        err.print(answer["degraded"], style="yellow")
