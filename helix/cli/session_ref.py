"""helix session ref: names for points of sessions."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.output import Json, err, out, print_facts, print_json, reports_errors
from helix.cli.verbs import gather, open_verbs

app = typer.Typer(
    help="Give points of sessions names, and find them again.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="REF", help="refs/ and a name.")]


@app.command("set")
@reports_errors
def set_ref(
    context: typer.Context,
    name: Name,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session that it leads into.")],
    seq: Annotated[
        int | None, typer.Option(min=1, help="The number of the event; the last one, unless you say so.")
    ] = None,
    event_hash: Annotated[
        str | None, typer.Option("--hash", help="The hash of the event, or its first 12 digits.")
    ] = None,
    kind: Annotated[str, typer.Option("--type", help="What kind of point it is.")] = "ref",
    actor: Annotated[str, typer.Option(help="Who says so.")] = "person",
    as_json: Json = False,
) -> None:
    """Let a ref lead to the last event of a session, or to another one."""
    with open_verbs(context) as verbs:
        answer = verbs.ask(
            "session_ref_set",
            session_id=session,
            name=name,
            seq=seq,
            event_hash=event_hash,
            ref_type=kind,
            actor=actor,
        )
    if as_json:
        print_json(answer)
        return
    _print_ref(answer["ref"])
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")


@app.command("list")
@reports_errors
def list_refs(
    context: typer.Context,
    session: Annotated[str | None, typer.Option(help="Only those that lead into this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    as_json: Json = False,
) -> None:
    """List the refs, the one that was set last first."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "session_refs", session_id=session), "refs", limit)
    if as_json:
        print_json(answer)
        return
    for ref in answer["refs"]:
        _print_ref(ref)
    if not answer["refs"]:
        err.print("no point of a session has a name yet; `helix session ref set` gives one")


@app.command()
@reports_errors
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="REF", help="HEAD, or refs/ and a name.")],
    session: Annotated[str | None, typer.Option(help="Of which session HEAD is meant.")] = None,
    as_json: Json = False,
) -> None:
    """Say which event a ref leads to."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("session_ref", name=name, session_id=session)
    if as_json:
        print_json(answer)
        return
    print_facts(
        [
            ("ref", answer["name"]),
            ("event", _citation(answer)),
            ("type", answer["ref_type"]),
            ("set", answer["updated_at"]),
        ]
    )


def _print_ref(ref: dict[str, Any]) -> None:
    out.parts((ref["name"], "bold"), (f"  {_citation(ref)}  {ref['updated_at'][:16]}", "dim"))


def _citation(ref: dict[str, Any]) -> str:
    return f"eventloom://{ref['session_id']}/events/{ref['target_seq']}#{ref['target_hash'][:12]}"
