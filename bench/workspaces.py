"""How much memory a daemon with many workspaces takes, beside the same vaults each on a daemon of its own.

Vectors are made up as in `bench.memory`; questions go through the model and over MCP, to each of them. What a vault
takes by itself is what its daemon has more than one with an empty vault: its index. Together they may take as much as
the sum of that, a tenth more, and the empty daemon once.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.figures import judge, report
from bench.memory import ask_over_mcp, prepare, taken_by, wait_until_quiet
from bench.notes import Notes
from bench.serve import wait_until_embedded
from helix.access.workspaces import Workspaces
from helix.config import Config
from tests.flows.daemon import Daemon, running_daemon
from tests.surfaces.conftest import surroundings

_QUESTIONS = 10
_MORE = 1.1
_PATIENCE = 120.0


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.workspaces", description=__doc__)
    parser.add_argument("--workspaces", type=int, default=20)
    parser.add_argument("--notes", type=int, default=2_000, help="in each of them")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        names = [f"n{number:02}" for number in range(options.workspaces)]
        # In another process: what it imports and leaves in memory is no matter of this one.
        with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
            empty = pool.submit(prepare, Config(place / "vault", place / "state", place / "config"), 0)
            vaults = [
                pool.submit(prepare, Config(place / name, place / "state", place / "config"), options.notes)
                for name in names
            ]
            for done in (empty, *vaults):
                done.result()
        nothing = _alone(place, "vault", 0)
        single = _alone(place, names[0], options.notes)
        listed = Workspaces(place / "config", place / "vault")
        for name in names:
            listed.add("main", name, place / name)
        together, opening = _together(place, names)
        report("the first answer of a workspace that was closed", opening)
        index = single - nothing
        print(
            f"{nothing:.0f} MB with an empty vault, {single:.0f} MB with one of {options.notes:,} notes, "
            f"{together:.0f} MB with {len(names)} of them open"
        )
        allowed = nothing + len(names) * index
        judge(f"{len(names)} open, by the sum of their indexes", together / allowed, _MORE, "times")
        print(f"  each further workspace: {(together - nothing) / len(names):.1f} MB, alone {index:.1f} MB")


def _alone(place: Path, vault: str, size: int) -> float:
    env = {**surroundings(place, "bundled"), "HELIX_VAULT": str(place / vault)}
    with running_daemon(env, by_hand=True) as daemon:
        wait_until_embedded(daemon, size)
        ask_over_mcp(env, Notes().questions(_QUESTIONS, max(size, 1)))
        assert daemon.health()["index"]["model"], "search by meaning is not ready"
        return _resident(daemon)


def _together(place: Path, names: list[str]) -> tuple[float, list[float]]:
    env = surroundings(place, "bundled")
    opening = []
    with running_daemon(env, by_hand=True) as daemon:
        ask_over_mcp(env, Notes().questions(_QUESTIONS, 1))
        for name in names:
            started = time.perf_counter()
            status, said = daemon.get(f"/w/{name}/recall?q=cache&scope=all")
            opening.append(time.perf_counter() - started)
            assert status == 200, said
            _wait_for_meaning(daemon, name)
            ask_over_mcp({**env, "HELIX_WORKSPACE": name}, Notes().questions(_QUESTIONS, 1_000))
        listed = json.loads(daemon.get("/workspaces")[1])["workspaces"]
        assert all(one["state"] == "open" for one in listed), listed
        return _resident(daemon), opening


def _wait_for_meaning(daemon: Daemon, name: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        index = json.loads(daemon.get(f"/w/{name}/healthz")[1])["index"]
        if index and index["model"] and index["indexing"] is None:
            return
        assert time.monotonic() < deadline, index
        time.sleep(0.1)


def _resident(daemon: Daemon) -> float:
    pids = wait_until_quiet(daemon.process.pid)
    return sum(taken_by(pid).resident for pid in pids)


if __name__ == "__main__":
    main(sys.argv[1:])
