"""helix jobs: long work, such as ingesting a folder."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from helix.cli.job_report import print_report
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import gather, open_verbs

app = typer.Typer(
    help="List, show and cancel long work.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The name of the job.")]


@app.command("list")
@reports_errors
def list_jobs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List long work, the latest first."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "jobs"), "jobs", limit)
    if as_json:
        print_json(answer)
        return
    for job in answer["jobs"]:
        out.parts(
            (job["job_id"], "bold"),
            (f"  {job['state']}  {job['done']} of {job['total']}", "dim"),
            (f"  {job['subject']}", ""),
        )
    if not answer["jobs"]:
        err.print("there was no long work yet; `helix ingest FOLDER` begins some")


@app.command()
@reports_errors
def show(context: typer.Context, job: JobId, as_json: Json = False) -> None:
    """Say how far a job is, and what it could not do and why."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("job", job_id=job)
    print_json(answer) if as_json else print_report(answer)


@app.command()
@reports_errors
def cancel(context: typer.Context, job: JobId, as_json: Json = False) -> None:
    """Stop a job; what it has done stays done."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("job_cancel", job_id=job)
    if as_json:
        print_json(answer)
        return
    out.print(f"{answer['job_id']} stops after the file at hand; the same command goes on from there")
