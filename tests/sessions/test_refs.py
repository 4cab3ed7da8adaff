"""Refs are points of sessions, and asking at one is asking then: nothing that came later is in the answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, SessionNotFound
from helix.sessions import append, checkout, invalidate, query, reading, refs, verbatim
from helix.vault.log.event import EventDraft
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.memory.world import ME, World

REFS = "sessions/__refs__"


def _append(world: World, kind: str, payload: dict[str, Any], session: str = "s") -> Any:
    request = world.service.request(ME)
    return append.append(request, session_id=session, event_type=kind, actor="agent", payload=payload)


def _prefer(world: World, value: str, session: str = "s") -> Any:
    return _append(
        world, "user.preference_changed", {"userId": "u", "key": "indent", "value": value}, session
    )


def _set(world: World, name: str, session: str = "s", **how: Any) -> Any:
    return refs.set_ref(world.service.request(ME), session_id=session, name=name, **how)


def _checkout(world: World, ref: str | None, text: str = "which indent?", session: str = "s") -> Any:
    return checkout.checkout(world.service.request(ME), session_id=session, query=text, ref=ref)


def _elsewhere(world: World, tmp_path: Path) -> SessionLogs:
    shutil.copytree(world.folder, tmp_path / "elsewhere")
    return SessionLogs(Root(tmp_path / "elsewhere"), lambda: "other")


def _sync(world: World, tmp_path: Path, path: str) -> None:
    (world.folder / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(tmp_path / "elsewhere" / path, world.folder / path)
    world.helix.reconciler.reconcile()


def test_a_checkout_at_a_ref_is_what_it_was_when_the_ref_was_the_end(world: World) -> None:
    _prefer(world, "tabs, always")
    _append(world, "transcript.turn", {"role": "user", "content": "the indent of the parser is odd"})
    _set(world, "refs/then")
    then = _checkout(world, "refs/then")
    assert then["current_facts"][0]["content"].splitlines()[1] == "value: tabs, always"
    assert then["current_facts"][0]["valid_to"] is None
    assert (then["ref"]["target_seq"], then["session_id"]) == (2, "s")
    for number in range(5):
        _append(world, "transcript.turn", {"role": "user", "content": f"indent and indent again, {number}"})
    _prefer(world, "two blanks")
    invalidate.invalidate(world.service.request(ME), session_id="s", entity_name="indent")
    _append(world, "decision.made", {"decision": "The indent is made by the formatter"})
    assert _checkout(world, "refs/then") == then
    assert "blanks" not in str(then)
    # The ref names its own session, whatever is asked about.
    assert _checkout(world, "refs/then", session="another")["current_facts"] == then["current_facts"]


def test_what_was_replaced_or_invalidated_before_the_ref_holds_no_more_there(world: World) -> None:
    _prefer(world, "tabs, always")
    _prefer(world, "two blanks")
    _set(world, "refs/replaced")
    invalidate.invalidate(world.service.request(ME), session_id="s", entity_name="indent")
    _set(world, "refs/invalidated")
    _prefer(world, "four blanks")

    def held(ref: str) -> list[str]:
        rows = query.query(world.service.request(ME), query="indent", ref=ref)["facts"]
        return [row["content"].splitlines()[1] for row in rows]

    assert held("refs/replaced") == ["value: two blanks"]
    assert held("refs/invalidated") == []
    assert query.query(world.service.request(ME), query="indent", ref="HEAD", session_ids=["s"])["facts"]
    closed = [row for row in _checkout(world, "refs/replaced")["provenance"] if row["valid_to"]]
    assert closed[0]["citation"].startswith("eventloom://s/events/1#")


def test_a_note_that_was_rewritten_since_does_not_leak_into_the_past(world: World) -> None:
    made = _append(world, "decision.made", {"decision": "Retry three times"})["memory"]["id"]
    _set(world, "refs/then")
    row = world.helix.catalog.find(made)
    assert row is not None
    file = world.folder / row.path
    file.write_text(file.read_text("utf-8").replace("Retry three times", "Retry nine times"), "utf-8")
    world.helix.reconciler.reconcile([row.path], settled=True)
    assert "nine" not in str(_checkout(world, "refs/then", "how often to retry?"))
    assert "Retry three times" in str(_checkout(world, "refs/then", "how often to retry?"))
    world.service.forget(made, mode="hard", caller=ME)
    assert "Retry three times" in str(_checkout(world, "refs/then", "how often to retry?"))
    append.erase(world.service.request(ME), session_id="s", seq=1)
    assert "Retry three times" not in str(_checkout(world, "refs/then", "how often to retry?"))


def test_replay_and_verbatim_stop_at_the_ref(world: World) -> None:
    for number in range(1, 6):
        _append(world, "transcript.turn", {"role": "user", "content": f"penguin {number}"})
    _set(world, "refs/two", seq=2)
    request = world.service.request(ME)
    replayed = reading.replay(request, session_id="s", ref="refs/two")
    assert [event["seq"] for event in replayed["events"]] == [1, 2]
    assert replayed["ref"] is not None
    assert replayed["ref"]["name"] == "refs/two"
    found = verbatim.verbatim(request, query="penguin", ref="refs/two")["results"]
    assert [hit["content"] for hit in found] == ["user: penguin 2", "user: penguin 1"]
    assembled = checkout.assemble(request, session_id="s", query="penguin", ref="refs/two")
    assert "penguin 3" not in assembled["prompt"]
    assert "penguin 2" in assembled["prompt"]


def test_of_two_machines_that_went_on_at_once_a_ref_knows_its_own_past_alone(
    world: World, tmp_path: Path
) -> None:
    _prefer(world, "tabs, always")
    there = _elsewhere(world, tmp_path)
    here = _append(world, "decision.made", {"decision": "Count penguins on the left"})
    [right] = there.append(
        "s", [EventDraft("decision.made", "agent", {"decision": "Count penguins on the right"})]
    )
    _set(world, "refs/left")
    before = _checkout(world, "refs/left", "count penguins where?")
    _sync(world, tmp_path, "sessions/s/other.jsonl")
    assert _checkout(world, "refs/left", "count penguins where?") == before
    assert "right" not in str(before)
    _set(world, "refs/right", seq=2, event_hash=right.hash[:12])
    other = _checkout(world, "refs/right", "count penguins where?")
    assert "left" not in str(other)
    assert "on the right" in str(other)
    replayed = reading.replay(world.service.request(ME), session_id="s", ref="refs/right")
    assert [event["hash"] for event in replayed["events"]][1:] == [right.hash]
    assert here["hash"] != right.hash


def test_head_is_the_last_event_and_a_ref_stays_where_it_was_set(world: World) -> None:
    first = _append(world, "a.b", {"n": 1})
    assert _set(world, "refs/heads/main")["status"] == "set"
    assert _set(world, "refs/heads/main")["status"] == "noop"
    second = _append(world, "a.b", {"n": 2})
    request = world.service.request(ME)
    head = refs.ref(request, name="HEAD", session_id="s")
    assert (head["target_hash"], head["ref_type"]) == (second["hash"], "head")
    known = refs.ref(request, name="refs/heads/main")
    assert (known["target_hash"], known["target_seq"], known["ref_type"]) == (first["hash"], 1, "ref")
    assert _set(world, "refs/heads/main", seq=2, ref_type="branch")["ref"]["target_hash"] == second["hash"]
    _set(world, "refs/heads/other", seq=1)
    assert [one["name"] for one in refs.refs(request)["refs"]] == ["refs/heads/other", "refs/heads/main"]
    assert refs.refs(request, session_id="nobody")["refs"] == []


def test_refs_are_a_log_that_is_synced_and_is_no_session(world: World, tmp_path: Path) -> None:
    _append(world, "a.b", {"n": 1})
    _set(world, "refs/x")
    assert len(list((world.folder / REFS).glob("*.jsonl"))) == 1
    request = world.service.request(ME)
    assert [one["session_id"] for one in reading.sessions(request)["sessions"]] == ["s"]
    assert reading.verify(request, session_id="__refs__")["ok"]
    with pytest.raises(BadValue, match="session ref set"):
        _append(world, "a.b", {}, "__refs__")
    there = _elsewhere(world, tmp_path)
    _append(world, "a.b", {"n": 2})
    _set(world, "refs/x")
    target = {
        "name": "refs/x",
        "session_id": "s",
        "target_seq": 1,
        "target_hash": "0" * 64,
        "ref_type": "ref",
    }
    there.append("__refs__", [EventDraft("memory.ref.updated", "agent", {**target}, "2999-01-01T00:00:00Z")])
    _sync(world, tmp_path, f"{REFS}/other.jsonl")
    # The machine that set it last: on every machine the same one.
    [known] = refs.refs(world.service.request(ME))["refs"]
    assert known["target_hash"] == "0" * 64
    with pytest.raises(SessionNotFound, match="which is not here"):
        _checkout(world, "refs/x")


@pytest.mark.parametrize(
    "name", ["main", "refs/", "refs//x", "refs/a/../b", "refs/.", "refs/ü", "refs/" + "x" * 241, "", "head"]
)
def test_a_name_that_is_none_is_refused(world: World, name: str) -> None:
    _append(world, "a.b", {})
    with pytest.raises(BadValue, match="no name of a ref"):
        _set(world, name)
    with pytest.raises(BadValue, match="no name of a ref"):
        _checkout(world, name)


def test_what_a_ref_cannot_lead_to_is_said(world: World) -> None:
    request = world.service.request(ME)
    with pytest.raises(SessionNotFound):
        _set(world, "refs/x", "nobody")
    _append(world, "a.b", {})
    for how in ({"seq": 9}, {"event_hash": "0" * 12}):
        with pytest.raises(SessionNotFound):
            _set(world, "refs/x", **how)
    for how in ({"event_hash": "xyz"}, {"ref_type": "no type"}):
        with pytest.raises(BadValue):
            _set(world, "refs/x", **how)
    with pytest.raises(BadValue, match="HEAD"):
        _set(world, "HEAD")
    with pytest.raises(BadValue, match="say of which"):
        refs.ref(request, name="HEAD")
    with pytest.raises(SessionNotFound, match="Unknown memory ref"):
        refs.ref(request, name="refs/never")
    assert refs.refs(request)["refs"] == []
