"""Transcripts on a real vault: what is new is taken in, once, and only of folders that were named."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from helix.capture import take_in
from helix.capture.marks import MARKS_FILE, Marks
from helix.capture.registry import HOSTS
from helix.capture.settings import CaptureSettings
from helix.capture.take_in import Capture
from helix.errors import BadValue
from helix.sessions import append, reading
from tests.capture.transcripts import CREDENTIAL, ClaudeCode, Codex, GeminiCli, write_lines
from tests.memory.world import World, opened


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as world:
        yield world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gateway").mkdir()
    return tmp_path / "gateway"


class Machine:
    """A person's machine: hosts below `home`, a capture that is begun anew as after a restart."""

    def __init__(self, home: Path, world: World, *folders: Path, everything: bool = False) -> None:
        self.home = home
        self._world = world
        roots = {name: str(home / host.home) for name, host in HOSTS.items()}
        self._settings = CaptureSettings(tuple(map(str, folders)), everything, roots)
        self.marks = Marks(world.helix.state / MARKS_FILE)

    def ingest(self, session: str, events: Sequence[Mapping[str, Any]]) -> int:
        request = self._world.service.request()
        return append.ingest(request, session_id=session, events=events)["imported"]

    def look(self) -> int:
        capture = Capture(self._settings, self.marks, self.ingest)
        return sum(capture.take_in(transcript) for transcript in capture.transcripts())

    def pass_over(self) -> None:
        capture = Capture(self._settings, self.marks, self.ingest)
        for transcript in capture.transcripts():
            capture.pass_over(transcript)

    def root(self, name: str) -> Path:
        return self.home / HOSTS[name].home

    def events(self, transcript: Any) -> list[Any]:
        request = self._world.service.request()
        session = take_in.session_name(transcript.host, transcript.stem)
        answer = reading.replay(request, session_id=session, limit=200, max_tokens=25_000)
        return list(answer["events"])

    def refs(self, transcript: Any) -> list[str]:
        return [event["payload"]["external_ref"] for event in self.events(transcript)]

    def sessions(self) -> list[str]:
        return sorted(
            one["session_id"] for one in reading.sessions(self._world.service.request())["sessions"]
        )


@pytest.fixture
def machine(tmp_path: Path, world: World, folder: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path / "home", world, folder)
    yield machine
    machine.marks.close()


def test_the_sessions_of_three_hosts_are_taken_in_once(machine: Machine, folder: Path) -> None:
    hosts = [kind(machine.root(kind.host), folder) for kind in (ClaudeCode, Codex, GeminiCli)]
    for host in hosts:
        write_lines(host.file, host.whole())
    assert machine.look() == 9 + 8 + 8
    assert machine.sessions() == sorted(take_in.session_name(host.host, host.stem) for host in hosts)
    types = Counter(event["type"] for host in hosts for event in machine.events(host))
    assert types == {
        "hook.session_started": 3,
        "transcript.turn": 3 + 2 + 3,
        "command.completed": 2 + 2 + 1,
        "file.edit.applied": 1 + 2 + 1,
        "tool.call.completed": 2 + 1 + 2,
    }
    assert machine.look() == 0


def test_only_what_is_new_is_read_and_half_a_line_is_left_for_later(machine: Machine, folder: Path) -> None:
    host = ClaudeCode(machine.root("claude-code"), folder)
    write_lines(host.file, host.whole())
    machine.look()
    line = json.dumps(host.said("assistant", "Jitter it is.")) + "\n"
    with host.file.open("a") as stream:
        stream.write(line[:40])
    assert machine.look() == 0
    with host.file.open("a") as stream:
        stream.write(line[40:])
    assert machine.look() == 1
    last = machine.events(host)[-1]["payload"]
    assert (last["content"], last["turn_index"]) == ("Jitter it is.", 3)


