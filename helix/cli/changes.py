"""helix file, forget, restore, relate and adopt: changing what is there."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.completion import complete_ids, complete_projects
from helix.cli.open_vault import config_of, session
from helix.cli.options import IdempotencyKey, MemoryId
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import Payload, open_verbs
from helix.errors import BadValue

_REACH = (
    "The text is gone from the vault. Out of Helix's reach: the version history of your sync service, and git's "
    "(`git filter-repo` rewrites that)."
)


@reports_errors
def file(
    context: typer.Context,
    memory_ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="The memories' ids.", autocompletion=complete_ids)
    ],
    project: Annotated[
        str, typer.Option(help="The project that they are of.", autocompletion=complete_projects)
    ],
    idempotency_key: IdempotencyKey = None,
    as_json: Json = False,
) -> None:
    """Say of which project memories are.

    `helix recent --unfiled` lists those of which nobody has said it; they are seen from every project until then.
    The files stay where they lie.
    """
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("file", memory_ids=memory_ids, project=project, idempotency_key=idempotency_key)
    lines = [f"{one}  filed under {answer['project']}" for one in answer["filed"]]
    _answer(answer, "\n".join(lines) or f"all of them are of {answer['project']} already", as_json)


@reports_errors
def forget(
    context: typer.Context,
    memory_id: MemoryId,
    hard: Annotated[bool, typer.Option("--hard", help="Erase the text for good. Cannot be undone.")] = False,
    idempotency_key: IdempotencyKey = None,
    as_json: Json = False,
) -> None:
    """Mark a memory as deleted; its file stays.

    It is in no answer any more, and `helix restore` brings it back. With --hard its text is erased.
    """
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(
            "forget",
            memory_id=memory_id,
            mode="hard" if hard else "tombstone",
            idempotency_key=idempotency_key,
        )
    _answer(answer, f"{answer['id']}  {answer['status']}", as_json)
    if hard:
        err.print(_REACH)


@reports_errors
def restore(
    context: typer.Context,
    memory_id: MemoryId,
    at: Annotated[
        str | None, typer.Option(metavar="REV", help="Also turn the text back to a git revision.")
    ] = None,
    idempotency_key: IdempotencyKey = None,
    as_json: Json = False,
) -> None:
    """Bring a forgotten memory back."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("restore", memory_id=memory_id, at=at, idempotency_key=idempotency_key)
    _answer(answer, f"{answer['id']}  {answer['status']}  {answer['memory_status']}", as_json)


@reports_errors
def relate(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(metavar="FROM", help="The memory that the edge leaves.", autocompletion=complete_ids),
    ],
    rel: Annotated[
        str,
        typer.Argument(
            metavar="REL",
            help="supersedes, depends_on, contradicts, refines or relates_to.",
            autocompletion=lambda: ["supersedes", "depends_on", "contradicts", "refines", "relates_to"],
        ),
    ],
    to: Annotated[
        str, typer.Argument(metavar="TO", help="The memory that it leads to.", autocompletion=complete_ids)
    ],
    idempotency_key: IdempotencyKey = None,
    as_json: Json = False,
) -> None:
    """Draw a typed edge from one memory to another.

    `supersedes` also takes the other one out of the answers.
    """
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("relate", source=source, target=to, rel=rel, idempotency_key=idempotency_key)
    _answer(answer, f"{answer['edge_id']}  {answer['status']}", as_json)


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
    from helix.memory.maintenance.freeze import Freeze

    with session(context) as helix:
        wanted = memory_ids or []
        if everything:
            rows = helix.store.list(include_hidden=True)
            wanted = [row.id for row in rows if not row.has_id and not row.is_unread]
        elif not wanted:
            raise BadValue("name the notes to adopt (`helix recent` shows their ids), or say --all")
        Freeze(helix.state).check()
        notes = [helix.store.adopt(one).note for one in wanted]
    if as_json:
        print_json([{"id": note.id, "path": note.path} for note in notes])
        return
    for note in notes:
        out.print(f"{note.id}  {note.path}")
    if not notes:
        err.print(f"every note of {config_of(context).vault} has an id")


def _answer(answer: Payload, line: str, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    out.print(line)
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")
