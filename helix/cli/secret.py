"""helix secret: credentials that programs may use and nobody can read."""

from __future__ import annotations

import getpass
import sys
import time
from functools import partial
from typing import Annotated, Any

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, print_table, reports_errors
from helix.cli.verbs import Verbs, gather, open_verbs
from helix.daemon_client import find_daemon
from helix.errors import BadValue

_LOOK_AGAIN = 0.1
_GOES_ON = ("queued", "running")

app = typer.Typer(
    help="Keep secrets, and run programs with them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the secret, such as github.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="The name of the run.")]


@app.command("list")
@reports_errors
def list_secrets(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
    as_json: Json = False,
) -> None:
    """List the names of the secrets."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "secrets"), "secrets", limit)
    if as_json:
        print_json(answer)
    elif answer["secrets"]:
        print_table(
            ("name", "version", "changed", "last used"),
            [
                (secret["name"], secret["version"], secret["updated"], secret["last_used"])
                for secret in answer["secrets"]
            ],
            shrink="name",
        )
    else:
        err.print("there are no secrets yet; `helix secret set NAME` keeps one")


@app.command("set")
@reports_errors
def set_secret(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Keep a new secret; its value is asked for, or read from standard input."""
    _keep(context, "secret_set", name, as_json)


@app.command()
@reports_errors
def rotate(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Give a secret another value, asked for or read from standard input."""
    _keep(context, "secret_rotate", name, as_json)


@app.command()
@reports_errors
def delete(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Delete a secret; its value is gone from this machine."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("secret_delete", secret_name=name)
    print_json(answer) if as_json else out.print(f"{name} is deleted")


@app.command()
@reports_errors
def run(
    context: typer.Context,
    command: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM ARGUMENT...", help="What to run, without a shell.")
    ],
    env: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIABLE=NAME", help="A variable with the secret NAME in it; repeat for several."
        ),
    ] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds after which it is ended.")] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Let the daemon run it; `helix secret show` tells how it ended.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a program with secrets in its environment.

    It must be named in `secrets.programs` of the settings. What it prints is shown without the values, and the command
    ends with its status.
    """
    wanted = {"command": command, "environment": dict(map(_variable, env or [])), "timeout": timeout}
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("run", **wanted)
        # Where no daemon runs, this process runs it.
        if not no_wait or find_daemon(config_of(context)) is None:
            answer = _wait(verbs, answer["run_id"])
    _print_run(answer, as_json)
    if answer["state"] not in ("succeeded", *_GOES_ON):
        raise typer.Exit(answer["exit_code"] or 1)


@app.command()
@reports_errors
def runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List the programs that ran with secrets, the latest first."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "runs"), "runs", limit)
    if as_json:
        print_json(answer)
        return
    for job in answer["runs"]:
        out.parts((job["run_id"], "bold"), (f"  {job['state']}  ", "dim"), (" ".join(job["command"]), ""))
    if not answer["runs"]:
        err.print("nothing ran with secrets yet; `helix secret run` does")


@app.command()
@reports_errors
def show(context: typer.Context, run: RunId, as_json: Json = False) -> None:
    """Say how a run ended, and what it printed."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("run_details", run_id=run)
    _print_run(answer, as_json)


@app.command()
@reports_errors
def cancel(context: typer.Context, run: RunId, as_json: Json = False) -> None:
    """End a run: the program and everything it started."""
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask("run_cancel", run_id=run)
    print_json(answer) if as_json else out.print(f"{run} is ended")


def _keep(context: typer.Context, verb: str, name: str, as_json: bool) -> None:
    # Never among the arguments: everybody who lists processes would see it, and the shell's history keep it.
    value = getpass.getpass(f"value of {name}: ") if sys.stdin.isatty() else sys.stdin.read().rstrip("\r\n")
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(verb, secret_name=name, value=value)
    print_json(answer) if as_json else out.print(f"{name} is kept, version {answer['version']}")


def _variable(given: str) -> tuple[str, str]:
    variable, separator, name = given.partition("=")
    if not (variable and separator and name):
        raise BadValue(
            f"--env is {given[:100]!r}; give a variable and the name of a secret, such as GH_TOKEN=github"
        )
    return variable, name


def _wait(verbs: Verbs, run_id: str) -> dict[str, Any]:
    """Ctrl-C ends the run too."""
    try:
        while (answer := verbs.ask("run_details", run_id=run_id))["state"] in _GOES_ON:
            time.sleep(_LOOK_AGAIN)
    except KeyboardInterrupt:
        verbs.ask("run_cancel", run_id=run_id)
        raise
    return answer


def _print_run(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    sys.stdout.write(answer["stdout"])
    sys.stderr.write(answer["stderr"])
    if answer["error"]:
        err.print(answer["error"])
    elif answer["state"] in _GOES_ON:
        err.print(
            f"{answer['run_id']} is {answer['state']}; `helix secret show {answer['run_id']}` tells more"
        )
