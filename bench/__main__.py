"""All figures, one after the other. Quote none of them without saying on which machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from bench import (
    authentication,
    browse,
    checkout,
    client,
    dashboard,
    edits,
    embed,
    engines,
    evidence,
    feedback,
    follow,
    hook,
    memory,
    merging,
    peers,
    search,
    serve,
    sessions,
    shim,
    startup,
    sync,
    vectors,
    walls,
    words,
    workspaces,
    writes,
)

PARTS: Sequence[tuple[str, Callable[[list[str]], None], list[str]]] = (
    ("writing a note", writes.main, ["--kills", "500", "--saves", "3000"]),
    ("editing one key", edits.main, ["--count", "60000"]),
    ("following a vault", follow.main, []),
    ("many machines", sync.main, ["--runs", "60"]),
    ("two texts", merging.main, ["--lines", "1000", "10000", "100000"]),
    ("words", words.main, []),
    ("vectors", vectors.main, []),
    ("embedding", embed.main, []),
    ("searching a vault", search.main, []),
    ("the wall of a team", walls.main, ["--memories", "20000"]),
    ("scale", engines.main, ["--notes", "10000"]),
    ("evidence in an answer", evidence.main, []),
    ("logs of sessions", sessions.main, []),
    ("the verdict of a checkout", checkout.main, []),
    ("feedback on answers", feedback.main, []),
    ("memory at rest", memory.main, []),
    ("a key", authentication.main, []),
    ("many workspaces", workspaces.main, []),
    ("serving", serve.main, []),
    ("listing, the journal, the map", browse.main, []),
    ("the stdio shim", shim.main, []),
    ("the Python SDK", client.main, []),
    ("the dashboard", dashboard.main, []),
    ("starting a command", startup.main, []),
    ("a hook", hook.main, []),
    ("peers", peers.main, []),
)


def main(given: list[str]) -> None:
    """Names of parts, and behind them options for those: `evidence --split test`."""
    first = next((place for place, one in enumerate(given) if one.startswith("-")), len(given))
    names, options = given[:first], given[first:]
    for title, run, arguments in PARTS:
        if not names or any(name in title for name in names):
            print(f"\n== {title}", flush=True)
            run([*arguments, *options])


if __name__ == "__main__":
    main(sys.argv[1:])
