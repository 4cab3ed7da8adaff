"""What a hook costs an agent: the whole process, beside a bare interpreter, in turn on the same machine."""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from bench.figures import report, timed
from tests.flows.daemon import free_port, running_daemon
from tests.surfaces.conftest import surroundings

_BIN = Path(sys.executable).parent


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.hook", description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--memories", type=int, default=200)
    parser.add_argument(
        "--busy", type=int, default=12, help="processes that keep the cores busy, in a second run"
    )
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        env = surroundings(place)
        (place / "project" / ".git").mkdir(parents=True)
        subprocess.run([_BIN / "helix", "init"], env=env, check=True, capture_output=True)
        with running_daemon(env) as daemon:
            _fill(daemon.url, options.memories)
            _measure(place, {**env, "HELIX_URL": daemon.url}, options.runs)
            print(f"beside {options.busy} busy processes:")
            with _busy(options.busy):
                _measure(place, {**env, "HELIX_URL": daemon.url}, options.runs)
        print("without a daemon:")
        _measure(place, {**env, "HELIX_URL": f"http://127.0.0.1:{free_port()}"}, options.runs)


@contextmanager
def _busy(count: int) -> Iterator[None]:
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def _fill(url: str, count: int) -> None:
    with httpx.Client(base_url=url, timeout=60) as http:
        for number in range(count):
            text = f"Service {number} of the shop listens on port {9000 + number} and logs to folder {number % 7}."
            body = {"text": text, "scope": "project", "project": "project", "force": True}
            http.post("/remember", json=body).raise_for_status()


def _measure(place: Path, env: dict[str, str], runs: int) -> None:
    bare: list[float] = []
    took: dict[str, list[float]] = {"SessionStart": [], "UserPromptSubmit": [], "SessionEnd": []}
    spent: dict[str, list[float]] = {"": [], **{name: [] for name in took}}
    answered, kept = dict.fromkeys(took, 0), dict.fromkeys(took, 0)
    for _ in range(runs):
        before = _processor_time()
        bare.append(timed(_bare))
        spent[""].append(_processor_time() - before)
        for name, times in took.items():
            output = bytearray()
            before = _processor_time()
            times.append(timed(_hook, place, env, name, output))
            spent[name].append(_processor_time() - before)
            answered[name] += bool(output)
            kept[name] += b'"(As of ' in output
    report("python -c pass", bare)
    for name, times in took.items():
        report(f"helix-mcp hook, {name}", times)
        ratio = statistics.median(times) / statistics.median(bare)
        count = f", {answered[name]} of {runs} told something, {kept[name]} of them what was kept"
        told = count if name != "SessionEnd" else ""
        work = statistics.median(spent[name]) / statistics.median(spent[""])
        print(f"  processor time {work:.2f} times that of a bare interpreter")
        print(f"  ratio of the medians {ratio:.2f}, of the lowest {min(times) / min(bare):.2f}{told}")
        print(
            f"  lowest {min(times) * 1000:.0f} ms (bare: {min(bare) * 1000:.0f}), longest {max(times) * 1000:.0f} ms"
        )


def _processor_time() -> float:
    """Of the processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _bare() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _hook(place: Path, env: dict[str, str], name: str, output: bytearray) -> None:
    event = {
        "session_id": os.urandom(4).hex(),
        "transcript_path": "",
        "cwd": str(place / "project"),
        "hook_event_name": name,
        "source": "startup",
        "prompt": "which port does service 12 of the shop listen on?",
        "last_assistant_message": "It listens on port 9012, as the configuration says. I changed nothing. "
        * 2,
    }
    done = subprocess.run(
        [_BIN / "helix-mcp", "hook"],
        input=json.dumps(event).encode(),
        env=env,
        capture_output=True,
        check=True,
    )
    output += done.stdout


if __name__ == "__main__":
    main(sys.argv[1:])
