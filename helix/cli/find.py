"""helix search: ask the memories a question."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

import typer

from helix.cli.daemon_client import ask_daemon
from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.cli.session import session
from helix.compose import open_recall, open_service
from helix.memory.fit import MOST_TOKENS
from helix.memory.view import Caller

# Without a daemon the first search embeds what is new itself; a large vault is left to the daemon.
_EMBED_PATIENCE = 20.0


@reports_errors
def search(
    context: typer.Context,
    question: Annotated[
        str,
        typer.Argument(
            help='Words, a question, filters: `tag:auth kind:decision after:2026-06 "exact phrase" -word`.'
        ),
    ],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many at most.")] = 8,
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Read the best ones again with the finer model.")
    ] = False,
    include_deleted: Annotated[bool, typer.Option(help="Also deleted and superseded ones.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Show what each score is made of.")] = False,
    as_json: Json = False,
) -> None:
    """Find memories by words and by meaning."""
    with session(context) as helix:
        if helix.follows:
            with progress_bar("indexing") as progress, open_recall(helix, progress) as recall:
                recall.index.wait_until_embedded(_EMBED_PATIENCE)
                with open_service(helix, lambda: recall) as service:
                    said = service.search(
                        question, caller=Caller(), scope="all", limit=limit, include_deleted=include_deleted,
                        rerank=rerank, max_tokens=MOST_TOKENS, response_format="detailed",
                    )  # fmt: skip
        else:
            flags = {
                "q": question, "limit": limit, "rerank": rerank, "include_deleted": include_deleted,
                "scope": "all", "max_tokens": MOST_TOKENS, "format": "detailed",
            }  # fmt: skip
            said = ask_daemon(helix.config, f"/recall?{urlencode(flags)}")
    if as_json:
        print_json(said)
        return
    for one in said["results"]:
        out.print(f"{one['id']}  {one['score']:.2f}", style="bold")
        out.print(f"  {one['title']}")
        for line in one["text"].splitlines()[:4]:
            out.print(f"  {line}", style="dim")
        if why:
            out.print("  " + ", ".join(f"{name} {value:+.2f}" for name, value in one["reasons"].items()))
    notices = (said.get("note"), said.get("degraded"), _did_you_mean(said.get("suggestions", [])))
    for text in filter(None, notices):
        err.print(text, style="yellow")


def _did_you_mean(suggestions: list[str]) -> str:
    return f"did you mean: {', '.join(suggestions)}?" if suggestions else ""
