"""helix remember: one memory more, unless it is there already, or replaces one."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from helix.cli.completion import complete_ids, complete_kinds, complete_projects, complete_tags
from helix.cli.options import IdempotencyKey
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import open_verbs, viewpoint_of
from helix.errors import BadValue


@reports_errors
def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="The text, in markdown, or - to read it from standard input.")],
    title: Annotated[str | None, typer.Option(help="Default: the first line of the text.")] = None,
    kind: Annotated[
        str,
        typer.Option(help="fact, preference, decision, snippet, task, …", autocompletion=complete_kinds),
    ] = "fact",
    project: Annotated[
        str | None,
        typer.Option(
            help="The project it belongs to. Default: that of the current folder; outside of any it holds everywhere.",
            autocompletion=complete_projects,
        ),
    ] = None,
    only_global: Annotated[
        bool, typer.Option("--global", help="It holds everywhere, whatever the current folder is.")
    ] = False,
    tag: Annotated[
        list[str] | None, typer.Option(help="May be given several times.", autocompletion=complete_tags)
    ] = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="The memory that this one replaces; may be given several times.",
            autocompletion=complete_ids,
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(metavar="URI", help="Where it comes from.")] = None,
    importance: Annotated[float | None, typer.Option(help="From 0 to 1.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="It holds from then on.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="It holds until then.")] = None,
    visibility: Annotated[
        str | None, typer.Option(help="In a team: private, project or team. Default: by the project.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also what says little, or is there already.")
    ] = False,
    allow_secrets: Annotated[
        bool, typer.Option("--allow-secrets", help="Also what looks like a credential.")
    ] = False,
    idempotency_key: IdempotencyKey = None,
    as_json: Json = False,
) -> None:
    """Write a memory, unless it is there already.

    What says the same as one that is there is merged into it; what changes a value replaces the old one. Text that
    looks like a credential is refused.
    """
    standing = viewpoint_of(context, project, only_global)
    replaced = supersedes or []
    request: dict[str, Any] = {
        "text": _from_stdin() if text == "-" else text, "title": title, "kind": kind,
        "scope": "project" if standing.project else "global", "project": standing.project,
        "tags": tag or [], "supersede_hint": replaced[0] if replaced else None,
        "edges": {"supersedes": replaced[1:]} if replaced[1:] else {},
        "source": {"uri": source} if source else {}, "importance": importance,
        "valid_from": valid_from, "valid_until": valid_until, "idempotency_key": idempotency_key,
        "visibility": visibility, "force": force, "allow_secrets": allow_secrets,
    }  # fmt: skip
    with open_verbs(context, standing, writes=True) as verbs:
        answer = verbs.ask("write", **request)
    if as_json:
        print_json(answer)
        return
    out.print(f"{answer['id']}  {answer['status']}")
    for old in answer["supersedes"]:
        out.print(f"replaces {old}", indent=2)
    if "reason" in answer:
        out.print(answer["reason"], style="dim", indent=2)
    for memory in answer.get("similar", ()):
        err.print(f"similar: {memory['id']}  {memory['title']} ({memory['why']})", style="dim", indent=2)
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadValue(
            f"standard input is not UTF-8 ({error.reason} at byte {error.start}); nothing was written"
        ) from error
