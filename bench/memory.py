"""How much memory a daemon at rest takes: real ones on vaults of some sizes, after an agent's questions over MCP.

No text goes through the model but the questions: the vectors are made up as in `bench.search` and lie in the vector
index before the daemon starts. Resident is what the kernel counts for the daemon and every process that it started;
proportional counts what is shared with others by its share.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from bench.figures import judge
from bench.notes import Notes
from bench.search import fill_vectors, write_notes
from bench.serve import wait_until_embedded
from helix.compose import open_vault
from helix.config import Config
from helix.index.embed import find_embedder
from helix.memory.search_engine import open_recall
from helix.vault.vault_id import IDENTITY_FILE, new_identity
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import surroundings

_GOALS = {0: 200.0, 1_000: 210.0, 10_000: 240.0}
_LARGE, _BYTES_EACH = 100_000, 1_536.0
_QUESTIONS = 30
_SHIM = [str(Path(sys.executable).parent / "helix-mcp")]
_QUIET = 3.0  # seconds in which the processes hardly work
_TICKS = os.sysconf("SC_CLK_TCK")


class Taken(NamedTuple):
    """In MB."""

    resident: float
    proportional: float
    anonymous: float


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.memory", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[0, 1_000, 10_000, _LARGE])
    parser.add_argument("--folder", type=Path, help="where to work; what is there is used again")
    options = parser.parse_args(argv)
    taken: dict[int, Taken] = {}
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as temporary:
            place = Path(temporary) if options.folder is None else options.folder / str(size)
            if not (place / "vault").exists():
                # In another process: what it imports and leaves in memory is no matter of this one.
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                    pool.submit(
                        prepare, Config(place / "vault", place / "state", place / "config"), size
                    ).result()
            taken[size] = _measure(place, size)
        _tell(size, taken)


def _tell(size: int, taken: dict[int, Taken]) -> None:
    resident, proportional, anonymous = taken[size]
    print(
        f"{size:,} notes: {resident:.0f} MB resident, {proportional:.0f} MB proportional, {anonymous:.0f} MB anonymous",
        flush=True,
    )
    if size in _GOALS:
        judge(f"resident with {size:,} notes", resident, _GOALS[size], "MB")
    if size and 0 in taken:
        each = (resident - taken[0].resident) * 2**20 / size
        if size == _LARGE:
            judge("each note", each, _BYTES_EACH, "bytes")
        else:
            print(f"  each note: {each:,.0f} bytes")


def prepare(config: Config, size: int) -> None:
    """A vault of this size, and its index with vectors that are made up."""
    (config.vault / ".helix").mkdir(parents=True)
    (config.vault / IDENTITY_FILE).write_bytes(new_identity())
    write_notes(config.vault, Notes(), range(size))
    embedder = find_embedder(config.model, config.state_dir, config.embed_threads).embedder
    assert embedder is not None
    with open_vault(config, must_follow=True) as helix:
        helix.catch_up()
        if size:
            fill_vectors(helix, embedder)
        with open_recall(helix) as recall:
            assert recall.index.wait_until_embedded(600)


def _measure(place: Path, size: int) -> Taken:
    env = surroundings(place, "bundled")
    with running_daemon(env, by_hand=True) as daemon:
        wait_until_embedded(daemon, size)
        ask_over_mcp(env, Notes().questions(_QUESTIONS, max(size, 1)))
        assert daemon.health()["index"]["model"], "search by meaning is not ready"
        pids = wait_until_quiet(daemon.process.pid)
        return Taken(*(sum(column) for column in zip(*map(taken_by, pids), strict=True)))


def ask_over_mcp(env: Mapping[str, str], questions: Iterable[str]) -> None:
    """As an agent does, through the shim."""
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    calls: list[tuple[str, dict[str, Any]]] = [("initialize", client)]
    calls += [
        ("tools/call", {"name": "memory_search", "arguments": {"query": question}}) for question in questions
    ]
    with subprocess.Popen(_SHIM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env)) as shim:
        assert shim.stdin is not None
        assert shim.stdout is not None
        for number, (method, params) in enumerate(calls):
            call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            shim.stdin.write(json.dumps(call).encode() + b"\n")
            shim.stdin.flush()
            answer = json.loads(shim.stdout.readline())
            assert "result" in answer, answer
            assert not answer["result"].get("isError"), answer
        shim.stdin.close()


def wait_until_quiet(pid: int) -> list[int]:
    while True:
        before = _worked(pid)
        time.sleep(_QUIET)
        after = _worked(pid)
        if before.keys() == after.keys() and sum(after.values()) - sum(before.values()) < 0.1 * _QUIET:
            return list(after)


def _worked(pid: int) -> dict[int, float]:
    """The process and all that it started, with their seconds of processor time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    found = {pid: (int(fields[11]) + int(fields[12])) / _TICKS}
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found |= _worked(int(child))
    return found


def taken_by(pid: int) -> Taken:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {name: int(rest.split()[0]) / 1024 for name, _, rest in (line.partition(":") for line in lines)}
    return Taken(sizes["Rss"], sizes["Pss"], sizes["Anonymous"])


if __name__ == "__main__":
    main(sys.argv[1:])
