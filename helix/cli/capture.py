"""helix capture: the transcripts that agents keep on this machine, taken into the logs of sessions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.capture.marks import MARKS_FILE, Marks
from helix.capture.purge import purge as erase_all
from helix.capture.registry import HOSTS
from helix.capture.settings import (
    CaptureSettings,
    find_settings,
    remove_settings,
    summary_of,
    widened,
    write_settings,
)
from helix.capture.take_in import Capture
from helix.cli.open_vault import config_of
from helix.cli.output import Json, err, out, print_facts, print_json, progress_bar, reports_errors
from helix.cli.verbs import Verbs, open_verbs
from helix.config import Config
from helix.daemon_client import find_daemon
from helix.errors import BadValue, SessionsOff, VaultMissing
from helix.state.permissions import make_folder
from helix.vault.vault_id import state_folder

app = typer.Typer(
    help="Take the transcripts of your agents into logs of sessions.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command()
@reports_errors
def on(
    context: typer.Context,
    project: Annotated[
        list[Path] | None,
        typer.Option(help="A folder whose sessions are taken in; the current one, unless you say so."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Those of every folder.")] = False,
    host: Annotated[
        list[str] | None, typer.Option(help=f"Only of this host: {', '.join(HOSTS)}. All, unless you say so.")
    ] = None,
    no_backfill: Annotated[
        bool, typer.Option("--no-backfill", help="Leave out what was written before now.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take the sessions of a folder in from now on, and those that were before.

    A running daemon goes on with what is added. Folders that are named already stay named.
    """
    config, state = _place(context)
    if config.sessions.keep == "off":
        raise SessionsOff(
            "nothing is added to logs of sessions here; set sessions.keep to `vault` or `state`"
        )
    before = find_settings(state)
    settings = _wanted(before, project or [], everything, host or [])
    with open_verbs(context, writes=True) as verbs:
        counts = _back_fill(state, settings, verbs, before, is_kept=not no_backfill)
    write_settings(state, settings)  # last: a daemon begins where this has ended
    answer = {**summary_of(settings), **counts}
    if as_json:
        print_json(answer)
        return
    out.print(f"capture is on for {settings.shown}")
    out.print(
        f"{_count(counts['events'], 'event')} of {_count(counts['transcripts'], 'transcript')} taken in"
    )
    if find_daemon(config) is None:
        err.print("no daemon runs; `helix up` starts one, which goes on with what is added", style="dim")


@app.command()
@reports_errors
def status(context: typer.Context, as_json: Json = False) -> None:
    """Say whether transcripts are taken in, and of which folders."""
    config, state = _place(context)
    settings = find_settings(state)
    answer: dict[str, Any] = {**summary_of(settings), "sessions": len(_read_sessions(state))}
    if as_json:
        print_json(answer)
        return
    if settings is None:
        out.print("capture is off; `helix capture on` takes the sessions of this folder in")
        return
    print_facts(
        [
            ("capture", f"on for {settings.shown}"),
            *((name, root) for name, root in settings.hosts.items()),
            ("sessions", answer["sessions"]),
        ]
    )
    if find_daemon(config) is None:
        err.print("no daemon runs; what is added is taken in when one does", style="dim")


@app.command()
@reports_errors
def off(context: typer.Context, as_json: Json = False) -> None:
    """Take nothing in any more; what is in the logs stays there."""
    _, state = _place(context)
    was_on = remove_settings(state)
    if as_json:
        print_json({"on": False, "was_on": was_on})
    else:
        out.print("capture is off now" if was_on else "capture is off already")


@app.command()
@reports_errors
def purge(context: typer.Context, as_json: Json = False) -> None:
    """Turn it off, and erase everything that was taken in for good.

    The hashes stay, so that the logs still verify. The transcripts of the hosts are theirs, and not touched.
    """
    _, state = _place(context)
    was_on = remove_settings(state)  # first: a daemon must not take in again what is being erased
    with open_verbs(context, writes=True) as verbs, progress_bar("erasing") as progress:
        sessions, events = erase_all(verbs.ask, progress)
    marks = Marks(state / MARKS_FILE)
    marks.clear()
    marks.close()
    if as_json:
        print_json({"on": False, "was_on": was_on, "sessions": sessions, "events": events})
        return
    out.print(f"erased {_count(events, 'event')} of {_count(sessions, 'session')}; capture is off")
    err.print("git and sync services keep versions of their own; see docs/log-format.md", style="dim")


def _place(context: typer.Context) -> tuple[Config, Path]:
    config = config_of(context)
    if not config.vault.is_dir():
        raise VaultMissing(f"there is no vault at {config.vault}; `helix init` makes one")
    state = state_folder(config.state_dir, config.vault)
    make_folder(state)
    return config, state


def _wanted(
    now: CaptureSettings | None, projects: list[Path], everything: bool, hosts: list[str]
) -> CaptureSettings:
    if projects and everything:
        raise BadValue("--project and --all exclude each other; give one of them")
    if unknown := [name for name in hosts if name not in HOSTS]:
        raise BadValue(f"there is no host {unknown[0]!r} to capture; there are {', '.join(HOSTS)}")
    if missing := [str(path) for path in projects if not path.expanduser().is_dir()]:
        raise BadValue(f"{missing[0]} is not a folder")
    named = [] if everything else projects or [Path.cwd()]
    real = [os.path.realpath(path.expanduser()) for path in named]
    roots = {name: str(HOSTS[name].root(os.environ, Path.home()).absolute()) for name in hosts or HOSTS}
    return widened(now, real, everything, roots)


def _back_fill(
    state: Path, settings: CaptureSettings, verbs: Verbs, before: CaptureSettings | None, *, is_kept: bool
) -> dict[str, int]:
    """What there is; or, unless that is to be kept, only what was wanted `before` too: that goes on as it was."""

    def ingest(session: str, events: Sequence[Mapping[str, Any]]) -> int:
        return int(verbs.ask("session_ingest", session_id=session, events=list(events))["imported"])

    marks = Marks(state / MARKS_FILE)
    try:
        capture = Capture(settings, marks, ingest)
        transcripts = list(capture.transcripts())
        followed = (
            set() if before is None else {one.path for one in Capture(before, marks, ingest).transcripts()}
        )
        events = taken = 0
        with progress_bar("taking in transcripts") as progress:
            for done, transcript in enumerate(transcripts):
                progress(done, len(transcripts))
                if is_kept or transcript.path in followed:
                    events += capture.take_in(transcript)
                    taken += 1
                else:
                    capture.pass_over(transcript)
        return {"transcripts": taken, "events": events}
    finally:
        marks.close()


def _read_sessions(state: Path) -> list[str]:
    if not (state / MARKS_FILE).is_file():
        return []
    marks = Marks(state / MARKS_FILE)
    try:
        return marks.sessions()
    finally:
        marks.close()


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
