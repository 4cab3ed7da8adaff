"""The whole suite again and again, quiet and beside busy neighbours, each time in another order: `make soak`.

And once, for long, the search for texts that are slow to read, which every run of the suite does for a moment.

A test that fails once in many runs is a defect of the product until it is shown to be one of the test. So nothing is
repeated to make it pass; what failed is named, with the seed of its order.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUSY = 4
FUZZ = "tests/fuzz"
_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_BUSY = """
import os, time
end = time.monotonic() + {seconds}
while time.monotonic() < end and os.getppid() == {parent}:
    pass
"""


@dataclass(frozen=True)
class Run:
    number: int
    load: str
    seed: int
    seconds: float
    result: str
    failed: list[str]


@contextlib.contextmanager
def neighbours(count: int, at_most: float) -> Iterator[None]:
    """Processes that only compute. They end with this one, and by themselves when their time is up."""
    code = _BUSY.format(seconds=at_most, parent=os.getpid())
    busy = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(count)]
    try:
        yield
    finally:
        for one in busy:
            one.terminate()
        for one in busy:
            one.wait()


def run(
    number: int, load: str, at_most: float, workers: int, arguments: list[str], scale: int | None = None
) -> Run:
    seed = random.SystemRandom().randrange(1, 100_000)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        str(workers),
        "--dist",
        "worksteal",
        "-rfE",
        "--tb=short",
        *arguments,
    ]
    longer = {} if scale is None else {"HELIX_TEST_SCALE": str(scale)}
    started = time.monotonic()
    with neighbours(BUSY if load == "busy" else 0, at_most):
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "HELIX_TEST_SEED": str(seed), **longer},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=at_most)
        except subprocess.TimeoutExpired:
            process.terminate()
            said, _ = process.communicate()
            said += f"\nERROR the-run-itself took more than {at_most:.0f} s"
    seconds = time.monotonic() - started
    failed = _FAILED.findall(said)
    counts = ", ".join(f"{count} {what}" for count, what in _COUNT.findall(said[-400:]))
    passed = process.returncode == 0
    if not passed:
        (ROOT / f".soak-{seed}.log").write_text(said)
    result = "pass" if passed else "FAIL"
    return Run(number, load, seed, seconds, f"{result} ({counts})" if counts else result, failed)


def row(one: Run) -> str:
    failed = "<br>".join(f"`{name}`" for name in one.failed)
    return f"| {one.number} | {one.load} | {one.seed} | {one.seconds:.0f} | {one.result} | {failed} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=5, help="how many quiet, and how many beside busy processes"
    )
    parser.add_argument(
        "--fuzz", type=int, default=100, help="how many times longer slow texts are sought at the end"
    )
    parser.add_argument("--at-most", type=float, default=3600, help="seconds for one run")
    parser.add_argument("--workers", type=int, default=4, help="how many tests run at a time")
    parser.add_argument("tests", nargs="*", help="a part of the suite; all of it by default")
    given = parser.parse_args()
    print("| run | load | seed | seconds | result | failed |\n|---|---|---|---|---|---|", flush=True)
    done: list[Run] = []
    for load in ("quiet", "busy"):
        for _ in range(given.runs):
            done.append(run(len(done) + 1, load, given.at_most, given.workers, given.tests))
            print(row(done[-1]), flush=True)
    if given.fuzz and not given.tests:
        done.append(
            run(len(done) + 1, f"fuzz × {given.fuzz}", given.at_most, given.workers, [FUZZ], given.fuzz)
        )
        print(row(done[-1]), flush=True)
    failures = sum(one.result.startswith("FAIL") for one in done)
    print(f"\n{len(done)} runs, {failures} failed", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
