"""What a start costs: `helix --help` and some other commands beside a bare interpreter, and the daemon from nothing to
its first answers beside the bare import of its libraries."""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.figures import judge, report

_HELIX = str(Path(sys.executable).parent / "helix")
_BARE = [sys.executable, "-c", "pass"]
_COMMANDS = (["--help"], ["recall", "--help"], ["version"], ["config", "path"])
_MOST = {"--help": 3.0}
"""ratios that are promised"""
_HELIXD = str(Path(sys.executable).parent / "helixd")
_LIBRARIES = "import fastapi, uvicorn, yaml, numpy, whoosh.index, whoosh.codec.whoosh3, whoosh.writing"
_WITH_MODEL = f"{_LIBRARIES}, onnxruntime, tokenizers"
_DAEMON = {"words": 2.5, "meaning": 1.6}
"""how much more of the processor the first answer may take than the libraries alone"""
_PATIENCE = 60.0
_AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""with compiled modules, as a user has them: compiling Helix anew costs a fifth of a second with every start"""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.startup", description=__doc__)
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--daemons", type=int, default=5)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        env = {**_AS_INSTALLED, "HELIX_STATE_DIR": folder, "HELIX_CONFIG_DIR": folder, "HELIX_VAULT": folder}
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

    _daemons(options.daemons)


def _daemons(starts: int) -> None:
    """In processor time, which a busy machine changes least."""
    bare: dict[str, list[float]] = {"words": [], "meaning": []}
    taken: dict[str, list[float]] = {"words": [], "meaning": []}
    for _ in range(starts):
        for what, code in (("words", _LIBRARIES), ("meaning", _WITH_MODEL)):
            bare[what].append(_processor([sys.executable, "-c", code]))
        with tempfile.TemporaryDirectory() as folder:
            for what, seconds in _first_answers(Path(folder)).items():
                taken[what].append(seconds)
    for what, goal in _DAEMON.items():
        libraries, answer = statistics.median(bare[what]), statistics.median(taken[what])
        print(
            f"helixd to its first answer by {what}: {answer:.2f} s of the processor; {libraries:.2f} s bare"
        )
        judge(f"the first answer by {what}", answer / libraries, goal, "× the bare libraries")


def _first_answers(place: Path) -> dict[str, float]:
    (place / "vault").mkdir()
    (place / "vault" / "one.md").write_text("The broker drops messages after four retries.\n", "utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {"HELIX_VAULT": "vault", "HELIX_STATE_DIR": "state", "HELIX_CONFIG_DIR": "config"}
    env = {name: str(place / folder) for name, folder in places.items()}
    daemon = subprocess.Popen(
        [_HELIXD], env={**_AS_INSTALLED, **env, "HELIX_PORT": str(port)}, stderr=subprocess.DEVNULL
    )
    try:
        found = {"words": _until(daemon, port, lambda answer: bool(answer["results"]))}
        found["meaning"] = _until(daemon, port, lambda answer: "degraded" not in answer)
        return found
    finally:
        daemon.terminate()
        daemon.wait()


def _until(daemon: subprocess.Popen[bytes], port: int, is_there: Callable[[dict[str, Any]], bool]) -> float:
    """Seconds of the processor until it answers so."""
    deadline, tick = time.monotonic() + _PATIENCE, threading.Event()
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/recall?q=broker+retries") as answer:
                if is_there(json.load(answer)):
                    fields = Path(f"/proc/{daemon.pid}/stat").read_text().rpartition(")")[2].split()
                    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
        tick.wait(0.02)
    sys.exit("the daemon does not answer")


def _processor(command: list[str]) -> float:
    process = subprocess.Popen(command, env=_AS_INSTALLED)
    used = os.wait4(process.pid, 0)[2]
    process.returncode = 0
    return used.ru_utime + used.ru_stime


def _run(command: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main(sys.argv[1:])
