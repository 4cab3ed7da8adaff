"""helix reindex: all derived data anew."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from helix.cli.open_vault import config_of, config_of_daemon
from helix.cli.output import Json, Progress, err, out, print_json, progress_bar, reports_errors
from helix.config import Config
from helix.daemon_client import Daemon, find_daemon
from helix.errors import HelixError

# How long `helix reindex` waits for files to be quiet before it merges copies and stamps flips.
_MEND_PATIENCE = 5.0
_LOOK_EVERY = 0.25


@reports_errors
def reindex(
    context: typer.Context,
    accept_missing: Annotated[
        bool, typer.Option("--accept-missing", help="The files that disappeared are gone on purpose.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="INDEX",
            help="Make the index in another place: local, or a postgresql:// address.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read every file again and make all derived data anew.

    Catalog, words and vectors. Ctrl-C stops it safely, and the next one goes on with what is already embedded. A
    running daemon does the work itself, and goes on with it.

    With --to it is made in another place, while the present one serves; then the setting `index` is changed, and a
    running daemon started again.
    """
    if to is not None:
        _move(config_of_daemon(context), to, as_json)
        return
    daemon = find_daemon(config_of(context))
    answer = _here(context, accept_missing) if daemon is None else _by_daemon(daemon, accept_missing)
    if as_json:
        print_json(answer)
        return
    counts = ", ".join(f"{count} {name}" for name, count in answer["memories"].items())
    out.print(f"memories: {counts or 'none'}")
    if answer["problems"]:
        err.print(f"{answer['problems']} problems; `helix doctor` explains them")


def _move(config: Config, to: str, as_json: bool) -> None:
    from helix.cli.move_index import move_index

    moved = move_index(config, to)
    if as_json:
        print_json(moved)
        return
    counts = ", ".join(f"{count} {name}" for name, count in moved["memories"].items())
    out.print(f"index: {moved['index']}")
    out.print(f"memories: {counts or 'none'}")
    if moved["restarted"]:
        out.print("helixd was started again, and answers from there")


def _here(context: typer.Context, accept_missing: bool) -> dict[str, Any]:
    from helix.compose import open_vault
    from helix.memory.followed_vault import FollowedVault
    from helix.memory.search_engine import open_recall

    def mend(helix: FollowedVault) -> None:
        deadline = time.monotonic() + _MEND_PATIENCE
        due = helix.mender.mend()
        while due is not None and due < deadline:
            time.sleep(max(0.0, due - time.monotonic()))
            due = helix.mender.mend()

    with open_vault(config_of(context)) as helix:
        with progress_bar("reading the vault") as progress:
            report = helix.reconciler.rebuild(accept_missing=accept_missing, progress=progress)
        helix.mender.look_for_leftovers(report.temporary)
        mend(helix)
        with ExitStack() as stack:
            with progress_bar("opening the index") as progress:
                recall = stack.enter_context(open_recall(helix, progress))
            with progress_bar("indexing") as progress:
                recall.index.rebuild(progress)
        return {
            "memories": dict(sorted(helix.catalog.count_by_status().items())),
            "problems": len(helix.catalog.problems()),
        }


def _by_daemon(daemon: Daemon, accept_missing: bool) -> dict[str, Any]:
    done: list[dict[str, Any] | HelixError] = []

    def ask() -> None:
        try:
            done.append(daemon.ask(f"/reindex?accept_missing={str(accept_missing).lower()}", method="POST"))
        except HelixError as error:
            done.append(error)

    asking = threading.Thread(target=ask, name="helix-reindex", daemon=True)
    asking.start()
    with progress_bar("the daemon is indexing") as progress:
        try:
            while asking.is_alive():
                _look(daemon, progress)
                asking.join(_LOOK_EVERY)
        except KeyboardInterrupt:
            err.print("The daemon goes on by itself; `helix status` says how far it is.")
            raise
    [answer] = done
    if isinstance(answer, HelixError):
        raise answer
    return {"memories": answer["memories"], "problems": answer["problems"]}


def _look(daemon: Daemon, progress: Progress) -> None:
    """The daemon is busy reading files first, and only then has texts left to embed: nothing to count until then."""
    try:
        index = daemon.health().get("index")
    except HelixError:
        return
    lag = 0 if index is None else index["index_lag"]
    total = 0 if index is None or not lag else index["memories"]
    progress(max(0, total - lag), total)
