"""Feedback, on a real vault: kept in the log, felt in the ranking, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from helix.index.feedback import MOST, Judgement, shares
from helix.index.search import Question, Searcher
from helix.memory.search_engine import open_recall
from helix.sessions import append, feedback, reading
from tests.memory.world import ME, NOW, World, opened, record

QUERY = "will the client retry three times"


def _judge(world: World, name: str, word: str, **more: Any) -> Any:
    request = world.service.request(ME)
    said = {"session_id": "s", "entity_name": name, "entity_type": "memory", "feedback": word, **more}
    return feedback.feedback(request, **said)


def _two(world: World) -> None:
    for name, author in (("mem_a", "Ann"), ("mem_b", "Bob")):
        world.put(
            f"{name}.md", record(name, f"The client will retry three times, says {author}.", title="Retry")
        )


def _reasons(world: World, query: str = QUERY) -> dict[str, float]:
    answer = world.service.search(query, caller=ME, response_format="detailed")
    return {one["id"]: one["reasons"].get("feedback", 0.0) for one in answer["results"]}


def test_what_helped_stands_higher_and_the_reasons_say_so(world: World) -> None:
    _two(world)
    assert world.found(QUERY) == ["mem_a", "mem_b"]
    assert set(_reasons(world).values()) == {0.0}
    before = world.files()
    answer = _judge(world, "mem_b", "helpful", query=QUERY)
    assert (answer["event_type"], answer["memory_id"]) == ("memory.reinforced", "mem_b")
    assert world.found(QUERY) == ["mem_b", "mem_a"]
    reasons = _reasons(world)
    assert reasons["mem_b"] > reasons["mem_a"] == 0.0
    assert world.files() == before


def test_what_was_beside_the_point_stands_lower(world: World) -> None:
    _two(world)
    answer = _judge(world, "mem_a", "irrelevant", query=QUERY)
    assert answer["event_type"] == "memory.feedback"
    assert world.found(QUERY) == ["mem_b", "mem_a"]
    assert _reasons(world)["mem_a"] < 0


def test_a_memory_is_named_by_its_id_its_title_or_its_event_and_its_citation_stays(world: World) -> None:
    made = append.append(
        world.service.request(ME), session_id="s", event_type="decision.made", actor="agent",
        payload={"decision": "Retry 3 times, with jitter"},
    )  # fmt: skip
    assert made["memory"] is not None
    memory_id, text = made["memory"]["id"], world.read(made["memory"]["id"])
    for name, more in (
        (memory_id, {}),
        ("retry 3 times, with jitter", {}),
        ("it", {"citation": made["citation"]}),
    ):
        assert _judge(world, name, "used", **more)["memory_id"] == memory_id
    assert _judge(world, "nobody knows", "used")["memory_id"] is None
    assert world.read(memory_id) == text
    assert reading.cite(world.service.request(ME), uri=made["citation"])["memory_id"] == memory_id


def test_events_that_come_as_events_count_too_and_erased_ones_no_more(world: World) -> None:
    _two(world)
    said = {"entity_name": "mem_b", "feedback": "helpful", "query": QUERY}
    request = world.service.request(ME)
    event = append.append(
        request, session_id="s", event_type="memory.reinforced", actor="agent", payload=said
    )
    assert world.found(QUERY) == ["mem_b", "mem_a"]
    append.erase(request, session_id="s", seq=event["seq"])
    assert world.found(QUERY) == ["mem_a", "mem_b"]


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        _two(world)
        _judge(world, "mem_b", "helpful", query=QUERY)
        world.helix.config = replace(
            world.helix.config, search=replace(world.helix.config.search, feedback=False)
        )
        with open_recall(world.helix) as recall:
            answer = recall.searcher.search(Question(QUERY))
            assert [hit.memory_id for hit in answer.hits] == ["mem_a", "mem_b"]
            assert all("feedback" not in hit.reasons for hit in answer.hits)


def test_a_vault_without_logs_opens_none_for_a_search(world: World) -> None:
    _two(world)
    searcher: Searcher = world.recall.searcher
    searcher.search(Question(QUERY))
    assert not list(world.helix.state.glob("events.db*"))


def test_it_is_bounded_decays_and_counts_most_for_the_same_question() -> None:
    def moved(days: float, times: int, asked: str = QUERY) -> float:
        then = (NOW - timedelta(days=days)).timestamp()
        said = Judgement("m", 1.0, frozenset(("client", "retri")), then)
        return shares([said] * times, asked, NOW)["m"]

    assert 0 < moved(30, 1) < moved(0, 1) < moved(0, 1000) <= MOST
    assert moved(0, 1, "retry client") > moved(0, 1, "retry budget") > moved(0, 1, "zeppelin") > 0
