"""Helix beside ripgrep and other memory servers, each driven over MCP on stdio, the same notes, one run.

Measured is what is found on the PATH: `rg`, `mcp-server-memory`, `basic-memory`, `qmd`. What is not there is named and
left out. Each server starts with a home and a folder of its own, which are removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.figures import timed
from bench.mcp_stdio import StdioServer
from bench.notes import Notes
from helix.memory.tokens import token_counter
from tests.cli.commands import BIN
from tests.flows.daemon import free_port

Call = tuple[str, Mapping[str, Any]]

_CLIENTS = 8
_FOUND_WITHIN = 900.0
_AT_REST_AFTER = 8.0


@dataclass(frozen=True)
class Peer:
    name: str
    program: str
    """on the PATH, or none of it is measured"""
    command: Sequence[str]
    search: Callable[[str], Call]
    write: Callable[[str, str], Call] | None = None
    """of a title and a text; None for one that only reads"""
    env: Callable[[Path], Mapping[str, str]] = lambda home: {}
    reads_folder: bool = True
    """otherwise the notes are given to it one by one"""
    prepare: Sequence[Sequence[str]] = ()
    take_in: Sequence[Sequence[str]] = ()
    """commands after notes were dropped, for one that does not follow its folder"""
    end: Sequence[Sequence[str]] = ()
    daemon: Callable[[Path], int | None] = lambda home: None
    """the process that serves, where it is not a child of the one that was started"""


@dataclass
class Figures:
    rows: dict[str, str] = field(default_factory=dict)

    def ms(self, what: str, seconds: Sequence[float]) -> None:
        p95 = sorted(seconds)[int(len(seconds) * 0.95)]
        self.rows[what] = f"{statistics.median(seconds) * 1000:.1f} / {p95 * 1000:.1f} ms"


def _helix_env(home: Path) -> dict[str, str]:
    port = home / "port"
    if not port.exists():
        port.write_text(str(free_port()))
    return {
        "HELIX_VAULT": str(home / "notes"),
        "HELIX_STATE_DIR": str(home / "state"),
        "HELIX_CONFIG_DIR": str(home / "config"),
        "HELIX_PORT": port.read_text(),
    }


def _helixd(home: Path) -> int | None:
    for file in home.glob("state/vaults/*/daemon.json"):
        return int(json.loads(file.read_text("utf-8"))["pid"])
    return None


_HELIX = str(BIN / "helix")
PEERS = (
    Peer(
        "helix",
        _HELIX,
        [str(BIN / "helix-mcp")],
        search=lambda question: ("memory_search", {"query": question}),
        write=lambda title, text: ("memory_write", {"title": title, "text": text, "scope": "global"}),
        env=_helix_env,
        prepare=[[_HELIX, "init"]],
        end=[[_HELIX, "down"]],
        daemon=_helixd,
    ),
    Peer(
        "server-memory",
        "mcp-server-memory",
        ["mcp-server-memory"],
        search=lambda question: ("search_nodes", {"query": question}),
        write=lambda title, text: (
            "create_entities",
            {"entities": [{"name": title, "entityType": "note", "observations": [text]}]},
        ),
        env=lambda home: {"MEMORY_FILE_PATH": str(home / "memory.jsonl")},
        reads_folder=False,
    ),
    Peer(
        "basic-memory",
        "basic-memory",
        ["basic-memory", "mcp"],
        search=lambda question: ("search_notes", {"query": question}),
        write=lambda title, text: ("write_note", {"title": title, "content": text, "directory": "new"}),
        env=lambda home: {"BASIC_MEMORY_HOME": str(home / "notes"), "BASIC_MEMORY_AUTO_UPDATE": "false"},
    ),
    Peer(
        "qmd",
        "qmd",
        ["qmd", "mcp"],
        search=lambda question: (
            "query",
            {"searches": [{"type": "lex", "query": question}], "rerank": False},
        ),
        prepare=[["qmd", "collection", "add", "notes", "--name", "notes"]],
        take_in=[["qmd", "update"]],
    ),
)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.peers", description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--only", nargs="*", help="names of peers; all that are installed if none")
    options = parser.parse_args(argv)
    columns: dict[str, Figures] = {}
    for peer in PEERS:
        if options.only and peer.name not in options.only:
            continue
        if shutil.which(peer.program) is None:
            print(f"SKIPPED: {peer.name}, because {peer.program} is not on the PATH", flush=True)
            continue
        print(f"{peer.name} ...", flush=True)
        with tempfile.TemporaryDirectory(prefix="helix-peers-") as folder:
            columns[peer.name] = _measured(peer, Path(folder), options.notes, options.questions)
    if not options.only or "ripgrep" in options.only:
        if shutil.which("rg") is None:
            print("SKIPPED: ripgrep, because rg is not on the PATH", flush=True)
        else:
            with tempfile.TemporaryDirectory(prefix="helix-peers-") as folder:
                columns["ripgrep"] = _ripgrep(Path(folder), options.notes, options.questions)
    _print(columns)


def _measured(peer: Peer, home: Path, count: int, questions: int) -> Figures:
    notes, figures = Notes(), Figures()
    env = {**os.environ, "HOME": str(home), **peer.env(home)}
    (home / "notes").mkdir()
    _run(peer.prepare, env, home)
    asked = _asked(notes, questions, count)
    first = peer.search("warm up")
    try:
        started = time.perf_counter()
        with StdioServer(peer.command, env, home) as server:
            server.initialize()
            figures.rows["start to initialize"] = f"{time.perf_counter() - started:.2f} s"
            server.call(*first)
            figures.rows["start to the first answer"] = f"{time.perf_counter() - started:.2f} s"
            time.sleep(_AT_REST_AFTER)
            pids = [server.process.pid, peer.daemon(home)]
            figures.rows["memory at rest, nothing in it"] = f"{_resident(pids):.0f} MB"
            seconds = _take_in(peer, server, notes, home, env, count)
            figures.rows[f"{count:,} notes until the last is found"] = f"{seconds:.1f} s"
            figures.ms("search p50 / p95", [timed(server.call, *peer.search(text)) for text in asked])
            answers = {title: server.call(*peer.search(text)) for text, title in asked.items()}
            tokens = statistics.mean(token_counter()(answer) for answer in answers.values())
            found = statistics.mean(title in answer for title, answer in answers.items())
            figures.rows["tokens of an answer, mean"] = f"{tokens:,.0f}"
            figures.rows["the note whose words were asked for is in it"] = f"{found:.0%}"
            with ThreadPoolExecutor(_CLIENTS) as pool:
                began = time.perf_counter()
                calls = [pool.submit(server.call, *peer.search(f"{text} again")) for text in [*asked] * 2]
                for call in calls:
                    call.result()
                rate = len(calls) / (time.perf_counter() - began)
            figures.rows[f"searches a second, {_CLIENTS} in flight"] = f"{rate:.0f}"
            if peer.write is not None:
                new = range(count, count + 50)
                writes = [peer.write(_title(notes, number), notes.body(number)) for number in new]
                figures.ms("write p50 / p95", [timed(server.call, *write) for write in writes])
            time.sleep(_AT_REST_AFTER)
            figures.rows[f"memory with {count:,} notes"] = f"{_resident(pids):.0f} MB"
    finally:
        _run(peer.end, env, home)
    return figures


def _take_in(
    peer: Peer, server: StdioServer, notes: Notes, home: Path, env: Mapping[str, str], count: int
) -> float:
    """How long it takes from the first note to the last until all have come in and the last is found."""
    started = time.perf_counter()
    for number in range(count):
        if peer.reads_folder:
            _drop(notes, home / "notes", number)
        elif peer.write is not None:
            server.call(*peer.write(_title(notes, number), _text(notes, number)))
    _run(peer.take_in, env, home)
    last = peer.search(_mark(count - 1))
    while _title(notes, count - 1) not in server.call(*last):
        if time.perf_counter() - started > _FOUND_WITHIN:
            raise RuntimeError(f"{peer.name} did not find the last note within {_FOUND_WITHIN:.0f} s")
        time.sleep(0.05)
    return time.perf_counter() - started


def _ripgrep(home: Path, count: int, questions: int) -> Figures:
    """No server and no ranking: every line with one of the words."""
    notes, figures = Notes(), Figures()
    started = time.perf_counter()
    for number in range(count):
        _drop(notes, home, number)
    figures.rows[f"{count:,} notes until the last is found"] = f"{time.perf_counter() - started:.1f} s"
    seconds, lengths = [], []
    for question in _asked(notes, questions, count):
        words = [part for word in question.split() for part in ("-e", word)]
        began = time.perf_counter()
        output = subprocess.run(["rg", "-i", "-F", "-w", *words, str(home)], capture_output=True).stdout
        seconds.append(time.perf_counter() - began)
        lengths.append(len(output) / 4)  # megabytes, which no tokenizer has to count
    figures.ms("search p50 / p95", seconds)
    figures.rows["tokens of an answer, mean"] = f"about {statistics.mean(lengths):,.0f}"
    return figures


def _asked(notes: Notes, questions: int, count: int) -> dict[str, str]:
    """Each four of the longer words of one note, with its title."""
    rng = random.Random("known notes")
    asked = {}
    for _ in range(questions):
        number = rng.randrange(count)
        words = sorted(set(re.findall(r"[a-z]{5,}", notes.body(number).lower())))
        asked[" ".join(rng.sample(words, 4))] = _title(notes, number)
    return asked


def _drop(notes: Notes, folder: Path, number: int) -> None:
    path = folder / notes.path(number)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ntitle: {_title(notes, number)}\n---\n{_text(notes, number)}", "utf-8")


def _text(notes: Notes, number: int) -> str:
    return f"{notes.body(number)}\n{_mark(number)} stands here alone.\n"


def _title(notes: Notes, number: int) -> str:
    return f"{notes.title(number)} {number:06}"


def _mark(number: int) -> str:
    return f"zq{number:06}x"


def _resident(pids: Sequence[int | None]) -> float:
    """Megabytes of the processes and all their children."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(folder.name))
    todo = [pid for pid in pids if pid is not None]
    kilobytes = 0
    while todo:
        pid = todo.pop()
        todo += parents.get(pid, [])
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Rss:"))
    return kilobytes / 1024


def _run(commands: Sequence[Sequence[str]], env: Mapping[str, str], home: Path) -> None:
    for command in commands:
        subprocess.run(command, env=env, cwd=home, check=True, capture_output=True)


def _print(columns: Mapping[str, Figures]) -> None:
    rows = list(dict.fromkeys(what for figures in columns.values() for what in figures.rows))
    print("\n| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for what in rows:
        cells = " | ".join(figures.rows.get(what, "–") for figures in columns.values())
        print(f"| {what} | {cells} |")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
