"""A second kind of file is followed beside the notes, and the notes never hear of it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from helix.config import FollowConfig
from helix.follow.follower import Follower
from helix.follow.lane import FollowReport, Lane, Progress
from helix.follow.mend import Mender
from helix.follow.reconcile import Reconciler
from helix.vault.walk import Signature
from tests.follow.rig import Rig, memory_folder, record
from tests.waiting import wait_for


class Lines(Lane):
    """Logs of whole lines, which only grow: what was read once is not read again. Kept in a file of its own."""

    kind = "logs"

    def __init__(self, folder: Path, state: Path) -> None:
        self._folder = folder
        self._state = state
        self.files: dict[str, tuple[list[int], list[str]]] = (
            json.loads(state.read_text()) if state.exists() else {}
        )
        self.bytes_read = 0

    def owns(self, path: str) -> bool:
        return path.startswith("sessions/") and path.endswith(".jsonl")

    def known(self, below: str | None = None) -> Mapping[str, Signature]:
        return {
            path: Signature(*seen)
            for path, (seen, _) in self.files.items()
            if below is None or path == below or path.startswith(f"{below}/")
        }

    def count_known(self) -> int:
        return len(self.files)

    def take_in(
        self,
        files: Mapping[str, Signature],
        report: FollowReport,
        *,
        settled: bool,
        progress: Progress | None,
    ) -> None:
        for number, (path, signature) in enumerate(files.items(), 1):
            before = self.files.get(path, ([], []))[1]
            offset = sum(len(line.encode()) + 1 for line in before)
            with (self._folder / path).open("rb") as file:
                file.seek(offset)
                data = file.read()
            self.bytes_read += len(data)
            whole, _, rest = data.rpartition(b"\n")
            if rest:
                report.unsettled.append(path)
                continue
            self.files[path] = (list(signature), [*before, *whole.decode().splitlines()])
            if progress is not None:
                progress(number, len(files))
        self._save()

    def drop(self, paths: Sequence[str], report: FollowReport) -> None:
        for path in paths:
            del self.files[path]
        self._save()

    def forget_signatures(self) -> None:
        self.files = {path: ([-1, *seen[1:]], lines) for path, (seen, lines) in self.files.items()}

    def is_elsewhere(self, path: str, missing: Collection[str]) -> bool:
        first = self.files[path][1][:1]
        return any(lines[:1] == first for other, (_, lines) in self.files.items() if other not in missing)

    def lines(self) -> dict[str, list[str]]:
        return {path: lines for path, (_, lines) in self.files.items()}

    def _save(self) -> None:
        self._state.write_text(json.dumps(self.files))


class TwoLanes(Rig):
    logs: Lines

    def open(self) -> None:
        self.state.mkdir(exist_ok=True)
        self.logs = Lines(self.folder, self.state / "logs.json")
        self.lanes = [self.logs]
        super().open()

    def append(self, path: str, *lines: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as out:
            out.writelines(f"{line}\n" for line in lines)


@pytest.fixture
def rig() -> Iterator[TwoLanes]:
    with memory_folder() as place:
        rig = TwoLanes(place)
        yield rig
        rig.close()


def test_each_kind_of_file_goes_into_its_own_lane(rig: TwoLanes) -> None:
    rig.write("a.md", record("mem_a"))
    rig.write("sessions/about.md", record("mem_b"))
    rig.append("sessions/s/one.jsonl", "1", "2")
    rig.append("elsewhere/two.jsonl", "not followed")
    rig.append("sessions/.hidden/three.jsonl", "not followed")
    rig.follow()
    assert rig.paths() == ["a.md", "sessions/about.md"]
    assert rig.logs.lines() == {"sessions/s/one.jsonl": ["1", "2"]}
    assert rig.catalog.signatures().keys() == {"a.md", "sessions/about.md"}
    assert rig.problems() == {}


def test_only_what_was_appended_is_read(rig: TwoLanes) -> None:
    rig.append("sessions/s/one.jsonl", *map(str, range(1000)))
    rig.follow()
    before = rig.logs.bytes_read
    rig.append("sessions/s/one.jsonl", "more")
    rig.follow("sessions/s/one.jsonl")
    assert rig.logs.lines()["sessions/s/one.jsonl"][-1] == "more"
    assert rig.logs.bytes_read - before == len("more\n")
    rig.follow()
    assert rig.logs.bytes_read - before == len("more\n"), "nothing changed, so nothing is read"


def test_a_line_that_is_still_being_written_is_looked_at_again(rig: TwoLanes) -> None:
    file = rig.write("sessions/s/one.jsonl", "1\nhal")
    assert rig.follow("sessions/s/one.jsonl").unsettled == ["sessions/s/one.jsonl"]
    assert rig.logs.lines() == {}
    file.write_text("1\nhalf\n")
    assert rig.follow("sessions/s/one.jsonl").unsettled == []
    assert rig.logs.lines() == {"sessions/s/one.jsonl": ["1", "half"]}


def test_a_renamed_log_moves_at_once_and_a_deleted_one_goes_after_its_grace(rig: TwoLanes) -> None:
    rig.append("sessions/s/one.jsonl", "1")
    rig.append("sessions/s/two.jsonl", "2")
    rig.write("a.md", record("mem_a"))
    rig.follow()
    os.rename(rig.folder / "sessions/s/one.jsonl", rig.folder / "sessions/s/three.jsonl")
    (rig.folder / "sessions/s/two.jsonl").unlink()
    rig.follow()
    assert rig.logs.lines() == {"sessions/s/two.jsonl": ["2"], "sessions/s/three.jsonl": ["1"]}
    assert rig.reconciler.missing == ["sessions/s/two.jsonl"]
    rig.advance(rig.config.vanish_grace + 1)
    rig.follow("a.md")
    assert rig.logs.lines() == {"sessions/s/three.jsonl": ["1"]}
    assert (rig.reconciler.missing, rig.paths()) == ([], ["a.md"])


def test_a_whole_folder_that_moves_takes_notes_and_logs_along(rig: TwoLanes) -> None:
    rig.append("sessions/s/one.jsonl", "1")
    rig.write("sessions/s/about.md", record("mem_b"))
    rig.follow()
    os.rename(rig.folder / "sessions/s", rig.folder / "sessions/t")
    rig.follow("sessions/s", "sessions/t")
    assert rig.logs.lines() == {"sessions/t/one.jsonl": ["1"]}
    assert rig.paths() == ["sessions/t/about.md"]


def test_what_an_ignore_rule_hides_leaves_its_lane_at_once(rig: TwoLanes) -> None:
    rig.append("sessions/s/one.jsonl", "1")
    rig.write("sessions/s/about.md", record("mem_b"))
    rig.follow()
    rig.write(".helixignore", "*.jsonl\n")
    rig.follow()
    assert (rig.logs.lines(), rig.paths()) == ({}, ["sessions/s/about.md"])


def test_after_a_restart_nothing_is_read_twice_and_what_came_meanwhile_is_taken_in(rig: TwoLanes) -> None:
    rig.append("sessions/s/one.jsonl", "1")
    rig.write("a.md", record("mem_a"))
    rig.follow()
    rig.close()
    rig.append("sessions/s/one.jsonl", "2")
    rig.open()
    rig.follow()
    assert rig.logs.lines() == {"sessions/s/one.jsonl": ["1", "2"]}
    assert rig.logs.bytes_read == len("2\n")


def test_a_kind_that_disappears_stops_every_kind_until_it_is_back(rig: TwoLanes) -> None:
    for number in range(12):
        rig.append(f"sessions/s/{number}.jsonl", str(number))
    for number in range(100):
        rig.write(f"{number}.md", record(f"mem_{number}"))
    rig.follow()
    os.rename(rig.folder / "sessions", rig.folder / ".away")
    (rig.folder / "1.md").unlink()
    rig.follow()
    rig.advance(rig.config.vanish_grace + 1)
    rig.follow()
    assert "12 of 12 logs disappeared at once" in (rig.reconciler.brake.reason or "")
    assert (rig.logs.count_known(), len(rig.paths())) == (12, 100)
    assert rig.reconciler.next_vanish() is None
    os.rename(rig.folder / ".away", rig.folder / "sessions")
    rig.follow()
    assert rig.reconciler.brake.reason is None
    assert (rig.logs.count_known(), len(rig.paths())) == (12, 99)


def test_a_person_says_that_the_missing_ones_are_gone_on_purpose(rig: TwoLanes) -> None:
    for number in range(12):
        rig.append(f"sessions/s/{number}.jsonl", str(number))
    rig.write("a.md", record("mem_a"))
    rig.follow()
    for number in range(11):
        (rig.folder / f"sessions/s/{number}.jsonl").unlink()
    rig.follow()
    steps: list[tuple[int, int]] = []
    rig.reconciler.rebuild(accept_missing=True, progress=lambda done, total: steps.append((done, total)))
    assert rig.logs.lines() == {"sessions/s/11.jsonl": ["11"]}
    assert steps == [(1, 2), (2, 2)], "one count over both kinds"


def test_a_follower_on_its_thread_follows_both_kinds(tmp_path: Path) -> None:
    rig = TwoLanes(tmp_path, FollowConfig(vanish_grace=0.3, scan_interval=600))
    reconciler = Reconciler(rig.vault, rig.catalog, rig.config, lanes=rig.lanes)
    follower = Follower(reconciler, Mender(reconciler))
    follower.start()

    def stands() -> bool:
        (rig.folder / ".nudge").write_text("x")
        return follower.health().watcher == "watching"

    try:
        wait_for(stands)
        rig.append("sessions/s/one.jsonl", "1")
        rig.write("a.md", record("mem_a"))
        wait_for(lambda: rig.logs.lines() == {"sessions/s/one.jsonl": ["1"]} and rig.paths() == ["a.md"])
        rig.append("sessions/s/one.jsonl", "2")
        wait_for(lambda: rig.logs.lines() == {"sessions/s/one.jsonl": ["1", "2"]})
        os.rename(rig.folder / "sessions/s/one.jsonl", rig.folder / "sessions/s/two.jsonl")
        wait_for(lambda: rig.logs.lines() == {"sessions/s/two.jsonl": ["1", "2"]})
        (rig.folder / "sessions/s/two.jsonl").unlink()
        wait_for(lambda: rig.logs.lines() == {})
        assert rig.paths() == ["a.md"]
        assert follower.health().state == "following"
    finally:
        follower.stop()
        rig.close()
