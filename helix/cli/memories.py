"""helix add, list, show, forget, restore, adopt."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.session import session
from helix.compose import purge
from helix.errors import BadValue
from helix.index.catalog import Row
from helix.vault import frontmatter
from helix.vault.birth import NewMemory, title_from
from helix.vault.load import Value
from helix.vault.note import Note
from helix.vault.times import parse_time

MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]


@reports_errors
def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="The text, or - to read it from standard input.")],
    title: Annotated[str | None, typer.Option(help="Default: the first line of the text.")] = None,
    kind: Annotated[str, typer.Option(help="fact, preference, decision, snippet, task, …")] = "fact",
    project: Annotated[str | None, typer.Option(help="Default: the memory holds everywhere.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="May be given several times.")] = None,
    supersedes: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="The memory this one replaces.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a new memory."""
    body = sys.stdin.read() if text == "-" else text
    if not body.strip():
        raise BadValue("the text is empty; there is nothing to remember")
    more: dict[str, Value] = {"source": {"agent": "cli"}}
    new = NewMemory(
        body=body,
        title=title or title_from(body),
        kind=kind,
        scope="project" if project else "global",
        project=project,
        tags=tag or (),
        more=more,
    )
    with session(context) as helix:
        note = helix.memories.add(new, supersedes=supersedes or ())
    _answer(note, helix.memories.degraded, as_json)


@reports_errors
def list_memories(
    context: typer.Context,
    project: Annotated[str | None, typer.Option(help="Only memories of this project.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only memories with this tag.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only memories of this kind.")] = None,
    include_deleted: Annotated[bool, typer.Option(help="Also deleted, erased and superseded ones.")] = False,
    as_json: Json = False,
) -> None:
    """List the memories, last changed first."""
    with session(context) as helix:
        rows = [
            row
            for row in helix.memories.list(include_hidden=include_deleted)
            if (project is None or row.meta.get("project") == project)
            and (tag is None or tag.casefold() in {one.casefold() for one in row.meta.get("tags", ())})
            and (kind is None or row.meta.get("kind") == kind)
        ]
    rows.sort(
        key=lambda row: str(row.meta.get("updated_at") or row.meta.get("created_at") or ""), reverse=True
    )
    if as_json:
        print_json([_row_to_dict(row) for row in rows])
    elif rows:
        cells = [
            (row.id, row.meta["title"], row.meta["kind"], row.meta.get("project"), row.status) for row in rows
        ]
        print_table(("id", "title", "kind", "project", "status"), cells, shrink="title")
    else:
        err.print("no memories; `helix add TEXT` writes one")


@reports_errors
def show(
    context: typer.Context,
    memory_id: MemoryId,
    ref: Annotated[str | None, typer.Option(help="As it was at a git commit, branch or tag.")] = None,
    as_of: Annotated[str | None, typer.Option(help="As it was at a time, e.g. 2026-06-18T09:00Z.")] = None,
    as_json: Json = False,
) -> None:
    """Print one memory, now or in the past."""
    with session(context) as helix:
        if ref is None and as_of is None:
            note = helix.memories.get(memory_id)
        else:
            _, note = helix.memories.as_of(memory_id, when=_moment(as_of), ref=ref)
    if as_json:
        print_json(_note_to_dict(note))
    else:
        out.print(frontmatter.emit(note.document).decode().rstrip("\n"))


@reports_errors
def forget(
    context: typer.Context,
    memory_id: MemoryId,
    hard: Annotated[bool, typer.Option("--hard", help="Erase the text for good. Cannot be undone.")] = False,
    as_json: Json = False,
) -> None:
    """Mark a memory as deleted; the file stays and `helix restore` brings it back."""
    with session(context) as helix:
        note = helix.memories.erase(memory_id) if hard else helix.memories.forget(memory_id)
        if hard:
            purge(helix)
        in_git = (Path(helix.vault.root.path) / ".git").exists()
    _answer(note, helix.memories.degraded, as_json)
    if hard:
        err.print(
            "The text is gone from the vault. Out of Helix's reach: the version history of your sync service"
            + (", and this vault's git history (`git filter-repo` rewrites that)." if in_git else ".")
        )


@reports_errors
def restore(
    context: typer.Context,
    memory_id: MemoryId,
    at: Annotated[
        str | None, typer.Option(metavar="REV", help="Also turn the text back to a git revision.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bring a forgotten memory back."""
    with session(context) as helix:
        note = helix.memories.restore(memory_id, at=at)
    _answer(note, helix.memories.degraded, as_json)


@reports_errors
def adopt(
    context: typer.Context,
    memory_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Derived ids (file_…).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every note that has no id yet.")] = False,
    as_json: Json = False,
) -> None:
    """Give notes that have no id of their own a real one."""
    with session(context) as helix:
        wanted = memory_ids or []
        if everything:
            wanted = [row.id for row in helix.memories.list(include_hidden=True) if not row.has_id]
        elif not wanted:
            raise BadValue("name the notes to adopt (`helix list` shows their ids), or say --all")
        notes = [helix.memories.adopt(one) for one in wanted]
    if as_json:
        print_json([{"id": note.id, "path": note.path} for note in notes])
    else:
        for note in notes:
            out.print(f"{note.id}  {note.path}")


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = parse_time(text)
    if moment is None:
        raise BadValue(f"{text!r} is not a time; write it like 2026-06-18 or 2026-06-18T09:12:44Z")
    return moment


def _answer(note: Note, degraded: str | None, as_json: bool) -> None:
    if as_json:
        said = {"id": note.id, "path": note.path, "status": note.memory.status, "hash": note.hash}
        print_json({**said, "degraded": degraded})
        return
    out.print(f"{note.id}  {note.memory.status}  {note.path}")
    if degraded:
        err.print(degraded, style="yellow")


def _row_to_dict(row: Row) -> dict[str, Any]:
    return {"id": row.id, "status": row.status, **row.meta, "path": row.path, "has_id": row.has_id}


def _note_to_dict(note: Note) -> dict[str, Any]:
    said = {key: value for key, value in vars(note.memory).items() if value not in (None, (), {})}
    return {**said, "path": note.path, "hash": note.hash, "has_id": note.has_id}
