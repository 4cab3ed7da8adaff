"""helix service: the daemon from the beginning of your session on, by systemd or launchd."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from helix.cli.open_vault import config_of_daemon
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.config import ENVIRONMENT, SECRETS, Config
from helix.daemon_client import find_daemon
from helix.errors import AlreadyExists, ConfigError

app = typer.Typer(
    help="Start the daemon with your session, by systemd or launchd.",
    no_args_is_help=True, add_completion=False, rich_markup_mode=None,
)  # fmt: skip

_PATIENCE = 60
_UNIT = "helixd.service"
_LABEL = "dev.helix.helixd"
_FIRST_LINE = "Made by `helix service install`; `helix service uninstall` removes it."


@dataclass(frozen=True)
class BackgroundService:
    path: Path
    text: str
    start: list[list[str]]
    """commands that make it run, now and with every session"""
    stop: list[list[str]]


@app.command()
@reports_errors
def install(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--print", help="Only print what would be written.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace one that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Start the daemon now and with every session."""
    config = config_of_daemon(context)
    service = service_for(config)
    if show:
        _print(service, as_json)
        return
    was = service.path.read_text("utf-8") if service.path.exists() else None
    if was is not None and was != service.text and not force:
        raise AlreadyExists(f"{service.path} is there and says something else; --force replaces it")
    service.path.parent.mkdir(parents=True, exist_ok=True)
    service.path.write_text(service.text, "utf-8")
    running = find_daemon(config)
    trouble = _run(service.start) if running is None else "a daemon runs already; stop it with `helix down`"
    _answer(service, trouble, service.start, "written", "started", as_json)


@app.command()
@reports_errors
def uninstall(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--print", help="Only print what would be removed.")] = False,
    as_json: Json = False,
) -> None:
    """Stop the daemon and start it no more."""
    service = service_for(config_of_daemon(context))
    if show:
        _print(service, as_json)
        return
    if not service.path.exists():
        if as_json:
            print_json({"path": str(service.path), "done": False, "todo": []})
        else:
            err.print(f"there is no {service.path}")
        return
    trouble = _run(service.stop)
    service.path.unlink()
    _answer(service, trouble, service.stop, "stopped", "removed", as_json)


def _answer(
    service: BackgroundService, trouble: str, commands: list[list[str]], first: str, then: str, as_json: bool
) -> None:
    """`first` and `then` say what was done; with trouble there was only the first."""
    todo = [" ".join(command) for command in commands] if trouble else []
    if as_json:
        print_json({"path": str(service.path), "done": not trouble, "todo": todo})
        return
    out.print(f"{service.path}: {first if trouble else f'{first} and {then}'}")
    if trouble:
        err.print(f"That is all for now: {trouble}. Then run:", style="yellow")
        for line in todo:
            err.print(line, indent=4)


def _print(service: BackgroundService, as_json: bool) -> None:
    if as_json:
        print_json({"path": str(service.path), "text": service.text})
    else:
        err.print(str(service.path), style="dim", wrap=False)
        out.print(service.text.rstrip("\n"), wrap=False)


def _run(commands: list[list[str]]) -> str:
    """Empty when all of them worked, else why not."""
    for command in commands:
        if shutil.which(command[0]) is None:
            return f"{command[0]} is not on this machine"
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            return f"`{' '.join(command)}` has not ended within {_PATIENCE} s"
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return f"`{' '.join(command)}` said: {lines[-1] if lines else f'status {done.returncode}'}"
    return ""


def service_for(config: Config) -> BackgroundService:
    program = _program()
    if sys.platform == "darwin":
        return _for_launchd(config, program)
    if sys.platform == "win32":
        raise ConfigError(f"on Windows, let the task scheduler run {program} at log-on")
    return _for_systemd(config, program)


def _program() -> str:
    from helix_mcp.start_daemon import find_helixd

    path = find_helixd()
    if path is None:
        raise ConfigError("helixd is neither beside helix nor on the PATH; install helix-memory again")
    return os.path.abspath(path)


def _environment(config: Config) -> dict[str, str]:
    """What the daemon has to know and does not find by itself: the variables that are set now, never a secret."""
    variables = {
        name: str(getattr(config, key))
        for name, key in ENVIRONMENT.items()
        if os.environ.get(name, "").strip() and key not in SECRETS and key != "url"
    }
    return {**variables, "HELIX_VAULT": str(config.vault)}


def _for_systemd(config: Config, program: str) -> BackgroundService:
    base = os.environ.get("XDG_CONFIG_HOME", "").strip() or Path.home() / ".config"
    lines = [f"Environment={_quoted(f'{name}={value}')}" for name, value in _environment(config).items()]
    text = "\n".join(
        [
            f"# {_FIRST_LINE}",
            "[Unit]", "Description=Helix, a memory for coding agents", "",
            "[Service]", f"ExecStart={_quoted(program).replace('$', '$$')}", *lines,
            "Restart=on-failure", "RestartSec=5", "",
            "[Install]", "WantedBy=default.target", "",
        ]
    )  # fmt: skip
    control = ["systemctl", "--user"]
    return BackgroundService(
        Path(base) / "systemd" / "user" / _UNIT,
        text,
        [[*control, "daemon-reload"], [*control, "enable", "--now", _UNIT]],
        [[*control, "disable", "--now", _UNIT]],
    )


def _quoted(text: str) -> str:
    """For systemd, which unquotes, and puts in values where a % stands."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _for_launchd(config: Config, program: str) -> BackgroundService:
    path = Path.home() / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    log = str(config.state_dir / "helixd.log")
    properties = {
        "Label": _LABEL, "ProgramArguments": [program], "EnvironmentVariables": _environment(config),
        "RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}, "StandardOutPath": log, "StandardErrorPath": log,
    }  # fmt: skip
    lines = plistlib.dumps(properties).decode().split("\n")
    text = "\n".join([lines[0], f"<!-- {_FIRST_LINE} -->", *lines[1:]])
    return BackgroundService(
        path, text, [["launchctl", "load", "-w", str(path)]], [["launchctl", "unload", "-w", str(path)]]
    )
