"""`helix capture` as a person uses it, with a real daemon that follows the transcripts and without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.capture.transcripts import ClaudeCode, Codex, write_lines
from tests.cli.commands import helix, helix_json
from tests.flows.daemon import free_port, running_daemon
from tests.waiting import wait_for


@pytest.fixture
def home(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = place / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    (place / "gateway").mkdir()
    monkeypatch.chdir(place / "gateway")
    return home


def _claude(home: Path, folder: str = "gateway", **more: Any) -> ClaudeCode:
    return ClaudeCode(home / ".claude", home.parent / folder, **more)


def _contents(session: str) -> list[str]:
    answer = helix_json("session", "replay", session)
    return [
        event["payload"].get("content", "")
        for event in answer["events"]
        if event["type"] == "transcript.turn"
    ]


def _texts(place: Path) -> bytes:
    return b"".join(file.read_bytes() for file in (place / "vault").rglob("*.jsonl"))


def test_it_is_off_until_it_is_turned_on(home: Path) -> None:
    host = _claude(home)
    write_lines(host.file, host.whole())
    assert helix_json("capture", "status") == {
        "on": False,
        "folders": [],
        "all": False,
        "hosts": [],
        "sessions": 0,
    }
    assert "capture" in helix("status").stdout
    assert helix_json("status")["capture"]["on"] is False
    with running_daemon():
        assert helix_json("session", "list")["sessions"] == []


def test_turned_on_it_takes_in_what_was_before_once(home: Path) -> None:
    host, other = _claude(home), _claude(home, "diary", session="1" * 36)
    write_lines(host.file, host.whole())
    write_lines(other.file, [other.said("user", "dear diary")])
    answer = helix_json("capture", "on", "--host", "claude-code")
    assert (answer["transcripts"], answer["events"]) == (1, 9)
    assert answer["folders"] == [str(home.parent / "gateway")]
    assert helix_json("capture", "on")["events"] == 0
    assert helix_json("capture", "status")["hosts"] == ["claude-code", "codex", "gemini-cli"]
    assert helix_json("capture", "status")["sessions"] == 1
    assert helix_json("status")["capture"]["on"] is True
    [session] = helix_json("session", "list")["sessions"]
    assert session["session_id"] == f"claude-code-{host.stem}"
    assert b"diary" not in _texts(home.parent)
    assert helix_json("session", "verify", session["session_id"])["ok"]


def test_the_daemon_follows_what_is_added_and_a_restart_doubles_nothing(home: Path) -> None:
    host = _claude(home)
    session = f"claude-code-{host.stem}"
    write_lines(host.file, host.whole())
    with running_daemon():
        assert helix_json("capture", "on")["events"] == 9
    with running_daemon():
        write_lines(host.file, [host.said("assistant", "Jitter it is.")], "a")
        wait_for(lambda: "Jitter it is." in _contents(session), seconds=40)
    write_lines(host.file, [host.said("user", "Thanks.")], "a")
    with running_daemon():
        wait_for(lambda: "Thanks." in _contents(session), seconds=40)
        helix("capture", "off")
    assert _contents(session)[-2:] == ["Jitter it is.", "Thanks."]
    events = helix_json("session", "replay", session)["events"]
    refs = [event["payload"]["external_ref"] for event in events]
    assert len(refs) == len(set(refs)) == 11


def test_a_daemon_that_runs_already_notices_that_it_was_turned_on(home: Path, place: Path) -> None:
    (place / "config").mkdir(exist_ok=True)
    helix("config", "set", "follow.scan_interval", "0.5")
    host = _claude(home)
    with running_daemon():
        helix("capture", "on", "--no-backfill")
        write_lines(host.file, [host.said("user", "hello gateway")])
        wait_for(lambda: host.stem in str(helix_json("session", "list")["sessions"]), seconds=40)
        helix("capture", "off")


def test_without_back_filling_only_what_comes_is_taken_in(home: Path) -> None:
    host = _claude(home)
    write_lines(host.file, host.whole())
    assert helix_json("capture", "on", "--no-backfill")["events"] == 0
    write_lines(host.file, [host.said("user", "From now on")], "a")
    assert helix_json("capture", "on")["events"] == 1


def test_a_further_folder_without_its_past_leaves_the_first_as_it_was(home: Path) -> None:
    host, other = _claude(home), _claude(home, "diary", session="1" * 36)
    (home.parent / "diary").mkdir()
    for one in (host, other):
        write_lines(one.file, [one.said("user", "hello")])
    assert helix_json("capture", "on")["events"] == 2
    for one in (host, other):
        write_lines(one.file, [one.said("user", "meanwhile")], "a")
    assert helix_json("capture", "on", "--project", "../diary", "--no-backfill")["events"] == 1
    write_lines(other.file, [other.said("user", "from now on")], "a")
    assert helix_json("capture", "on")["events"] == 1
    assert _contents(f"claude-code-{host.stem}") == ["hello", "meanwhile"]
    assert _contents(f"claude-code-{other.stem}") == ["from now on"]


def test_purge_erases_what_was_taken_in_and_nothing_else(home: Path) -> None:
    host, codex = _claude(home), Codex(home / ".codex", home.parent / "gateway")
    write_lines(host.file, host.whole())
    write_lines(codex.file, codex.whole())
    session = f"claude-code-{host.stem}"
    helix("capture", "on")
    helix("session", "append", session, "note.taken", "--payload", '{"content": "by hand"}')
    assert b"limiter" in _texts(home.parent)
    answer = helix_json("capture", "purge")
    assert answer == {"on": False, "was_on": True, "sessions": 2, "events": 17}
    for place in ("vault", "state"):
        for file in (home.parent / place).rglob("*"):
            assert not file.is_file() or b"limiter" not in file.read_bytes(), file
    assert "by hand" in _texts(home.parent).decode()
    assert helix_json("session", "verify", session)["ok"]
    assert helix_json("capture", "status") == {
        "on": False,
        "folders": [],
        "all": False,
        "hosts": [],
        "sessions": 0,
    }
    assert host.file.exists()
    assert helix_json("capture", "purge")["events"] == 0


def test_purge_by_a_daemon(home: Path) -> None:
    host = _claude(home)
    write_lines(host.file, host.whole())
    with running_daemon():
        helix("capture", "on")
        assert helix_json("capture", "purge")["events"] == 9
        assert helix_json("session", "search", "limiter")["results"] == []
    assert b"limiter" not in _texts(home.parent)


def test_the_folders_of_the_hosts_may_be_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "elsewhere"))
    host = ClaudeCode(home / "elsewhere", home.parent / "gateway")
    write_lines(host.file, host.whole())
    assert helix_json("capture", "on", "--project", str(home.parent / "gateway"))["events"] == 9
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    write_lines(host.file, [host.said("user", "Thanks.")], "a")
    with running_daemon():
        wait_for(lambda: "Thanks." in _contents(f"claude-code-{host.stem}"), seconds=40)


def test_what_cannot_be_meant_is_said(home: Path) -> None:
    assert "no host 'emacs'" in helix_json("capture", "on", "--host", "emacs", ok=False)["error"]
    assert "exclude" in helix_json("capture", "on", "--all", "--project", ".", ok=False)["error"]
    assert "not a folder" in helix_json("capture", "on", "--project", "nowhere", ok=False)["error"]
    helix("config", "set", "sessions.keep", "off")
    assert helix_json("capture", "on", ok=False)["code"] == "sessions-off"


def test_a_hook_adds_what_it_saw(home: Path) -> None:
    helix("hook-event", "session_start", "--session", "s", "--workspace", "/w", "--source", "claude-code")
    helix("hook-event", "COMMAND", "--session", "s", "--command", "make --token abc", "--exit-code", "2",
          "--stdout", "x" * 999)  # fmt: skip
    helix("hook-event", "file-edit", "--session", "s", "--path", "a.py", "--line-count", "3")
    helix(
        "hook-event",
        "tool-call",
        "--session",
        "s",
        "--tool-name",
        "t",
        "--arguments-json",
        '{"b": 1, "a": 2}',
    )
    helix("hook-event", "transcript-turn", "--session", "s", "--role", "user", "--content", "hello")
    for trigger in ("resume", "stop", "precompact", "checkpoint", "heartbeat"):
        helix("hook-event", trigger, "--session", "s", "--ref", trigger)
        helix("hook-event", trigger, "--session", "s", "--ref", trigger)
    events = helix_json("session", "replay", "s")["events"]
    assert [event["type"] for event in events] == [
        "hook.session_started", "command.completed", "file.edit.applied", "tool.call.completed", "transcript.turn",
        "hook.resumed", "hook.stop", "hook.precompact", "hook.checkpoint", "hook.heartbeat",
    ]  # fmt: skip
    command = events[1]["payload"]
    assert (command["command"], command["outcome"]) == ("make --token [REDACTED]", "failed")
    assert len(command["stdout_excerpt"]) == 240
    assert events[3]["payload"]["argument_keys"] == ["a", "b"]
    assert json.dumps(events[3]["payload"]).count("1") == 0
    assert events[4]["actor"] == "user"
    assert "--exit-code" in helix_json("hook-event", "command", "--command", "x", ok=False)["error"]
    assert "no trigger" in helix_json("hook-event", "sneeze", ok=False)["error"]
