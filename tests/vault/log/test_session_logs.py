"""The logs of a vault: durable, chained, one file a machine, and read whatever was done to them."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helix.errors import OutsideVault, SessionNotFound
from helix.vault.log.event import EventDraft, LogEvent
from helix.vault.log.log_paths import ERASED
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.scale import scaled
from tests.waiting import wait_for


def _logs(folder: Path, writer: str = "m1", rotate_bytes: int = 1 << 20) -> SessionLogs:
    folder.mkdir(exist_ok=True)
    return SessionLogs(Root(folder), lambda: writer, rotate_bytes=rotate_bytes)


def _say(logs: SessionLogs, text: str, session: str = "s") -> LogEvent:
    [event] = logs.append(session, [EventDraft("transcript.turn", "user", {"content": text})])
    return event


def _texts(logs: SessionLogs, session: str = "s") -> list[str]:
    return [
        str(line.event.payload.get("content"))
        for name in logs.files(session)
        for line in logs.scan(f"sessions/{session}/{name}")
        if line.event is not None
    ]


def _file(folder: Path, name: str = "m1.jsonl", session: str = "s") -> Path:
    return folder / "sessions" / session / name


def test_events_are_chained_and_found_again_by_a_new_process(tmp_path: Path) -> None:
    first, second = _say(_logs(tmp_path), "one"), _say(_logs(tmp_path), "two")
    assert (first.seq, first.prev_hash) == (1, None)
    assert (second.seq, second.prev_hash) == (2, first.hash)
    integrity = _logs(tmp_path).verify("s")
    assert integrity.ok
    assert [(head.seq, head.hash) for head in integrity.heads] == [(2, second.hash)]


def test_a_time_never_runs_backwards_along_a_chain(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    later = EventDraft("a.b", "x", {}, "2099-01-01T00:00:00Z")
    earlier = EventDraft("a.b", "x", {}, "2020-01-01T00:00:00Z")
    stamps = [event.timestamp for event in logs.append("s", [later, earlier])]
    assert stamps == ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z"]


def test_many_threads_make_one_chain_without_a_gap(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        events = list(pool.map(lambda number: _say(logs, str(number)), range(200)))
    assert sorted(event.seq for event in events) == list(range(1, 201))
    assert logs.verify("s").ok
    assert logs.verify("s").total_events == 200


def test_a_log_goes_on_in_a_new_file_when_it_is_long(tmp_path: Path) -> None:
    logs = _logs(tmp_path, rotate_bytes=2000)
    for number in range(30):
        _say(logs, f"turn {number}")
    names = logs.files("s")
    assert names[0] == "m1.jsonl"
    assert len(names) > 2
    assert _texts(logs) == [f"turn {number}" for number in range(30)]
    assert _logs(tmp_path, rotate_bytes=2000).verify("s").ok


def test_a_torn_line_is_set_aside_and_never_glued_to_the_next(tmp_path: Path) -> None:
    _say(_logs(tmp_path), "whole")
    with _file(tmp_path).open("ab") as file:
        file.write(b'{"seq":2,"timestamp":"2026')
    assert _texts(_logs(tmp_path)) == ["whole"]
    [problem] = _logs(tmp_path).verify("s").problems
    assert (problem.line, "torn" in problem.reason) == (2, True)
    after = _say(_logs(tmp_path), "after")
    assert after.seq == 2
    assert _logs(tmp_path).verify("s").ok
    [torn] = tmp_path.glob("sessions/s/*.torn")
    assert torn.read_bytes() == b'{"seq":2,"timestamp":"2026'


def test_a_whole_event_whose_line_end_is_missing_counts(tmp_path: Path) -> None:
    _say(_logs(tmp_path), "whole")
    file = _file(tmp_path)
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    assert _say(_logs(tmp_path), "next").seq == 2
    assert _texts(_logs(tmp_path)) == ["whole", "next"]
    assert _logs(tmp_path).verify("s").ok


def test_a_hand_edit_is_reported_with_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    for text in ("one", "two", "three"):
        _say(logs, text)
    file = _file(tmp_path)
    edited = file.read_bytes().replace(b'"two"', b'"TWO"')
    file.write_bytes(edited)
    integrity = _logs(tmp_path).verify("s")
    assert (integrity.problems[0].path, integrity.problems[0].line) == ("sessions/s/m1.jsonl", 2)
    assert integrity.problems[0].reason == "Event 2 hash mismatch"
    assert _texts(_logs(tmp_path)) == ["one", "TWO", "three"]
    assert file.read_bytes() == edited


def test_a_removed_line_is_a_broken_link(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    for text in ("one", "two", "three"):
        _say(logs, text)
    lines = _file(tmp_path).read_bytes().splitlines(keepends=True)
    _file(tmp_path).write_bytes(lines[0] + lines[2])
    assert [problem.reason for problem in _logs(tmp_path).verify("s").problems] == [
        "Event 3 prev_hash does not link to previous"
    ]


def test_an_erased_event_keeps_its_hash_and_the_chain_verifies(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    _say(logs, "one")
    gone = _say(logs, "the word xylophone")
    logs.append("s", [EventDraft(ERASED, "helix", {"seq": gone.seq, "hash": gone.hash})])
    assert logs.erase("s", [gone.hash], "2026-01-01T00:00:00Z") == ["sessions/s/m1.jsonl"]
    assert _say(logs, "four").seq == 4
    assert not any(b"xylophone" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    integrity = _logs(tmp_path).verify("s")
    assert (integrity.ok, integrity.erased, integrity.total_events) == (True, 1, 4)
    assert logs.erase("s", [gone.hash], "2026-01-01T00:00:00Z") == []


def test_a_line_that_was_blanked_by_hand_is_no_erased_one(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    for text in ("first", "second"):
        _say(logs, text)
    lines = [json.loads(line) for line in _file(tmp_path).read_text().splitlines()]
    told = {"erased": lines[0] | {"payload": {}, "erased_at": "2026-01-01T00:00:00Z"}}
    told["rewritten"] = told["erased"] | {"payload": {"content": "never said"}}
    reasons = {}
    for name, blanked in told.items():
        _file(tmp_path).write_text("".join(f"{json.dumps(line)}\n" for line in (blanked, lines[1])))
        reasons[name] = [problem.reason for problem in _logs(tmp_path).verify("s").problems]
    assert reasons["erased"] == ["Event 1 has no content, and no event says that it was erased"]
    assert reasons["rewritten"][0] == "Event 1 hash mismatch"


def test_another_machine_continues_the_chain_and_the_first_goes_on_from_there(tmp_path: Path) -> None:
    here, there = _logs(tmp_path, "m1"), _logs(tmp_path, "m2")
    first = _say(here, "here")
    second = _say(there, "there")
    third = _say(here, "here again")
    assert [second.prev_hash, third.prev_hash] == [first.hash, second.hash]
    assert len(here.verify("s").heads) == 1


def test_two_machines_that_went_on_at_once_are_two_heads(tmp_path: Path) -> None:
    base, other = tmp_path / "a", tmp_path / "b"
    _say(_logs(base, "m1"), "shared")
    shutil.copytree(base, other)
    left, right = _say(_logs(base, "m1"), "left"), _say(_logs(other, "m2"), "right")
    shutil.copy(_file(other, "m2.jsonl"), _file(base, "m2.jsonl"))
    integrity = _logs(base).verify("s")
    assert integrity.ok
    assert {head.hash for head in integrity.heads} == {left.hash, right.hash}
    assert _say(_logs(base, "m1"), "on").prev_hash == left.hash


@pytest.mark.parametrize(
    "name",
    ["m1 (conflicted copy 2026-01-01).jsonl", "m1.sync-conflict-20260101-101010.jsonl", "m1.jsonl.conflict1"],
)
def test_a_conflict_copy_is_folded_in_by_hash(tmp_path: Path, name: str) -> None:
    logs = _logs(tmp_path)
    _say(logs, "one")
    _say(logs, "two")
    shutil.copy(_file(tmp_path), _file(tmp_path, name))
    third = _say(_logs(tmp_path), "three")
    integrity = _logs(tmp_path).verify("s")
    assert (integrity.ok, integrity.total_events, len(integrity.heads)) == (True, 3, 1)
    assert third.seq == 3


def test_a_session_that_is_not_there_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        _logs(tmp_path).erase("nobody", "a" * 64, "2026-01-01T00:00:00Z")
    assert _logs(tmp_path).sessions() == []


def test_a_folder_behind_a_link_is_not_written_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    vault = tmp_path / "vault"
    (vault / "sessions").mkdir(parents=True)
    (vault / "sessions" / "s").symlink_to(outside)
    with pytest.raises(OutsideVault, match="link"):
        _say(_logs(vault), "out")
    assert list(outside.iterdir()) == []
    assert _logs(vault).files("s") == []


def test_hostile_lines_are_passed_over_and_what_is_whole_is_read(tmp_path: Path) -> None:
    logs = _logs(tmp_path)
    _say(logs, "before")
    with _file(tmp_path).open("ab") as file:
        file.write(b"x" * 9_000_000 + b"\n")
        file.write(b"[" * 200_000 + b"\n")
        file.write(b"\xff\xfe\x00\x00\n")
        file.write(b"\n\r\n")
        file.write(b'{"seq": 99999999999999999999999, "type": "a"}\n')
    after = _say(_logs(tmp_path), "after")
    assert after.seq == 2
    assert _texts(_logs(tmp_path)) == ["before", "after"]
    assert len(_logs(tmp_path).verify("s").problems) == 4


def test_random_damage_never_loses_a_whole_line_nor_reads_a_torn_one(tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    for turn in range(scaled(25)):
        folder = tmp_path / str(turn)
        logs = _logs(folder, rotate_bytes=chance.choice([400, 1 << 20]))
        acknowledged: list[str] = []
        for step in range(chance.randrange(1, 20)):
            name = f"{step} {chance.random()}"
            _say(logs, name)
            acknowledged.append(name)
            if chance.random() < 0.3:
                part = _file(folder, logs.files("s")[-1])
                with part.open("ab") as file:
                    file.write(b'{"seq": 3, "timest'[: chance.randrange(1, 18)])
                logs = _logs(folder)
            if chance.random() < 0.2:
                copy = _file(folder, f"m1 (conflicted copy {step}).jsonl")
                shutil.copy(_file(folder), copy)
        integrity = _logs(folder).verify("s")
        assert set(_texts(_logs(folder))) == set(acknowledged), seed
        assert integrity.total_events == len(acknowledged), seed
        assert len(integrity.heads) == 1, seed
        assert all("torn" in problem.reason for problem in integrity.problems), (seed, integrity.problems)


_APPENDER = """
import sys
from helix.vault.log.event import (EventDraft)
from helix.vault.log.session_logs import (SessionLogs)
from helix.vault.paths import Root
logs = SessionLogs(Root(sys.argv[1]), lambda: "m1", rotate_bytes=3000)
for number in range(100_000):
    [event] = logs.append("s", [EventDraft("a.b", "x", {"number": number, "fill": "y" * (number % 700)})])
    print(event.seq, event.hash, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    acknowledged: dict[int, str] = {}
    chance = random.Random(5)
    reader = _logs(tmp_path)
    for _ in range(scaled(12)):
        with subprocess.Popen(
            [sys.executable, "-c", _APPENDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as appender:
            assert appender.stdout is not None
            lines = [appender.stdout.readline() for _ in range(chance.randrange(1, 40))]
            os.kill(appender.pid, signal.SIGKILL)
            lines += appender.stdout.read().splitlines(keepends=True)
        whole = [line.split() for line in lines if line.endswith("\n")]
        acknowledged |= {int(seq): event_hash for seq, event_hash in whole}
        found = {
            line.event.seq: line.event.hash
            for name in reader.files("s")
            for line in reader.scan(f"sessions/s/{name}")
            if line.event is not None
        }
        assert {seq: found.get(seq) for seq in acknowledged} == acknowledged
    assert _logs(tmp_path).verify("s").total_events >= len(acknowledged)
    _say(_logs(tmp_path), "after")
    assert _logs(tmp_path).verify("s").ok


def test_a_log_of_another_system_is_read_as_it_is(tmp_path: Path) -> None:
    lines = [_say(_logs(tmp_path / "other"), text).to_json() for text in ("one", "two")]
    folder = tmp_path / "here"
    folder.mkdir()
    _file(folder).parent.mkdir(parents=True)
    spelled = [json.dumps(line, sort_keys=True, ensure_ascii=True, indent=None) for line in lines]
    _file(folder, "imported.jsonl").write_text("\n".join(spelled) + "\n")
    assert _logs(folder).verify("s").ok
    assert _say(_logs(folder), "three").seq == 3


def test_writers_that_come_together_share_one_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from helix.vault.log import session_logs

    syncs: list[int] = []
    started, go = threading.Event(), threading.Event()

    def slow_sync(fd: int) -> None:
        syncs.append(fd)
        if len(syncs) == 1:
            started.set()
            assert go.wait(30)
        os.fsync(fd)

    monkeypatch.setattr(session_logs, "sync_file", slow_sync)
    logs = _logs(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(_say, logs, "first")
        assert started.wait(30)
        rest = [pool.submit(_say, logs, str(number)) for number in range(7)]
        wait_for(lambda: len(logs._sessions["s"].queue) == 7)
        go.set()
        assert {future.result().seq for future in (first, *rest)} == set(range(1, 9))
    assert len(syncs) == 2
