"""A log in which somebody, or a dying disk, wrote anything: what is whole is read, and the chain goes on from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from helix.index.event_index import EventIndex
from helix.vault.log.event import EventDraft, LogEvent, seal
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.scale import scaled

_FILE = "sessions/s/m1.jsonl"
_MEGABYTE = b"x" * 1_000_000


def _logs(folder: Path) -> SessionLogs:
    # One file, however long: what comes next is written behind what is there.
    return SessionLogs(Root(folder), lambda: "m1", rotate_bytes=1 << 40)


def _say(folder: Path, text: str) -> LogEvent:
    [event] = _logs(folder).append("s", [EventDraft("transcript.turn", "user", {"content": text})])
    return event


def _sealed(**fields: Any) -> bytes:
    given = {
        "seq": 2,
        "timestamp": "2026-06-18T09:12:44Z",
        "type": "a.b",
        "actor": "x",
        "thread": "s",
        "payload": {},
        "prev_hash": None,
        **fields,
    }
    return json.dumps({**given, "hash": seal(given)}).encode() + b"\n"


def _wrong_hash() -> bytes:
    return _sealed().replace(b'"seq": 2', b'"seq": 3')


def _nested(opening: bytes, closing: bytes, depth: int) -> bytes:
    return _wrong_hash().replace(
        b'"payload": {}', b'"payload": {"a": ' + opening * depth + b"1" + closing * depth + b"}"
    )


HOSTILE: Mapping[str, Iterable[bytes]] = {
    "a line of 100 MB": [*repeat(_MEGABYTE, 100), b"\n"],
    "a line of 100 MB without an end": repeat(_MEGABYTE, 100),
    "blank lines, more than a reader holds": repeat(b"\n" * 1_000_000, 20),
    "lists in lists": [b"[" * 5_000_000 + b"\n"],
    "lists in lists in a payload": [_nested(b"[", b"]", 100_000)],
    "objects in objects in a payload": [_nested(b'{"a":', b"}", 100_000)],
    "bytes that are no UTF-8": repeat(b"\xff\xfe\xc3(\n", 1000),
    "NULs, as after a power cut": [b"\0" * 3_000_000],
    "lines of NULs": repeat(b"\0\n", 1000),
    "a number of 100,000 digits": [b'{"seq":' + b"9" * 100_000 + b"}\n"],
    "many lines": repeat(b"x\n" * 1000, scaled(100)),
    "many lines of other objects": repeat(b'{"level": "info"}\n' * 1000, scaled(20)),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_whole_is_read_and_the_chain_goes_on(tmp_path: Path, what: str) -> None:
    before = _say(tmp_path, "before the storm")
    with (tmp_path / _FILE).open("ab") as file:
        for part in HOSTILE[what]:
            file.write(part)
    after = _say(tmp_path, "after the storm")
    assert (after.seq, after.prev_hash) == (2, before.hash)
    logs = _logs(tmp_path)
    found = logs.verify("s")
    assert (found.total_events, [head.hash for head in found.heads]) == (2, [after.hash])
    index = EventIndex(tmp_path / "events.db", logs)
    index.take_in(_FILE, logs.signature(_FILE))
    assert {place.seq for place, _ in index.search("storm", None, 10)} == {1, 2}
    index.close()


def _gap(last: LogEvent) -> bytes:
    return _sealed(seq=4, prev_hash=last.hash)


def _second_first(_: LogEvent) -> bytes:
    return _sealed(seq=1)


def _stranger(_: LogEvent) -> bytes:
    return _sealed(seq=2, prev_hash="0" * 64)


def _changed(last: LogEvent) -> bytes:
    return _sealed(seq=2, prev_hash=last.hash).replace(b'"a.b"', b'"a.c"')


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (_gap, "Sequence gap: 4 after 1"),
        (_second_first, "a second first event"),
        (_stranger, "Event 2 prev_hash does not link to previous"),
        (_changed, "Event 2 hash mismatch"),
    ],
)
def test_a_line_that_only_looks_like_the_next_is_named_with_its_place(
    tmp_path: Path, line: Callable[[LogEvent], bytes], reason: str
) -> None:
    last = _say(tmp_path, "before the storm")
    with (tmp_path / _FILE).open("ab") as file:
        file.write(line(last))
    [problem] = _logs(tmp_path).verify("s").problems
    assert (problem.path, problem.line, problem.reason) == (_FILE, 2, reason)
