"""helix up, down and status: the daemon of a vault."""

from __future__ import annotations

import os
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from helix.capture.settings import find_settings, summary_of
from helix.cli.open_vault import config_of, config_of_daemon
from helix.cli.output import Json, err, out, print_facts, print_json, reports_errors
from helix.config import Config
from helix.daemon_client import Daemon, find_daemon, is_local, why_stopped
from helix.errors import BadValue, ConfigError, DaemonUnreachable, HelixError, VaultMissing
from helix.follow.lock import FollowLock
from helix.vault.vault_id import state_folder

_READY_PATIENCE = 60.0
# Answers under way get some seconds, then the index is written down.
_STOP_PATIENCE = 60.0
_PAUSE = 0.05


@reports_errors
def up(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="A loopback address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Start the daemon in the background, unless it runs.

    Ends when it is ready. It outlives the terminal; `helix down` stops it, `helix service install` starts it with
    the session.
    """
    config = _on_this_machine(config_of_daemon(context, host=host, port=port))
    if not config.vault.is_dir():
        raise VaultMissing(f"there is no vault at {config.vault}; `helix init` makes one")
    daemon, started = find_daemon(config), False
    if daemon is None:
        daemon, started = _start(config), True
    health = _wait_until_ready(daemon)
    answer = {
        "url": daemon.url, "pid": daemon.pid, "started": started, "state": health["state"],
        "vault": health["vault"], "log": str(log_file(config)),
    }  # fmt: skip
    if as_json:
        print_json(answer)
        return
    out.print(f"helixd {'started' if started else 'runs already'}: {daemon.url}/ (process {daemon.pid})")
    out.print(f"It follows {answer['vault']}; its output goes to {answer['log']}")
    if under_way := _indexing(health.get("index")):
        out.print(f"{under_way}; everything is found by its words meanwhile")
    for reason in health["reasons"]:
        err.print(reason["message"], style="yellow")


def _indexing(index: dict[str, Any] | None) -> str:
    """How far the embedding is; empty when there is nothing to wait for, or the daemon does not say it."""
    progress = None if index is None else index.get("indexing")
    return "" if progress is None else str(progress["message"])


@reports_errors
def down(context: typer.Context, as_json: Json = False) -> None:
    """Stop the daemon; everything acknowledged is on disk."""
    pid = _stop(_on_this_machine(config_of_daemon(context)))
    if as_json:
        print_json({"stopped": pid})
    else:
        out.print("no daemon runs" if pid is None else f"helixd stopped (process {pid})")


def restart(config: Config) -> None:
    """The daemon of a vault with the settings as they are now; returns when it is ready."""
    _stop(config)
    _wait_until_ready(_start(config))


def _stop(config: Config) -> int | None:
    state = state_folder(config.state_dir, config.vault)
    # The lock is held by the operating system for a living daemon of this very vault: a process id that was
    # written down by one that died may belong to anybody by now.
    pid = FollowLock(state).find_daemon()
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _STOP_PATIENCE
        while FollowLock(state).find_daemon() == pid:
            if time.monotonic() > deadline:
                raise HelixError(
                    f"process {pid} was asked to stop {_STOP_PATIENCE:.0f} s ago and still runs; its log is "
                    f"{log_file(config)}"
                )
            time.sleep(_PAUSE)
    return pid


@reports_errors
def status(context: typer.Context, as_json: Json = False) -> None:
    """Say which vault this is, who follows it and how it is."""
    config = config_of(context)
    if not config.url and not config.vault.is_dir():
        raise VaultMissing(f"there is no vault at {config.vault}; `helix init` makes one")
    daemon = find_daemon(config)
    answer = _without_daemon(context) if daemon is None else _from_daemon(config, daemon)
    capture = find_settings(state_folder(config.state_dir, config.vault)) if config.vault.is_dir() else None
    answer["capture"] = summary_of(capture)
    answer["workspace"] = config.workspace or None
    if as_json:
        print_json(answer)
        return
    counts = ", ".join(f"{count} {name}" for name, count in answer["memories"].items()) or "none"
    index = answer["index"]
    searching = None if index is None else f"{index['memories']} memories, model {index['model'] or 'none'}"
    if under_way := _indexing(index):
        searching = f"{searching}; {under_way}"
    elif index is not None and index["index_lag"]:
        searching = f"{searching}, {index['index_lag']} still to be embedded"
    print_facts(
        [
            *([("workspace", answer["workspace"])] if answer["workspace"] else []),
            ("vault", answer["vault"]),
            ("daemon", answer["daemon"]),
            ("state", answer["state"]),
            ("memories", counts),
            ("problems", f"{answer['problems']}, {answer['conflicts']} to be merged"),
            *([("left out", _count_templates(answer["templates"]))] if answer["templates"] else []),
            ("index", searching or "opened when something is asked"),
            ("git", answer["git"]),
            ("capture", "off" if capture is None else f"on for {capture.shown}"),
            ("log", answer["log"]),
        ]
    )
    for reason in answer["reasons"]:
        err.print(reason, style="yellow")
    if answer["problems"]:
        err.print("`helix conflicts` lists the problems, `helix doctor` explains them", style="dim")


def log_file(config: Config) -> Path:
    from helix_mcp.start_daemon import LOG_FILE

    return config.state_dir / LOG_FILE


def _on_this_machine(config: Config) -> Config:
    """The settings of a daemon that can be started and stopped here: HELIX_URL then says where it listens."""
    if not config.url:
        return config
    address = urlsplit(config.url)
    if not is_local(config.url) or address.scheme != "http" or address.path.strip("/"):
        raise BadValue(f"HELIX_URL names the daemon at {config.url}; start and stop it on its own machine")
    return replace(config, url="", host=address.hostname or config.host, port=address.port or config.port)


def _start(config: Config) -> Daemon:
    """As helix-mcp does it when none runs, with the same lock: however many start one, one is started."""
    from helix_mcp.settings import Options, Settings
    from helix_mcp.start_daemon import CannotStart, start

    env = {
        "HELIX_VAULT": config.vault, "HELIX_STATE_DIR": config.state_dir, "HELIX_CONFIG_DIR": config.config_dir,
        "HELIX_HOST": config.host, "HELIX_PORT": _port(config),
    }  # fmt: skip
    os.environ.update({name: str(value) for name, value in env.items()})
    os.environ.pop("HELIX_URL", None)
    running: list[Daemon] = []

    def answers() -> bool:
        here = find_daemon(config)
        if here is not None:
            running[:] = [here]
        return here is not None

    try:
        start(
            Settings(Options(), os.environ, os.getcwd()), answers, lambda text: err.print(text, style="dim")
        )
    except CannotStart as error:
        raise DaemonUnreachable(str(error)) from error
    return running[0]


def _port(config: Config) -> int:
    """The port that the daemon will listen on, which nobody else does: said here, it is one clear sentence."""
    with socket.socket(socket.AF_INET6 if ":" in config.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.host, config.port))
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {config.host}:{config.port} ({error.strerror}); stop what uses it, or name another "
                "one: `helix up --port N`, or HELIX_PORT"
            ) from error
        return int(probe.getsockname()[1])


def _wait_until_ready(daemon: Daemon) -> dict[str, Any]:
    deadline = time.monotonic() + _READY_PATIENCE
    while True:
        try:
            health = daemon.health()
        except DaemonUnreachable:
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
            continue
        if health["state"] != "starting" or time.monotonic() > deadline:
            return health
        time.sleep(_PAUSE)


def _from_daemon(config: Config, daemon: Daemon) -> dict[str, Any]:
    from helix.vault.history import History

    name = daemon.url if daemon.pid is None else f"{daemon.url} (process {daemon.pid})"
    try:
        health = daemon.health()
    except HelixError as error:
        state = "unreachable" if isinstance(error, DaemonUnreachable) else "degraded"
        health = {"state": state, "reasons": [{"code": error.code, "message": error.message}]}
    return {
        "vault": health.get("vault", str(config.vault)),
        "daemon": name,
        "pid": daemon.pid,
        "state": health["state"],
        "memories": health.get("memories", {}),
        "problems": health.get("problems", 0),
        "conflicts": health.get("conflicts", 0),
        "templates": _templates(config.vault),
        "index": health.get("index"),
        "git": (History.why_not(config.vault) or "yes") if config.vault.is_dir() else "unknown",
        "log": str(log_file(config)),
        "stopped": why_stopped(health),
        # A team's daemon tells them to who may diagnose it.
        "reasons": [one["message"] for one in health.get("reasons", ())],
    }


def _templates(vault: Path) -> int:
    """How many notes are left out as templates; none of a vault that is on another machine."""
    from helix.vault.ignore import read_ignore
    from helix.vault.paths import Root
    from helix.vault.walk import find_templates

    if not vault.is_dir():
        return 0
    root = Root(vault)
    try:
        return len(find_templates(root.path, read_ignore(root)))
    except (OSError, HelixError):
        return 0  # whoever follows the vault tells what is wrong with it
    finally:
        root.close()


def _count_templates(count: int) -> str:
    return f"{count} template{'s' if count > 1 else ''}, by Obsidian's settings"


def _without_daemon(context: typer.Context) -> dict[str, Any]:
    from helix.cli.open_vault import session
    from helix.vault.history import History

    with session(context) as helix:
        stopped = helix.reconciler.brake.reason
        return {
            "vault": helix.vault.root.path,
            "daemon": "none runs; `helix up` starts it",
            "pid": None,
            "state": "stopped" if stopped else "ready",
            "memories": dict(sorted(helix.catalog.count_by_status().items())),
            "problems": len(helix.catalog.problems()),
            "conflicts": len(helix.catalog.duplicates()),
            "templates": _templates(helix.config.vault),
            "index": None,
            "git": History.why_not(helix.config.vault) or "yes",
            "log": str(log_file(helix.config)),
            "stopped": stopped,
            "reasons": [stopped] if stopped else [],
        }