def test_a_call_that_is_answered_after_a_restart_is_one_command(machine: Machine, folder: Path) -> None:
    host = ClaudeCode(machine.root("claude-code"), folder)
    write_lines(host.file, [host.said("user", "go"), host.used("t1", "Bash", command="make")])
    machine.look()
    write_lines(host.file, [host.gave("t1", "done", {"stdout": "done", "stderr": ""})], "a")
    assert machine.look() == 1
    assert machine.events(host)[-1]["payload"]["command"] == "make"


@pytest.mark.parametrize("kind", [ClaudeCode, Codex, GeminiCli])
def test_marks_that_are_lost_cost_time_and_no_doubles(kind: Any, machine: Machine, folder: Path) -> None:
    host = kind(machine.root(kind.host), folder)
    write_lines(host.file, host.whole())
    machine.look()
    before = machine.refs(host)
    machine.marks.clear()
    assert machine.look() == 0
    assert machine.refs(host) == before
    assert len(set(before)) == len(before)


def test_a_crash_between_events_and_mark_leaves_each_event_once(
    machine: Machine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(take_in, "_LINES_AT_ONCE", 4)
    host = ClaudeCode(machine.root("claude-code"), folder)
    write_lines(host.file, host.whole())
    put = machine.marks.put

    def die(*_: object) -> None:
        raise OSError("the power went")

    monkeypatch.setattr(machine.marks, "put", die)
    with pytest.raises(OSError, match="power"):
        machine.look()
    monkeypatch.setattr(machine.marks, "put", put)
    machine.look()
    assert len(machine.refs(host)) == len(set(machine.refs(host))) == 9


@pytest.mark.parametrize("kind", [ClaudeCode, Codex, GeminiCli])
def test_a_file_that_is_rotated_adds_only_what_is_new(kind: Any, machine: Machine, folder: Path) -> None:
    """The host wrote the file anew, without its first records; and moved it, as Codex does when it archives."""
    host = kind(machine.root(kind.host), folder)
    entries = host.whole()
    write_lines(host.file, entries)
    machine.look()
    before = machine.refs(host)
    is_gemini = isinstance(host, GeminiCli)
    more = host.message("m-9", "gemini", "Done.") if is_gemini else host.said("assistant", "Done.")
    kept = [*entries[:1], *entries[6:], more]
    draft = host.file.with_name("draft")
    write_lines(draft, kept)
    draft.replace(host.file)
    assert machine.look() == 1
    assert machine.refs(host)[:-1] == before
    assert machine.events(host)[-1]["payload"]["content"] == "Done."
    moved = host.file.parent.parent / host.file.parent.name.replace("18", "19") / host.file.name
    moved.parent.mkdir(exist_ok=True)
    host.file.replace(moved)
    assert machine.look() == 0


def test_an_older_file_of_gemini_cli_goes_on_in_the_newer_form(machine: Machine, folder: Path) -> None:
    old = GeminiCli(machine.root("gemini-cli"), folder, is_noted=False, end="json")
    old.file.write_text(old.whole_json())
    assert machine.look() == 8
    new = GeminiCli(machine.root("gemini-cli"), folder, is_noted=False)
    write_lines(new.file, [*new.whole(), new.message("m-4", "user", "Thanks")])
    assert machine.look() == 1


def test_an_older_file_of_gemini_cli_that_grows_adds_what_is_new(machine: Machine, folder: Path) -> None:
    host = GeminiCli(machine.root("gemini-cli"), folder, end="json")
    host.file.write_text(host.whole_json())
    machine.look()
    grown = json.loads(host.whole_json())
    grown["messages"].append(host.message("m-4", "user", "Thanks"))
    host.file.write_text(json.dumps(grown))
    assert machine.look() == 1


def test_of_a_folder_that_nobody_named_nothing_is_kept(
    machine: Machine, tmp_path: Path, world: World
) -> None:
    for kind in (ClaudeCode, Codex, GeminiCli):
        host = kind(machine.root(kind.host), tmp_path / "gateway-of-others")
        write_lines(host.file, host.whole())
    assert machine.look() == 0
    assert machine.sessions() == []
    kept = [
        file for place in (world.folder, tmp_path / "state") for file in place.rglob("*") if file.is_file()
    ]
    assert [file for file in kept if b"gateway-of-others" in file.read_bytes()] == []
    assert [file for file in kept if b"limiter" in file.read_bytes()] == []


def test_a_folder_within_a_named_one_and_a_link_to_it_are_meant_too(
    machine: Machine, folder: Path, tmp_path: Path
) -> None:
    (folder / "api").mkdir()
    (tmp_path / "link").symlink_to(folder)
    for name, where in (("a" * 36, folder / "api"), ("b" * 36, tmp_path / "link")):
        host = ClaudeCode(machine.root("claude-code"), where, name)
        write_lines(host.file, [host.said("user", "hello there")])
    assert machine.look() == 4
    assert len(machine.sessions()) == 2


def test_with_all_every_folder_is_meant(tmp_path: Path, world: World) -> None:
    machine = Machine(tmp_path / "home", world, everything=True)
    host = Codex(machine.root("codex"), Path("/nowhere/at/all"))
    write_lines(host.file, host.whole())
    assert machine.look() == 8
    machine.marks.close()


def test_what_was_before_may_be_passed_over(machine: Machine, folder: Path) -> None:
    host = ClaudeCode(machine.root("claude-code"), folder)
    write_lines(host.file, host.whole())
    machine.pass_over()
    assert machine.look() == 0
    write_lines(host.file, [host.said("user", "From now on")], "a")
    assert machine.look() == 1


def test_credentials_are_not_in_the_log_nor_in_the_state(
    machine: Machine, folder: Path, tmp_path: Path
) -> None:
    host = ClaudeCode(machine.root("claude-code"), folder)
    open_call = host.used("t9", "Bash", command="deploy --token hunter2-abcdef")
    write_lines(host.file, [*host.whole(), open_call])
    machine.look()
    last = machine.events(host)[-1]
    assert last["payload"]["content"] == "Use this then:\n[REDACTED]\nand go on"
    assert last["security"]["sensitivity"] == "restricted"
    for place in (tmp_path / "vault", tmp_path / "state"):
        for file in place.rglob("*"):
            if file.is_file():
                assert CREDENTIAL.encode() not in file.read_bytes(), file
                assert b"hunter2" not in file.read_bytes(), file


def test_a_line_that_is_too_long_is_passed_over(
    machine: Machine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(take_in, "_LONGEST_LINE", 2_000)
    host = ClaudeCode(machine.root("claude-code"), folder)
    write_lines(host.file, [host.said("user", "a"), host.said("user", "x" * 9_000), host.said("user", "b")])
    machine.look()
    turns = [event["payload"].get("content") for event in machine.events(host)]
    assert turns == [None, "a", "b"]


def test_one_that_is_refused_keeps_its_mark(
    machine: Machine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = ClaudeCode(machine.root("claude-code"), folder)
    write_lines(host.file, host.whole())

    def refuse(*_: object) -> int:
        raise BadValue("no")

    with monkeypatch.context() as patch:
        patch.setattr(machine, "ingest", refuse)
        with pytest.raises(BadValue):
            machine.look()
    assert machine.look() == 9


def test_what_an_agent_writes_down_while_the_daemon_asks_it_about_sessions_is_no_session(
    tmp_path: Path, world: World
) -> None:
    machine = Machine(tmp_path / "home", world, everything=True)
    own = ClaudeCode(machine.root("claude-code"), world.helix.state / "distill")
    gemini = GeminiCli(machine.root("gemini-cli"), world.helix.state / "distill")
    for host in (own, gemini):
        write_lines(host.file, host.whole())
    assert machine.look() == 0
    assert machine.sessions() == []
    machine.marks.close()
