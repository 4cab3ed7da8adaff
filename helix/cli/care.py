"""helix status and reindex: looking after a vault."""

from __future__ import annotations

import time
from collections import Counter
from typing import Annotated

import typer

from helix.cli.daemon_client import ask_daemon, why_stopped
from helix.cli.output import Json, err, out, print_json, progress_bar, reports_errors
from helix.cli.session import config_of, session
from helix.compose import Helix, open_helix, open_recall
from helix.vault.history import History

# How long `helix reindex` waits for files to be quiet before it merges copies and stamps flips.
_MEND_PATIENCE = 5.0


@reports_errors
def status(context: typer.Context, as_json: Json = False) -> None:
    """Say which vault this is, who follows it and how it is."""
    with session(context) as helix:
        said = _status(helix)
    if as_json:
        print_json(said)
    else:
        for key, value in said.items():
            out.print(f"{key:<10} {_spell(value)}")


@reports_errors
def reindex(
    context: typer.Context,
    accept_missing: Annotated[
        bool, typer.Option("--accept-missing", help="The files that disappeared are gone on purpose.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read every file again and make all derived data anew: catalog, words and vectors. Ctrl-C stops it safely."""
    with open_helix(config_of(context)) as helix:
        if helix.follows:
            with progress_bar("reading the vault") as progress:
                report = helix.reconciler.rebuild(accept_missing=accept_missing, progress=progress)
            helix.mender.look_for_leftovers(report.temporary)
            _mend(helix)
            with progress_bar("indexing") as progress, open_recall(helix, progress) as recall:
                recall.index.rebuild(progress)
            said = _status(helix)
        else:
            said = ask_daemon(
                helix.config, f"/reindex?accept_missing={str(accept_missing).lower()}", method="POST"
            )
    if as_json:
        print_json(said)
    else:
        out.print(f"memories   {_spell(said['memories'])}")
        if said["problems"]:
            err.print(f"{said['problems']} problems; `helix doctor` explains them")


def _mend(helix: Helix) -> None:
    deadline = time.monotonic() + _MEND_PATIENCE
    due = helix.mender.mend()
    while due is not None and due < deadline:
        time.sleep(max(0.0, due - time.monotonic()))
        due = helix.mender.mend()


def _status(helix: Helix) -> dict[str, object]:
    counts = Counter(helix.catalog.count_by_status())
    return {
        "vault": helix.vault.root.path,
        "id": helix.vault.identity,
        "follower": "this command" if helix.follows else f"a daemon ({helix.config.base_url})",
        "memories": dict(sorted(counts.items())),
        "problems": len(helix.catalog.problems()),
        "conflicts": len(helix.catalog.duplicates()),
        "stopped": stopped(helix),
        "git": History.why_not(helix.config.vault) or "yes",
    }


def stopped(helix: Helix) -> str | None:
    return helix.reconciler.brake.reason if helix.follows else why_stopped(helix.config)


def _spell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items()) or "none"
    return "none" if value is None else str(value)
