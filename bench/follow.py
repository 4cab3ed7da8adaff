"""What following a vault costs: the first index, the scan, an edit on disk, an idle hour, a large drop."""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.figures import judge
from helix.compose import open_vault
from helix.config import Config
from helix.memory.followed_vault import FollowedVault
from helix.memory.search_engine import Recall, open_recall
from helix.vault.hashes import content_hash
from helix.vault.note import Note
from helix.vault.vault_id import IDENTITY_FILE, new_identity

_WORDS = ["auth", "retry", "client", "token", "cache", "vault", "merge", "index", "queue", "budget", "schema"]
_PER_FOLDER = 100
_SPACING = 0.25
_DROP = 4.0
"""how much more of the processor a drop may take than reading and parsing its files"""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.follow", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--idle", type=float, default=20.0, help="seconds")
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        _run(Path(place), options.notes, options.edits, options.idle)


def _run(place: Path, notes: int, edits: int, idle: float) -> None:
    rng = random.Random(1)
    vault = place / "vault"
    (vault / ".helix").mkdir(parents=True)
    (vault / IDENTITY_FILE).write_bytes(new_identity())
    paths = [f"projects/p{number // _PER_FOLDER:03}/mem_{number}.md" for number in range(notes)]
    for number, path in enumerate(paths):
        _write(vault / path, _text(rng, number))
    config = Config(vault=vault, state_dir=place / "state", config_dir=place / "config")
    with open_vault(config, must_follow=True) as helix:
        _settle()
        seconds = _timed(helix.reconciler.reconcile)
        print(f"first index of {notes:,} notes: {seconds:.1f} s, {notes / seconds:,.0f} notes/s")
        scans = [_timed(helix.reconciler.reconcile) for _ in range(5)]
        print(f"scan of {notes:,} unchanged notes: {statistics.median(scans):.3f} s")
        follower = helix.follower()
        follower.start()
        try:
            follower.wait_until_started(60)
            _wait(lambda: follower.health().watcher == "watching")
            _settle()
            _edits(rng, helix, paths, edits)
            _settle()
            _idle(idle)
            with open_recall(helix) as recall:
                for count in sorted({min(1_000, notes), notes}):
                    _drop(rng, helix, recall, count)
        finally:
            follower.stop()


def _edits(rng: random.Random, helix: FollowedVault, paths: list[str], count: int) -> None:
    """From the moment that an editor's save is complete to the row that says so."""
    for style in ("in place", "by rename"):
        delays = []
        for path in rng.sample(paths, count // 2):
            file = helix.config.vault / path
            data = file.read_bytes() + b"One more line.\n"
            if style == "in place":
                file.write_bytes(data)
            else:
                temp = file.with_name(f"{file.name}~")
                temp.write_bytes(data)
                os.replace(temp, file)
            saved, digest = time.perf_counter(), content_hash(data)
            _wait(partial(_says, helix, path, digest))
            delays.append(time.perf_counter() - saved)
            time.sleep(_SPACING)
        median, late = statistics.median(delays), statistics.quantiles(delays, n=20)[-1]
        print(f"edit {style} to catalog row: median {median * 1000:.0f} ms, p95 {late * 1000:.0f} ms")


def _idle(seconds: float) -> None:
    before = time.process_time()
    time.sleep(seconds)
    share = (time.process_time() - before) / seconds
    print(f"idle: {share:.2%} of one core over {seconds:.0f} s")


def _drop(rng: random.Random, helix: FollowedVault, recall: Recall, count: int) -> None:
    """A folder that is moved in from elsewhere, as a person does it, beside the bare reading of its files."""
    known = helix.catalog.count_seen()
    outside = helix.config.state_dir / f"outside-{known}"
    for number in range(count):
        _write(outside / f"{number // _PER_FOLDER:03}/{number}.md", _text(rng, known + number))
    before = time.process_time()
    for file in outside.rglob("*.md"):
        _ = Note.parse(file.name, file.read_bytes()).memory
    bare = time.process_time() - before
    names = [f"mem_{known}", f"mem_{known + count - 1}"]
    started, before = time.perf_counter(), time.process_time()
    outside.rename(helix.config.vault / f"drop-{known}")
    _wait(lambda: any(name in recall.index.hashes() for name in names), every=0.02)
    first = time.perf_counter() - started
    _wait(lambda: helix.catalog.count_seen() == known + count, every=0.05)
    _wait(lambda: len(recall.index.hashes()) == known + count, every=0.05)
    seconds, work = time.perf_counter() - started, time.process_time() - before
    print(f"drop of {count:,} files: some are found after {first:.1f} s, all after {seconds:.1f} s")
    judge("of the processor", work / bare, _DROP, "× the bare reading of the files")


def _says(helix: FollowedVault, path: str, digest: str) -> bool:
    row = helix.catalog.at(path)
    return row is not None and row.hash == digest


def _text(rng: random.Random, number: int) -> str:
    body = "\n".join(" ".join(rng.choices(_WORDS, k=12)) + "." for _ in range(12))
    return (
        f"---\nid: mem_{number}\ntitle: {' '.join(rng.choices(_WORDS, k=4))}\nkind: decision\nscope: project\n"
        f"project: p{number // _PER_FOLDER}\nstatus: active\ntags: [{', '.join(rng.sample(_WORDS, 3))}]\n"
        "created_at: 2026-06-18T09:12:44Z\nupdated_at: 2026-06-18T09:12:44Z\n"
        f'relates_to: ["[[mem_{number // 2}]]"]\nsource: {{agent: bench, session: s-{number}}}\nimportance: 0.7\n'
        f"---\n{body}\n\nSee [[mem_{number // 3}]] and #bench.\n"
    )


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _settle() -> None:
    """Files touched a moment ago are read twice; a vault at rest has none."""
    time.sleep(2.5)


def _timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _wait(what: Callable[[], bool], every: float = 0.002, patience: float = 300.0) -> None:
    deadline, tick = time.monotonic() + patience, threading.Event()
    while not what():
        if time.monotonic() > deadline:
            sys.exit("waited in vain")
        tick.wait(every)


if __name__ == "__main__":
    main(sys.argv[1:])
