"""What a command costs before it does anything: `helix --help` and some others, beside a bare interpreter."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import report

_HELIX = str(Path(sys.executable).parent / "helix")
_BARE = [sys.executable, "-c", "pass"]
_COMMANDS = (["--help"], ["recall", "--help"], ["version"], ["config", "path"])
_MOST = {"--help": 3.0}
"""ratios that are promised"""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.startup", description=__doc__)
    parser.add_argument("--starts", type=int, default=40)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HELIX_STATE_DIR": folder, "HELIX_CONFIG_DIR": folder, "HELIX_VAULT": folder}
        times: dict[str, list[float]] = {"": [], **{" ".join(words): [] for words in _COMMANDS}}
        for _ in range(options.starts):  # in turn, so that all see the same load
            times[""].append(_run(_BARE, env))
            for words in _COMMANDS:
                times[" ".join(words)].append(_run([_HELIX, *words], env))
    bare = times.pop("")
    report("python -c pass", bare)
    for name, taken in times.items():
        report(f"helix {name}", taken)
        ratio = statistics.median(taken) / statistics.median(bare)
        promise = f" (at most {_MOST[name]:.0f})" if name in _MOST else ""
        print(f"ratio of the medians: {ratio:.2f}{promise}, of the lowest: {min(taken) / min(bare):.2f}")


def _run(command: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main(sys.argv[1:])
