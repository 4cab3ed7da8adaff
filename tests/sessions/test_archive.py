"""Sessions that are archived: kept to the byte, found by nobody, and back when they are needed."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from helix.config import SessionsConfig
from helix.daemon.archiving import ArchiveSoon
from helix.errors import BadValue, SessionNotFound
from helix.memory.request import Request
from helix.sessions import append, archive, reading, refs, verbatim
from helix.vault.log.event import EventDraft
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.memory.world import ME, NOW, World


def _request(world: World) -> Request:
    return world.service.request(ME)


def _happened(
    world: World, session: str, days_ago: float, kind: str = "transcript.turn", **payload: Any
) -> None:
    """By the clock of back then."""
    logs = world.helix.events.logs()
    logs._clock = lambda: NOW - timedelta(days=days_ago)
    given = payload or {"role": "user", "content": f"said in {session}"}
    append.append(_request(world), session_id=session, event_type=kind, actor="agent", payload=given)
    logs._clock = lambda: NOW


def _listed(world: World, archived: bool = False) -> set[str]:
    answer = reading.sessions(_request(world), archived=archived)
    return {one["session_id"] for one in answer["sessions"]}


def _look(world: World, **limits: Any) -> None:
    world.helix.config = replace(world.helix.config, sessions=SessionsConfig(**limits))
    soon = ArchiveSoon(world.helix)
    soon.look()
    if soon._thread is not None:
        soon._thread.join(30)
    soon.stop()


def _found(world: World, query: str) -> list[str]:
    return [hit["content"] for hit in verbatim.verbatim(_request(world), query=query)["results"]]


def test_an_archived_session_is_found_by_nobody_and_comes_back_whole(world: World) -> None:
    _happened(world, "old", 40)
    before = (world.folder / "sessions/old").glob("*.jsonl")
    lines = next(before).read_bytes()
    assert archive.archive(_request(world), session_id="old")["status"] == "archived"
    assert not (world.folder / "sessions/old").exists()
    assert _found(world, "said old") == []
    assert (_listed(world), _listed(world, archived=True)) == (set(), {"old"})
    assert reading.sessions(_request(world))["archived"] == 1
    with pytest.raises(SessionNotFound, match="`helix session restore old` brings it back"):
        reading.replay(_request(world), session_id="old")
    world.helix.reconciler.reconcile()
    assert not world.helix.reconciler.brake.reason
    archive.restore(_request(world), session_id="old")
    assert next((world.folder / "sessions/old").glob("*.jsonl")).read_bytes().startswith(lines)
    assert _found(world, "said old") == ["user: said in old"]
    types = [event["type"] for event in reading.replay(_request(world), session_id="old")["events"]]
    assert types == ["transcript.turn", "session.archived", "session.restored"]
    assert reading.verify(_request(world), session_id="old")["ok"]


def test_one_that_goes_on_is_brought_back_and_its_chain_goes_on(world: World) -> None:
    _happened(world, "old", 40)
    archive.archive(_request(world), session_id="old")
    _happened(world, "old", 0)
    assert [event["seq"] for event in reading.replay(_request(world), session_id="old")["events"]] == [
        1,
        2,
        3,
        4,
    ]
    assert reading.verify(_request(world), session_id="old")["ok"]
    assert _listed(world, archived=True) == set()


def test_by_age_the_daemon_archives_those_in_which_nothing_happened_and_says_so(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    _happened(world, "old", 40)
    _happened(world, "new", 3)
    _happened(world, "skilled", 40, "skill.proposed", skill_id="deploy", procedure=["Look"])
    _happened(world, "named", 40)
    refs.set_ref(_request(world), name="refs/start", session_id="named", actor="me")
    with caplog.at_level(logging.INFO, "helix.daemon"):
        _look(world)
        assert _listed(world, archived=True) == set()
        _look(world, archive_after_days=30)
    assert _listed(world, archived=True) == {"old"}
    assert "the session old was archived, by its age: the limit is 30 days" in caplog.text
    archive.restore(_request(world), session_id="old")
    _look(world, archive_after_days=30)
    assert "old" in _listed(world)


def test_by_size_the_oldest_go_until_the_rest_is_small_enough(world: World) -> None:
    for days in (9, 7, 5, 0.1):
        _happened(world, f"d{days}".replace(".", "_"), days, content="x" * 60_000)
    _look(world, archive_over_mb=0.13)
    assert _listed(world, archived=True) == {"d9", "d7"}
    _look(world, archive_over_mb=0.001)
    assert _listed(world) == {"d0_1"}


def test_what_another_machine_archived_is_gone_here_without_waiting(world: World) -> None:
    for number in range(30):
        _happened(world, f"s{number}", 40)
    (world.folder / "archived-sessions").mkdir()
    for number in range(29):
        shutil.move(world.folder / f"sessions/s{number}", world.folder / f"archived-sessions/s{number}")
    world.helix.reconciler.reconcile()
    assert not world.helix.reconciler.brake.reason
    assert _listed(world) == {"s29"}


def test_one_that_is_in_both_places_loses_no_event(world: World, tmp_path: Path) -> None:
    _happened(world, "old", 40)
    shutil.copytree(world.folder / "sessions", tmp_path / "elsewhere/sessions")
    archive.archive(_request(world), session_id="old")
    there = SessionLogs(Root(tmp_path / "elsewhere"), lambda: "other")
    there.append("old", [EventDraft("transcript.turn", "user", {"content": "while it was archived here"})])
    shutil.copytree(tmp_path / "elsewhere/sessions", world.folder / "sessions", dirs_exist_ok=True)
    archive.restore(_request(world), session_id="old")
    assert set(_found(world, "said while old")) == {"user: said in old", "while it was archived here"}
    found = reading.verify(_request(world), session_id="old")
    assert (found["ok"], len(found["heads"])) == (True, 2)


def test_an_empty_folder_that_a_sync_tool_left_behind_is_no_archived_session(world: World) -> None:
    (world.folder / "archived-sessions/old").mkdir(parents=True)
    _happened(world, "old", 40)
    assert _listed(world, archived=True) == set()
    assert reading.session(_request(world), session_id="old")["types"] == {"transcript.turn": 1}


def test_what_was_erased_elsewhere_while_it_was_archived_is_erased_when_it_comes_back(
    world: World, tmp_path: Path
) -> None:
    _happened(world, "old", 40, content="the word is xylophone")
    [found] = reading.replay(_request(world), session_id="old")["events"]
    shutil.copytree(world.folder / "sessions", tmp_path / "elsewhere/sessions")
    archive.archive(_request(world), session_id="old")
    there = SessionLogs(Root(tmp_path / "elsewhere"), lambda: "other")
    there.append("old", [EventDraft("event.erased", "helix", {"seq": 1, "hash": found["hash"]})])
    (world.folder / "sessions/old").mkdir()
    shutil.copy(tmp_path / "elsewhere/sessions/old/other.jsonl", world.folder / "sessions/old")
    archive.restore(_request(world), session_id="old")
    assert not any(b"xylophone" in file.read_bytes() for file in world.folder.rglob("*.jsonl"))
    assert reading.verify(_request(world), session_id="old")["ok"]


def test_what_cannot_be_archived_is_said(world: World) -> None:
    with pytest.raises(SessionNotFound, match="no session"):
        archive.archive(_request(world), session_id="nobody")
    with pytest.raises(SessionNotFound, match="no session 'nobody' is archived"):
        archive.restore(_request(world), session_id="nobody")
    with pytest.raises(BadValue, match="log of the refs"):
        archive.archive(_request(world), session_id="__refs__")
