"""Kill a writing process at random moments and look at what it leaves behind.

A kill shows that every step leaves the old or the new file. What a power cut adds is the order of syncs,
which `test_files` checks by tracing the calls.
"""

from __future__ import annotations

import os
import random
import select
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helix.vault.files import Files, Outcome, Write, Written
from helix.vault.hashes import content_hash
from helix.vault.leftovers import State
from helix.vault.paths import Root

NOTES = ("one.md", "two.md", "sub/three.md")
_READY = "ready"


@dataclass
class Tally:
    kills: int = 0
    acknowledged: int = 0
    interrupted: int = 0  # kills that left a temp behind, so they came in the middle of a write
    torn: int = 0
    lost: int = 0
    unexplained: int = 0  # leftovers that are not garbage, or would not go away


def run(folder: Path, kills: int, seed: int) -> Tally:
    chance = random.Random(seed)
    tally = Tally()
    files = Files(Root(folder))
    for name in NOTES:
        files.write(Write(name, content(name, 0), None))
    promised = dict.fromkeys(NOTES, 0)
    for _ in range(kills):
        acknowledged = _write_until_killed(folder, chance)
        promised.update(acknowledged)
        tally.kills += 1
        tally.acknowledged += len(acknowledged)
        _inspect(folder, files, promised, tally)
    return tally


def content(name: str, version: int) -> bytes:
    """What a version of a note must look like to the last byte; from one line to about 100 KB."""
    line = f"{name} {version}\n".encode()
    return line * (1 + version % 7 * version % 6000)


def _write_until_killed(folder: Path, chance: random.Random) -> list[tuple[str, int]]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            _write_for_ever(folder, writing)
        finally:
            os._exit(status)
    os.close(writing)
    # The random moment: some writes later and a little more, whatever else the machine is doing.
    said, wanted = b"", 1 + chance.randrange(6)
    while said.count(b"\n") < wanted:
        ready, _, _ = select.select([reading], [], [], 30)
        assert ready, "the writer stands still"
        said += os.read(reading, 65536)
    time.sleep(chance.uniform(0, 0.004))
    os.kill(child, signal.SIGKILL)
    with os.fdopen(reading, "rb") as rest:
        lines = (said + rest.read()).decode().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer failed by itself"
    pairs = [line.rsplit(" ", 1) for line in lines if line != _READY]
    return [(name, int(version)) for name, version in pairs]


def _write_for_ever(folder: Path, pipe: int) -> None:
    files = Files(Root(folder))
    seen = {name: (folder / name).read_bytes() for name in NOTES}
    version = max(int(data.split(b"\n", 1)[0].split()[-1]) for data in seen.values())
    os.write(pipe, f"{_READY}\n".encode())
    while True:
        version += 1
        for name in NOTES:
            _acknowledge(pipe, version, [files.write(_next(name, version, seen))])
        version += 1
        outcomes = files.commit([_next(name, version, seen) for name in NOTES])
        outcomes += files.commit([Write(f"new-{version}.md", content(f"new-{version}.md", version), None)])
        _acknowledge(pipe, version, outcomes)


def _next(name: str, version: int, seen: dict[str, bytes]) -> Write:
    base, seen[name] = seen[name], content(name, version)
    return Write(name, seen[name], content_hash(base))


def _acknowledge(pipe: int, version: int, outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        assert isinstance(outcome, Written)
        os.write(pipe, f"{outcome.path} {version}\n".encode())


def _inspect(folder: Path, files: Files, promised: dict[str, int], tally: Tally) -> None:
    for name in {*promised, *(path.name for path in folder.glob("new-*.md"))}:
        data = (folder / name).read_bytes() if (folder / name).exists() else b""
        first = data.split(b"\n", 1)[0].decode()
        version = int(first.rsplit(" ", 1)[-1]) if first else -1
        tally.torn += bool(data) and data != content(name, version)
        tally.lost += version < promised.get(name, 0)
        if name.startswith("new-"):
            promised.pop(name, None)
            os.unlink(folder / name)
    left = [leftover for rel_dir in ("", "sub") for leftover in files.leftovers(rel_dir)]
    for leftover in left:
        finding = files.examine(leftover, time.time() + 120)
        tally.unexplained += finding.state is not State.GARBAGE or not files.discard(finding)
    tally.interrupted += bool(left)
