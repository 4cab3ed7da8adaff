"""What was stated can be said to hold no longer: the note says until when it held, and so does the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue
from helix.sessions import append, invalidate, reading
from tests.memory.world import ME, World, opened


def _append(world: World, kind: str, payload: dict[str, Any], session: str = "s") -> Any:
    request = world.service.request(ME)
    return append.append(request, session_id=session, event_type=kind, actor="agent", payload=payload)


def _invalidate(world: World, name: str, session: str = "s", **how: Any) -> Any:
    return invalidate.invalidate(world.service.request(ME), session_id=session, entity_name=name, **how)


def _types(world: World, session: str = "s") -> dict[str, int]:
    return reading.session(world.service.request(ME), session_id=session)["types"]


def test_the_note_says_until_when_it_held_and_an_event_says_so_too(world: World) -> None:
    made = _append(world, "decision.made", {"decision": "Retry 3 times"})["memory"]["id"]
    answer = _invalidate(
        world, "Retry 3 times", entity_type="decision", invalid_at="2026-11-01T00:00:00Z", reason="gone"
    )
    assert (answer["status"], answer["memory_id"], answer["session_id"]) == ("invalidated", made, "s")
    assert "valid_until: 2026-11-01T00:00:00Z" in world.read(made)
    event = reading.cite(world.service.request(ME), uri=answer["citation"])["event"]
    assert event["type"] == "memory.invalidated"
    assert event["payload"]["invalid_at"] == "2026-11-01T00:00:00Z"
    assert event["payload"]["reason"] == "gone"


@pytest.mark.parametrize(
    ("kind", "payload", "name", "entity_type"),
    [
        (
            "user.preference_changed",
            {"userId": "u", "key": "indent", "value": "tabs"},
            "indent",
            "preference",
        ),
        (
            "user.preference_changed",
            {"userId": "u", "key": "indent", "value": "tabs"},
            "u:indent",
            "preference",
        ),
        ("context.policy", {"source": "AGENTS.md", "status": "on"}, "AGENTS.md", "context_policy"),
        ("issue.diagnosed", {"issue": "Flaky retry test", "fix": "wait"}, "flaky  retry test", "issue"),
        ("issue.diagnosed", {"issue": "Flaky retry test", "fix": "wait"}, "issue: Flaky retry test", "fact"),
        ("task.proposed", {"taskId": "t-1", "summary": "mend it"}, "t-1", "task"),
        ("goal.created", {"title": "Ship it"}, "Ship it", "memory"),
    ],
)
def test_it_is_meant_by_the_name_and_type_that_agents_give_it(
    world: World, kind: str, payload: dict[str, Any], name: str, entity_type: str
) -> None:
    made = _append(world, kind, payload)["memory"]["id"]
    answer = _invalidate(world, name, entity_type=entity_type)
    assert (answer["status"], answer["memory_id"]) == ("invalidated", made)


def test_it_is_meant_by_id_and_by_citation_from_any_session_and_the_log_that_stated_it_knows(
    world: World,
) -> None:
    for number, name in enumerate(("id", "citation")):
        made = _append(world, "decision.made", {"decision": f"Take the {name} of the ferry {number}"})
        answer = _invalidate(world, made["memory"]["id"] if name == "id" else made["citation"], "another")
        assert (answer["status"], answer["session_id"]) == ("invalidated", "s")
    assert _types(world) == {"decision.made": 2, "memory.invalidated": 2}


def test_a_memory_that_no_event_made_is_closed_and_the_session_that_says_so_keeps_it(world: World) -> None:
    made = world.add("The ferry leaves at nine", title="Ferry", valid_from="2026-01-01")["id"]
    answer = _invalidate(world, "Ferry")
    assert (answer["status"], answer["memory_id"], answer["session_id"]) == ("invalidated", made, "s")
    assert "valid_until: 2026-11-16T12:00:00Z" in world.read(made)


def test_it_says_when_nothing_matched_and_writes_nothing(world: World) -> None:
    _append(world, "decision.made", {"decision": "Retry 3 times"})
    for name, entity_type in (("Retry 4 times", "decision"), ("Retry 3 times", "goal")):
        answer = _invalidate(world, name, entity_type=entity_type)
        assert (answer["status"], answer["memory_id"]) == ("nothing_matched", None)
    assert _invalidate(world, "anything", "nobody")["status"] == "nothing_matched"
    assert _types(world) == {"decision.made": 1}
    with pytest.raises(BadValue, match="invalid_at"):
        _invalidate(world, "Retry 3 times", invalid_at="yesterday")


def test_said_again_it_is_no_second_event_unless_it_held_even_less_long(world: World) -> None:
    _append(world, "decision.made", {"decision": "Retry 3 times"})
    for at, status in (("2026-06-01", "invalidated"), ("2026-07-01", "noop"), ("2026-05-01", "invalidated")):
        assert _invalidate(world, "Retry 3 times", invalid_at=at)["status"] == status
    assert _types(world)["memory.invalidated"] == 2


def test_what_was_stated_anew_is_closed_and_not_what_it_replaced(world: World) -> None:
    first = _append(world, "user.preference_changed", {"key": "indent", "value": "tabs, always"})
    second = _append(world, "user.preference_changed", {"key": "indent", "value": "two blanks"})
    assert _invalidate(world, "indent", entity_type="preference")["memory_id"] == second["memory"]["id"]
    assert "valid_until" not in world.read(first["memory"]["id"])


def test_notes_that_are_made_anew_from_the_events_are_closed_again(tmp_path: Path) -> None:
    given = []
    with opened(tmp_path / "one") as world:
        _append(world, "decision.made", {"decision": "Retry 3 times"})
        _invalidate(world, "Retry 3 times", invalid_at="2026-06-01")
        for event in reading.replay(world.service.request(ME), session_id="s")["events"]:
            given.append({key: event[key] for key in ("type", "actor", "payload", "timestamp")})
    with opened(tmp_path / "two") as world:
        append.ingest(world.service.request(ME), session_id="s", events=given)
        [text] = [data.decode() for data in world.files().values() if b"Retry 3 times" in data]
        assert "valid_until: 2026-06-01" in text
