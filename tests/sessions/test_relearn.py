"""A memory that could not be made of an event is made later, by the daemon, without anybody asking."""

from __future__ import annotations

from typing import Any

import pytest

from helix.daemon.relearning import RelearnSoon
from helix.errors import NotWorthKeeping, StorageError
from helix.sessions import append, learn
from tests.memory.world import ME, World


def _append(world: World, decision: str) -> Any:
    return append.append(
        world.service.request(ME),
        session_id="s",
        event_type="decision.made",
        actor="agent",
        payload={"decision": decision},
    )


def _broken(error: Exception) -> Any:
    def write(*_: object) -> None:
        raise error

    return write


def _left(world: World) -> int:
    return len(world.helix.events.index().unlearned(100))


def test_the_daemon_makes_what_a_full_disk_did_not_let_it_make(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(learn, "write", _broken(StorageError("the disk is full", code="disk-full")))
        answer = _append(world, "Feed the seals at noon")
        assert "no memory was made of it" in answer["degraded"]
        soon = RelearnSoon(world.workspace)
        soon.look()
        soon.stop()
        assert _left(world) == 1
    assert world.found("seals") == []
    soon = RelearnSoon(world.workspace)
    soon.look()
    soon.stop()
    [memory_id] = world.found("seals")
    assert "project: billing" in world.read(memory_id)
    assert answer["citation"] in world.read(memory_id)
    assert _left(world) == 0


def test_what_will_never_be_a_memory_and_what_was_erased_are_not_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(learn, "write", _broken(NotWorthKeeping("it says nothing")))
        assert "degraded" in _append(world, "Feed the seals at one")
        assert _left(world) == 0
        broken.setattr(learn, "write", _broken(StorageError("the disk is full", code="disk-full")))
        gone = _append(world, "Feed the seals at two")
    append.erase(world.service.request(ME), session_id="s", seq=gone["seq"])
    soon = RelearnSoon(world.workspace)
    soon.look()
    soon.stop()
    assert (world.found("seals"), _left(world)) == ([], 0)


def test_a_vault_without_logs_is_given_nothing_by_the_look(world: World) -> None:
    soon = RelearnSoon(world.workspace)
    soon.look()
    soon.stop()
    assert not (world.helix.state / "events.db").exists()
