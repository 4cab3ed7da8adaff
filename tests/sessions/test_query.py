"""Facts as they hold now, or held at a time, each with its citation."""

from __future__ import annotations

from typing import Any

import pytest

from helix.errors import BadValue
from helix.sessions import append, invalidate, query
from tests.memory.world import ME, World


def _state(world: World, value: str, timestamp: str, session: str = "s", key: str = "indent") -> Any:
    payload = {"userId": "u", "key": key, "value": value}
    event = {
        "type": "user.preference_changed", "actor": "agent", "payload": payload, "timestamp": timestamp,
    }  # fmt: skip
    return append.ingest(world.service.request(ME), session_id=session, events=[event])


def _rows(world: World, text: str = "indent", **how: Any) -> list[Any]:
    return list(query.query(world.service.request(ME), query=text, **how)["facts"])


def _values(world: World, **how: Any) -> list[str]:
    return [row["content"].rpartition("value: ")[2].splitlines()[0] for row in _rows(world, **how)]


def test_what_was_replaced_holds_until_that_which_replaced_it(world: World) -> None:
    _state(world, "tabs, always", "2026-01-01T00:00:00Z")
    _state(world, "two blanks", "2026-03-01T00:00:00Z")
    assert _values(world) == ["two blanks"]
    assert _values(world, held_at="2026-02-28T23:59:59Z") == ["tabs, always"]
    assert _values(world, held_at="2026-03-01T00:00:00Z") == ["two blanks"]
    assert _values(world, held_at="2025-12-31") == []
    [old] = _rows(world, held_at="2026-02-01")
    assert (old["valid_from"], old["valid_to"]) == ("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z")
    assert old["citation"].startswith("eventloom://s/events/1#")
    assert (old["entity_name"], old["entity_type"]) == ("user: indent", "preference")
    assert (old["session_id"], old["source"]) == ("s", "keyword")


def test_what_was_invalidated_held_until_then(world: World) -> None:
    _state(world, "tabs, always", "2026-01-01T00:00:00Z")
    invalidate.invalidate(
        world.service.request(ME), session_id="s", entity_name="indent", invalid_at="2026-02-01"
    )
    assert _values(world) == []
    assert _values(world, held_at="2026-01-15") == ["tabs, always"]
    assert _values(world, held_at="2026-02-01") == []


def test_memories_that_no_event_made_are_facts_too_and_forgotten_ones_are_not(world: World) -> None:
    kept = world.add("The ferry leaves at nine", valid_from="2026-01-01", valid_until="2026-06-01")["id"]
    gone = world.add("The ferry to the island is red", valid_from="2026-01-01")["id"]
    world.service.forget(gone, caller=ME)
    [row] = _rows(world, "ferry", held_at="2026-03-01")
    assert (row["memory_id"], row["session_id"], row["valid_to"]) == (kept, "s-1", "2026-06-01")
    assert row["citation"] == f"helix://memory/{kept}"
    assert _rows(world, "ferry") == []


def test_a_question_may_be_about_several_sessions(world: World) -> None:
    for name in ("a", "b", "c"):
        _state(world, f"blanks of {name}", "2026-01-01T00:00:00Z", name, f"indent of {name}")
    assert sorted(_values(world, session_ids=["a", "c"])) == ["blanks of a", "blanks of c"]
    assert len(_values(world)) == 3
    assert _values(world, session_ids=["nobody"]) == []
    with pytest.raises(BadValue, match="Invalid session_id"):
        _values(world, session_ids=["../x"])


def test_pages_hold_every_fact_once_whatever_is_written_meanwhile(world: World) -> None:
    for number in range(7):
        _state(world, f"{number} blanks", "2026-01-01T00:00:00Z", key=f"indent of file {number}")
    request = world.service.request(ME)
    page = query.query(request, query="indent", limit=3)
    rows = list(page["facts"])
    _state(world, "a late one", "2026-01-02T00:00:00Z", key="indent of a late file")
    while page["next_cursor"] is not None:
        page = query.query(request, query="indent", limit=3, cursor=page["next_cursor"])
        assert len(page["facts"]) <= 3
        rows += page["facts"]
    assert len({row["memory_id"] for row in rows}) == len(rows) == 7


def test_a_score_is_explained_when_asked_for(world: World) -> None:
    _state(world, "tabs", "2026-01-01T00:00:00Z")
    [row] = _rows(world, explain=True)
    explanation = row["score_explanation"]
    assert explanation is not None
    assert explanation["ranking_score"] == row["score"]
    assert explanation["source"] == row["source"]
    assert "score_explanation" not in _rows(world)[0]
    assert _rows(world, "user: indent")[0]["source"] == "exact"


def test_a_question_that_makes_no_sense_is_refused(world: World) -> None:
    for how in ({"text": "  "}, {"text": "x" * 5000}, {"held_at": "yesterday"}, {"limit": 101}):
        with pytest.raises(BadValue):
            _rows(world, **how)
