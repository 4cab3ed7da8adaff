"""What the log of sessions costs: appending beside a bare durable append, many writers, long logs, finding words.

`python -m bench.sessions` takes a minute; `--events 1000000 --sessions 5000` is the large run for finding words.
`--sync-ms 5` makes every fsync wait so much longer, in both arms: what a slower disk would make of it.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.figures import judge
from helix.index.event_index import EventIndex
from helix.vault.log.event import EventDraft
from helix.vault.log.log_paths import FOLDER
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root

_STARTS, _ENDS = "ba ce di fo gu ha je ki lo mu", "n r s t l m nd rk st"
_WORDS = [start + end for start in _STARTS.split() for end in _ENDS.split()]
_ROUNDS = 400
_WRITERS = 8


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--sync-ms", type=float, default=0.0)
    wanted = parser.parse_args(argv)
    if wanted.sync_ms:
        _slow_down(wanted.sync_ms / 1000)
        print(f"every fsync waits {wanted.sync_ms:g} ms longer than this disk needs, in both arms")
    with tempfile.TemporaryDirectory() as folder:
        _append(Path(folder) / "append")
    with tempfile.TemporaryDirectory() as folder:
        _find(Path(folder), wanted.events, wanted.sessions)


def _slow_down(seconds: float) -> None:
    fsync = os.fsync

    def slow_fsync(fd: int) -> None:
        fsync(fd)
        time.sleep(seconds)

    os.fsync = slow_fsync  # type: ignore[assignment]


def _append(folder: Path) -> None:
    folder.mkdir(parents=True)
    logs = SessionLogs(Root(folder), lambda: "m1")
    bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    line = b"x" * 400 + b"\n"

    def bare_append() -> None:
        os.write(bare, line)
        os.fsync(bare)

    def log_append() -> None:
        logs.append("s", [_turn(random.Random(7))])

    # Side by side, so that both meet the same disk.
    pairs = [(_timed(bare_append), _timed(log_append)) for _ in range(_ROUNDS)]
    plain, logged = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"append p50 {logged * 1000:.2f} ms, a bare write and fsync {plain * 1000:.2f} ms")
    judge("an append beside a bare durable one", logged / plain, 2, "times")

    logs.append("long", [_turn(random.Random(1)) for _ in range(1000)])
    for _ in range(99):
        logs.append("long", [_turn(random.Random(2)) for _ in range(1000)])
    late = statistics.median(
        _timed(lambda: logs.append("long", [_turn(random.Random(3))])) for _ in range(_ROUNDS)
    )
    early = statistics.median(
        _timed(lambda: logs.append("short", [_turn(random.Random(3))])) for _ in range(_ROUNDS)
    )
    judge("an append after 100,000 events beside one in a short log", late / early, 1.2, "times")
    _take_in(folder / "state", logs)

    def many(session: Callable[[int], str]) -> float:
        start = time.perf_counter()
        with ThreadPoolExecutor(_WRITERS) as pool:
            jobs = [
                pool.submit(_append_some, logs, session(writer), _ROUNDS // 4) for writer in range(_WRITERS)
            ]
            for job in jobs:
                job.result()
        return _WRITERS * (_ROUNDS // 4) / (time.perf_counter() - start)

    start = time.perf_counter()
    _append_some(logs, "alone", _ROUNDS)
    alone = _ROUNDS / (time.perf_counter() - start)
    apart, together = many(lambda writer: f"w{writer}"), many(lambda _: "shared")
    print(f"one by one {alone:.0f} a second")
    judge(
        f"{_WRITERS} writers to as many sessions, beside one by one", apart / alone, 5, "times", at_least=True
    )
    print(f"  {_WRITERS} writers to one session: {together / alone:.1f} times")


def _take_in(state: Path, logs: SessionLogs) -> None:
    """What the index does of the next event, of a session that is long and of one that is short."""
    index = EventIndex(state / "events.db", logs)
    costs = {}
    for session in ("short", "long"):
        for name in logs.files(session):
            index.take_in(f"{FOLDER}/{session}/{name}", logs.signature(f"{FOLDER}/{session}/{name}"))
        times = []
        for number in range(_ROUNDS):
            logs.append(session, [_turn(random.Random(number))])
            path = f"{FOLDER}/{session}/{logs.files(session)[-1]}"
            times.append(_timed(functools.partial(index.take_in, path, logs.signature(path))))
        costs[session] = statistics.median(times)
    judge("taking in the 100,000th event beside an early one", costs["long"] / costs["short"], 1.5, "times")
    index.close()


def _append_some(logs: SessionLogs, session: str, count: int) -> None:
    for number in range(count):
        logs.append(session, [_turn(random.Random(number))])


def _find(folder: Path, events: int, sessions: int) -> None:
    logs = SessionLogs(Root(folder), lambda: "m1")
    chance = random.Random(11)
    start = time.perf_counter()
    for session in range(sessions):
        logs.append(f"s{session}", [_turn(chance) for _ in range(events // sessions)])
    written = time.perf_counter() - start
    index = EventIndex(folder / "state" / "events.db", logs)
    before, start = _resident(), time.perf_counter()
    for session in range(sessions):
        path = f"{FOLDER}/s{session}/m1.jsonl"
        index.take_in(path, logs.signature(path))
    taken = time.perf_counter() - start
    size = (folder / "state" / "events.db").stat().st_size
    print(
        f"{events:,} events in {sessions:,} sessions: written in {written:.0f} s, taken in in {taken:.0f} s, "
        f"{size / events:.0f} bytes of disk an event"
    )
    judge("memory an event", max(0, _resident() - before) / events, 100, "bytes")
    for name, among in (("all sessions", None), ("one session", ["s1"])):
        times = sorted(_timed(functools.partial(_ask, index, _question(chance), among)) for _ in range(200))
        judge(f"words in {name}, p50 (p95 {times[190] * 1000:.1f})", times[100] * 1000, 60, "ms")


def _ask(index: EventIndex, question: str, among: list[str] | None) -> None:
    for _ in index.read(place for place, _ in index.search(question, among, 10)):
        pass


def _turn(chance: random.Random) -> EventDraft:
    text = " ".join(_word(chance) for _ in range(chance.randrange(10, 40)))
    return EventDraft("transcript.turn", "user", {"role": "user", "content": text})


def _question(chance: random.Random) -> str:
    return " ".join(_word(chance) for _ in range(4))


def _word(chance: random.Random) -> str:
    """A few are frequent and most are rare, as in a language."""
    rank = int(chance.paretovariate(0.8))
    return _WORDS[rank % len(_WORDS)] + (
        _WORDS[rank // len(_WORDS) % len(_WORDS)] if rank >= len(_WORDS) else ""
    )


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(sys.argv[1:])
