"""helix documents: what the vault holds of files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from helix.cli.completion import complete_ids
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import gather, open_verbs

app = typer.Typer(
    help="List, show and forget the documents in the vault.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

DocumentId = Annotated[
    str, typer.Argument(metavar="ID", help="The id of any of its notes.", autocompletion=complete_ids)
]


@app.command("list")
@reports_errors
def list_documents(
    context: typer.Context,
    under: Annotated[Path | None, typer.Option(help="Only those of this folder.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many at most; all, unless you say so.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the documents, by where they come from."""
    folder = None if under is None else f"{Path(os.path.realpath(under)).as_uri()}/"
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "documents", under=folder), "documents", limit)
    if as_json:
        print_json(answer)
        return
    for document in answer["documents"]:
        gone = "  its file is gone" if document.get("vanished") else ""
        out.parts(
            (document["id"], "bold"),
            (f"  {document['title']}", ""),
            (f"  {document['uri']}  {document['notes']} of {document['parts']} notes{gone}", "dim"),
        )
    if not answer["documents"]:
        err.print("there is no document yet; `helix ingest FILE` makes notes of one")


@app.command()
@reports_errors
def show(context: typer.Context, document: DocumentId, as_json: Json = False) -> None:
    """Show the notes of a document, and where each comes from."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("document", document_id=document)
    if as_json:
        print_json(answer)
        return
    out.print(answer["title"], style="bold")
    out.print(answer["uri"], style="dim")
    for part in answer["items"]:
        out.parts((part["id"], ""), (f"  {part.get('place') or ''}", "dim"))


@app.command()
@reports_errors
def forget(context: typer.Context, document: DocumentId, as_json: Json = False) -> None:
    """Take all notes of a document out of the answers; its file is not touched."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("document_forget", document_id=document)
    if as_json:
        print_json(answer)
        return
    out.print(f"forgot {len(answer['forgotten'])} notes; `helix restore ID` brings one back")
