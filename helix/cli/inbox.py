"""helix inbox: what waits for a person, and what sessions propose to remember."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import Payload, Verbs, gather, open_verbs

app = typer.Typer(
    help="Show what waits for you, and accept what sessions propose.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
Key = Annotated[str, typer.Argument(help="Of an item, as the list shows it.")]
_MOST = 200


@app.callback()
@reports_errors
def show(
    context: typer.Context,
    what: Annotated[str | None, typer.Option(help="Only such items, as `proposed` or `duplicate`.")] = None,
    as_json: Json = False,
) -> None:
    """Show what waits for you, and accept what sessions propose.

    Lists it; `helix inbox accept` and `helix inbox dismiss` settle an item.
    """
    if context.invoked_subcommand is not None:
        return
    with open_verbs(context) as verbs:
        answer = _listed(verbs)
    items = [item for item in answer["items"] if what is None or item["what"] == what]
    if as_json:
        print_json({**answer, "items": items})
        return
    for item in items:
        out.print(f"{item['key']}  {item['reason']}", style="bold")
        if proposal := item.get("proposal"):
            out.print(proposal["text"], indent=4)
            of = f" of {proposal['project']}" if proposal["project"] else ""
            out.print(
                f"{proposal['kind']}{of}, {proposal['said_by']}, {proposal['uri']}", style="dim", indent=4
            )
        elif item["title"] or item["path"]:
            out.print(str(item["title"] or item["path"]), indent=4)
    if not items:
        err.print("nothing needs you")
    elif any(item.get("proposal") for item in items):
        err.print(
            "`helix inbox accept KEY` makes a memory of a proposal, `helix inbox dismiss KEY` puts it away"
        )


@app.command()
@reports_errors
def accept(
    context: typer.Context,
    key: Key,
    text: Annotated[str | None, typer.Option(help="Other words for it.")] = None,
    title: Annotated[str | None, typer.Option(help="A title; made from the text, else.")] = None,
    kind: Annotated[str | None, typer.Option(help="Another kind than was proposed.")] = None,
    project: Annotated[str | None, typer.Option(help="Another project than that of the session.")] = None,
    as_json: Json = False,
) -> None:
    """Make a memory of what is proposed, in its words or in yours."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("accept", key=key, text=text, title=title, kind=kind, project=project)
    if as_json:
        print_json(answer)
        return
    out.print(f"{answer['status']} {answer['id']}")
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")


@app.command()
@reports_errors
def dismiss(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Put an item away; a proposal never returns, anything else when it changes."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("dismiss", key=key)
    if as_json:
        print_json(answer)
    else:
        out.print(f"dismissed {answer['key']}")


def _listed(verbs: Verbs) -> Payload:
    """All of it. A log that is long is gone through in several looks, a second each."""
    while True:
        answer = gather(partial(verbs.ask, "inbox"), "items", _MOST)
        if not answer.get("looking"):
            return answer
        err.print("looking through what is new in the logs and the notes", style="dim")
