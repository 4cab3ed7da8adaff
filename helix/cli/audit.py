"""helix audit: who of a team did what, when, and from where."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from helix.access.audit import AUDIT_FOLDER
from helix.access.audit_query import AuditQuery, query_audit
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.codes import FAILED
from helix.daemon_client import find_daemon


@reports_errors
def audit(
    context: typer.Context,
    user: Annotated[str | None, typer.Option(help="Only what this user asked for.")] = None,
    verb: Annotated[str | None, typer.Option(help="Only this verb, such as `forget`.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only from then on.")] = None,
    refused: Annotated[bool, typer.Option("--refused", help="Only what was refused.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most, the last ones.")] = 50,
    verify: Annotated[
        bool, typer.Option("--verify", help="Say whether the chain of lines holds, and no more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say who of a team did what, when and from where.

    The last line comes first. Where HELIX_URL names a daemon it is asked, and takes the key of an admin.
    """
    answer = _answer(context, AuditQuery(user, verb, since, refused, limit))
    problems = answer["problems"]
    if as_json:
        print_json({key: answer[key] for key in ("lines", "problems")} if verify else answer)
    elif verify:
        out.print(f"{answer['lines']} lines; {'the chain is broken' if problems else 'the chain holds'}")
    else:
        rows = [
            (
                entry["at"],
                entry["user"],
                entry["what"],
                entry["outcome"] if entry["code"] is None else f"{entry['outcome']} ({entry['code']})",
                entry["address"] or "",
                " ".join(entry["ids"]),
            )
            for entry in answer["entries"]
        ]
        print_table(("when", "who", "what", "how", "from", "ids"), rows, shrink="ids")
    if problems and not as_json:
        for problem in problems[:20]:
            err.print(f"{problem['file']}, line {problem['line']}: {problem['problem']}", style="red")
    if problems and verify:
        raise typer.Exit(FAILED)


def _answer(context: typer.Context, query: AuditQuery) -> dict[str, Any]:
    config = config_of(context)
    daemon = find_daemon(config) if config.url else None
    if daemon is None:
        from helix.vault.vault_id import state_folder

        return dict(query_audit(state_folder(config.state_dir, config.vault) / AUDIT_FOLDER, query))
    given = {"user": query.user, "verb": query.verb, "since": query.since, "limit": str(query.limit)}
    given["refused"] = str(query.only_refused).lower()
    return daemon.ask(f"/audit?{urlencode({name: value for name, value in given.items() if value})}")
