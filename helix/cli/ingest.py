"""helix ingest: a file, a folder or standard input, turned into notes."""

from __future__ import annotations

import base64
import os
import sys
import time
from typing import Annotated, Any

import typer

from helix.cli.completion import complete_projects, complete_tags
from helix.cli.job_report import print_report
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.cli.verbs import Verbs, open_verbs, viewpoint_of
from helix.daemon_client import find_daemon
from helix.errors import BadValue

_LOOK_AGAIN = 0.2
_LARGEST = 64 * 1024 * 1024


@reports_errors
def ingest(
    context: typer.Context,
    path: Annotated[
        str, typer.Argument(help="A file or a folder, or - to read a document from standard input.")
    ],
    name: Annotated[
        str | None,
        typer.Option(help="What standard input is called, such as report.pdf; it says what it is."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Of one document; made from it, unless you say so.")
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            help="The project it belongs to. Default: that of the current folder.",
            autocompletion=complete_projects,
        ),
    ] = None,
    only_global: Annotated[
        bool, typer.Option("--global", help="It holds everywhere, whatever the current folder is.")
    ] = False,
    tag: Annotated[
        list[str] | None, typer.Option(help="May be given several times.", autocompletion=complete_tags)
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Let the daemon do it; `helix jobs show` tells how far it is.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Turn a file, or a folder of them, into notes.

    Markdown, text, HTML, PDF, Word, PowerPoint, Excel, notebooks and source code. The same again changes nothing; a
    file that changed becomes a new version. Ctrl-C stops after the file at hand, and the same command goes on.
    """
    standing = viewpoint_of(context, project, only_global)
    wanted: dict[str, Any] = {
        "scope": "project" if standing.project else "global",
        "project": standing.project,
        "tags": tag or [],
        "title": title,
    }
    if path == "-":
        wanted |= _from_stdin(name)
    elif name is not None:
        raise BadValue("--name is for standard input; a file has a name")
    else:
        wanted["path"] = os.path.abspath(path)
    with open_verbs(context, standing, writes=True) as verbs:
        answer = verbs.ask("document_ingest", **wanted)
        if answer["status"] == "job":
            # Where no daemon runs, this process does it.
            waits = not no_wait or find_daemon(config_of(context)) is None
            answer = (_wait if waits else _look)(verbs, answer["job_id"])
    if as_json:
        print_json(answer)
    elif "job_id" not in answer:
        out.print(f"{answer['status']}: {', '.join(answer['ids']) or 'no notes'}")
        for problem in answer["problems"]:
            err.print(f"{problem['name']}: {problem['reason']}", style="yellow")
    else:
        print_report(answer)


def _from_stdin(name: str | None) -> dict[str, Any]:
    if not name:
        raise BadValue("say with --name what it is called, such as --name report.pdf")
    data = sys.stdin.buffer.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise BadValue(f"a document has {_LARGEST // 2**20} MiB at most")
    return {"name": name, "base64": base64.b64encode(data).decode()}


def _look(verbs: Verbs, job_id: str) -> dict[str, Any]:
    return verbs.ask("job", job_id=job_id)


def _wait(verbs: Verbs, job_id: str) -> dict[str, Any]:
    with progress_bar("ingesting") as progress:
        try:
            while (job := _look(verbs, job_id))["state"] in ("queued", "running"):
                progress(job["done"], job["total"])
                time.sleep(_LOOK_AGAIN)
        except KeyboardInterrupt:
            verbs.ask("job_cancel", job_id=job_id)
            raise
    return job
