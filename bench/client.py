"""What the Python SDK costs beside bare httpx: loading it, and each call through it."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

from bench.figures import judge, report, timed
from helix import Helix
from tests.client.conftest import daemon_at

# Processor time: loading waits for nobody, and other programs on the machine would be measured with it.
_CLOCK = "import time; started = time.process_time(); {}; print(time.process_time() - started)"
_LOADED = ("import httpx", "import helix", "from helix import Helix", "from helix import AsyncHelix")


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.client", description=__doc__)
    parser.add_argument("--starts", type=int, default=30)
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args(argv)
    _loading(options.starts)
    _calling(options.calls)


def _loading(starts: int) -> None:
    seconds: dict[str, list[float]] = {what: [] for what in _LOADED}
    for _ in range(starts):  # in turn, so that all see the same load
        for what in _LOADED:
            code = _CLOCK.format(what)
            said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            seconds[what].append(float(said.stdout))
    for what in _LOADED:
        report(what, seconds[what])
    bare = statistics.median(seconds["import httpx"])
    for what in _LOADED[1:]:
        judge(f"{what}, beside import httpx", statistics.median(seconds[what]) / bare, 2.0, "times")


def _calling(calls: int) -> None:
    straight, through = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        daemon_at(Path(folder), HELIX_MODEL="none") as running,
        Helix(running.url) as mem,
        httpx.Client(base_url=running.url) as http,
    ):
        made = mem.write("The pilot boat leaves the pier at 06:30")
        params = {"format": "detailed", "max_tokens": "200000"}
        for _ in range(calls):
            straight.append(timed(lambda: http.get(f"/memory/{made.id}", params=params).json()))
            through.append(timed(lambda: mem.get(made.id)))
    report("GET /memory/{id} with httpx", straight)
    report("Helix.get", through)
    ratio = statistics.median(through) / statistics.median(straight)
    judge("a call through the SDK, beside bare httpx", ratio, 1.5, "times")


if __name__ == "__main__":
    main(sys.argv[1:])
