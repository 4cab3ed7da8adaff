"""helix hooks: what Claude Code runs when a session starts, stops, is compacted and ends."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.errors import BadValue
from helix.hosts import hooks as host_hooks
from helix.hosts.hooks import DEFAULT_BUDGET, Hooks, Where
from helix.hosts.record import Records
from helix.hosts.this_machine import carried, get_executable, this_machine

_SMALLEST_BUDGET, _LARGEST_BUDGET = 100, 20_000

PromptContext = Annotated[
    bool,
    typer.Option(
        "--prompt-context", help="Also add memories to each prompt that they are about; costs tokens."
    ),
]
Budget = Annotated[int, typer.Option(help="Tokens that the memories may take at each of these events.")]
Remind = Annotated[
    bool,
    typer.Option(
        "--remind", help="Remind the agent, once in a long session, to write what a later one should know."
    ),
]
User = Annotated[bool, typer.Option("--user", help="In the user's settings, for all projects.")]
Local = Annotated[
    bool, typer.Option("--local", help="In the project's settings.local.json, which is yours alone.")
]

app = typer.Typer(
    help="Let Claude Code start with the memories of its project.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
@reports_errors
def show(
    context: typer.Context,
    prompt_context: PromptContext = False,
    budget: Budget = DEFAULT_BUDGET,
    remind: Remind = False,
    as_json: Json = False,
) -> None:
    """Let Claude Code start with the memories of its project.

    Prints the fragment of its settings; `helix hooks install` puts it there.
    """
    if context.invoked_subcommand is not None:
        return
    machine = this_machine()
    wanted = _wanted(context, prompt_context, budget, remind)
    files = {
        where: machine.shown(host_hooks.file_of(where, machine)) for where in ("project", "local", "user")
    }
    if as_json:
        print_json({"files": files, "events": list(wanted.events), "fragment": host_hooks.fragment(wanted)})
        return
    err.print(
        f"Claude Code reads this from {files['project']} or {files['user']}; `helix hooks install` puts it there."
    )
    sys.stdout.write(host_hooks.fragment(wanted))


@app.command()
@reports_errors
def install(
    context: typer.Context,
    user: User = False,
    local: Local = False,
    prompt_context: PromptContext = False,
    budget: Budget = DEFAULT_BUDGET,
    remind: Remind = False,
    as_json: Json = False,
) -> None:
    """Put the hooks into the settings of Claude Code; your other hooks stay."""
    machine, where = this_machine(), _where(user, local)
    wanted = _wanted(context, prompt_context, budget, remind)
    done = host_hooks.install(where, machine, wanted, Records(config_of(context).state_dir))
    if as_json:
        backup = str(done.backup) if done.backup else None
        print_json(
            {"file": str(done.path), "changed": done.changed, "events": list(wanted.events), "backup": backup}
        )
        return
    shown = machine.shown(done.path)
    if not done.changed:
        out.print(f"the hooks are in {shown} already; nothing was changed")
        return
    out.print(f"put {', '.join(wanted.events)} into {shown}")
    if done.backup:
        err.print(f"The file as it was: {machine.shown(done.backup)}")


@app.command()
@reports_errors
def uninstall(
    context: typer.Context, user: User = False, local: Local = False, as_json: Json = False
) -> None:
    """Take the hooks out again; the file is then what it was before."""
    machine, where = this_machine(), _where(user, local)
    done = host_hooks.uninstall(where, machine, Records(config_of(context).state_dir))
    if as_json:
        print_json({"file": str(done.path), "file_removed": done.removed})
    else:
        out.print(
            f"took the hooks out ({machine.shown(done.path)} {'removed' if done.removed else 'changed back'})"
        )


def _where(user: bool, local: bool) -> Where:
    if user and local:
        raise BadValue("--user or --local, not both")
    return "user" if user else "local" if local else "project"


def _wanted(context: typer.Context, prompt_context: bool, budget: int, remind: bool) -> Hooks:
    if not _SMALLEST_BUDGET <= budget <= _LARGEST_BUDGET:
        raise BadValue(f"--budget is from {_SMALLEST_BUDGET} to {_LARGEST_BUDGET}, not {budget}")
    # The hook asks the daemon and reads no file of the vault.
    env = {
        name: value
        for name, value in carried(config_of(context), os.environ).items()
        if name not in ("HELIX_VAULT", "HELIX_STATE_DIR")
    }
    return Hooks(get_executable(), prompt_context, budget, remind, env)
