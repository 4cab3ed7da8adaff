"""checkout and what stands around it, on a real vault: a verdict that is earned, and answers within their budget."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helix.errors import BadValue
from helix.memory.request import Request
from helix.memory.writing.amend import relate
from helix.memory.writing.write import NewText, write
from helix.sessions import append, checkout, orientation, reading, verbatim
from helix.sessions.contexts import Context
from helix.sessions.quality import confidence_of, judge, plan_for
from tests.memory.world import ME, World


def _request(world: World) -> Request:
    return world.service.request(ME)


def _append(world: World, kind: str, payload: dict[str, Any], session: str = "s") -> Any:
    return append.append(_request(world), session_id=session, event_type=kind, actor="agent", payload=payload)


def _checkout(world: World, query: str, session: str = "s", **how: Any) -> Any:
    return checkout.checkout(_request(world), session_id=session, query=query, **how)


def _database(world: World, name: str) -> None:
    _append(world, "decision.made", {"decision": "Ledger database", "summary": name})


@pytest.mark.parametrize(
    ("facts", "cited", "superseded", "warnings", "confidence"),
    [
        (1, 1, 0, 0, 0.75), (2, 2, 0, 0, 0.95), (1, 0, 0, 1, 0.29), (2, 0, 0, 1, 0.51), (1, 1, 0, 1, 0.57),
        (2, 2, 0, 1, 0.77), (0, 0, 0, 0, 0.25), (1, 1, 1, 0, 0.82),
    ],
)  # fmt: skip
def test_the_confidence_is_the_one_that_clients_know(
    facts: int, cited: int, superseded: int, warnings: int, confidence: float
) -> None:
    assert confidence_of(facts, cited, superseded, warnings) == confidence


def test_a_long_session_can_be_answered_from_memory(world: World) -> None:
    _append(
        world, "decision.made", {"decision": "Retry the gateway three times", "rationale": "it drops bursts"}
    )
    for number in range(60):
        _append(world, "transcript.turn", {"role": "assistant", "content": f"looked at file {number}"})
    answer = _checkout(world, "How many times do we retry the gateway?")
    assert (answer["quality"]["answerability"], answer["warnings"]) == ("answer_from_memory", [])
    [fact] = answer["current_facts"]
    assert "three times" in fact["content"]
    assert fact["citation"].startswith("eventloom://s/events/1#")
    assert answer["evidence"][0]["event_seq"] == 1
    assert answer["compacted"]
    assert "- Answerability: answer_from_memory" in answer["prompt"]


def test_what_was_never_stated_is_asked_of_the_user(world: World) -> None:
    _database(world, "PostgreSQL 16")
    answer = _checkout(world, "Which tax provider do we use for Brazil?")
    assert answer["quality"]["answerability"] == "ask_user"
    assert answer["current_facts"] == []


def test_what_was_replaced_is_no_fact_but_stands_in_the_provenance(world: World) -> None:
    _database(world, "SQLite, one file per tenant")
    _database(world, "PostgreSQL 16")
    answer = _checkout(world, "Which ledger database do we use?")
    assert answer["quality"]["answerability"] == "answer_from_memory"
    assert all("SQLite" not in fact["content"] for fact in answer["current_facts"])
    assert answer["retention"]["superseded_contexts_excluded"] == 1
    assert [entry["event_seq"] for entry in answer["provenance"] if entry["valid_to"]] == [1]


def test_facts_that_contradict_each_other_are_not_answered_from(world: World) -> None:
    first, second = (
        write(_request(world), NewText(text=text, title=text, force=True))["id"]
        for text in ("The map uses vector tiles", "The map uses raster tiles from the office")
    )
    relate(_request(world), first, second, "contradicts")
    answer = _checkout(world, "Which tiles does the map use?")
    assert answer["quality"]["answerability"] == "refresh_recommended"
    assert "contradict" in answer["warnings"][0]


def test_what_has_ended_is_not_answered_from(world: World) -> None:
    stated = NewText(
        text="No deploys until the fair is over", title="Deploy freeze", valid_until="2020-01-01"
    )
    write(_request(world), stated)
    assert _checkout(world, "Is there a deploy freeze?")["quality"]["answerability"] == "ask_user"


@pytest.mark.parametrize("room", [1200, 2000, 4000])
def test_the_whole_answer_keeps_its_budget_and_its_verdict(world: World, room: int) -> None:
    for number in range(40):
        payload = {
            "decision": f"Retry rule {number}",
            "rationale": f"the gateway drops bursts {number} " * 20,
        }
        _append(world, "decision.made", payload)
    request = _request(world)
    answer = _checkout(world, "retry rule gateway bursts", max_tokens=room)
    assert request.count(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= room * 1.02
    assert answer["tokens_used"] <= room
    assert answer["quality"]["answerability"] == "answer_from_memory"
    again = checkout.assemble(request, session_id="s", query="retry rule", max_tokens=room)
    assert again["tokens_used"] <= room


def test_the_same_question_has_the_same_answer_and_its_mark_is_never_found(world: World) -> None:
    _database(world, "PostgreSQL 16")
    first, second = (_checkout(world, "Which ledger database do we use?") for _ in range(2))
    assert first == second
    hits = verbatim.verbatim(_request(world), query="Which ledger database do we use?")["results"]
    assert [hit["metadata"]["event_seq"] for hit in hits] == [1]
    kinds = reading.session(_request(world), session_id="s")["types"]
    assert kinds["memory.checkout.completed"] == 2


def test_a_question_makes_no_session(world: World) -> None:
    assert _checkout(world, "anything at all?", "nobody")["replay_event_count"] == 0
    assert reading.sessions(_request(world))["sessions"] == []


def test_a_turn_is_kept_and_answered_with_what_bears_on_it(world: World) -> None:
    _database(world, "PostgreSQL 16")
    answer = checkout.after_turn(
        _request(world), session_id="s", role="user", content="Is the ledger database still the same?"
    )
    assert any("PostgreSQL 16" in str(row["content"]) for row in answer["contexts"])
    [hit] = verbatim.verbatim(_request(world), query="still the same")["results"]
    assert hit["metadata"]["transcript_role"] == "user"


def test_a_subagent_hands_over_to_the_session_it_worked_for(world: World) -> None:
    _append(world, "goal.created", {"title": "Mend the flaky test"}, "child")
    _append(world, "task.proposed", {"taskId": "t1", "title": "find the race"}, "child")
    _append(world, "task.proposed", {"taskId": "t2", "title": "write the test"}, "child")
    _append(world, "task.completed", {"taskId": "t1"}, "child")
    answer = checkout.handover(
        _request(world),
        session_id="parent",
        subagent_session_id="child",
        summary="The race was in the cache.",
    )
    assert answer["summary"]["goals"] == ["Mend the flaky test"]
    assert [task["payload"]["taskId"] for task in answer["summary"]["open_tasks"]] == ["t2"]
    assert answer["integrity_ok"]
    kinds = reading.session(_request(world), session_id="parent")["types"]
    assert kinds == {"handoff.created": 1}
    with pytest.raises(BadValue, match="itself"):
        checkout.handover(_request(world), session_id="a", subagent_session_id="a", summary="x")


def test_reminders_come_when_there_is_a_reason_and_then_only(world: World) -> None:
    def remind(trigger: str, **how: Any) -> Any:
        return orientation.reminder(_request(world), session_id="s", trigger=trigger, **how)["reminder"]

    assert remind("stop")["reasons"] == ["stale_memory_activity"]  # an empty log
    _checkout(world, "where does the work stand?")
    assert remind("stop") is None
    assert remind("command", duration_ms=29_999) is None
    assert remind("command", duration_ms=30_000)["reasons"] == ["context_boundary"]
    assert remind("PreCompact", turn_count=8)["reasons"] == ["context_boundary", "long_session"]
    assert remind("stop", current_task="What is left to do?")["reasons"] == ["where_are_we_query"]
    for number in range(8):
        _append(world, "transcript.turn", {"role": "user", "content": f"turn {number}"})
    assert "stale_memory_activity" in remind("stop")["reasons"]


def test_bootstrap_says_what_to_do_first(world: World) -> None:
    _database(world, "PostgreSQL 16")
    answer = orientation.bootstrap(_request(world), session_id="s", current_task="mend the ledger")
    assert [step["tool"] for step in answer["startup_sequence"]] == ["memory_capabilities", "memory_checkout"]
    log = answer["capabilities"]["status"]["eventloom"]
    assert (log["latest_seq"], log["integrity_ok"]) == (1, True)
    assert "Call memory_checkout before" in answer["prompt"]
    assert "Call memory_feedback when" in answer["prompt"]
    fresh = orientation.capabilities(_request(world), session_id="nobody")
    assert not fresh["status"]["eventloom"]["session_exists"]
    assert len(fresh["tools"]) == 7


def _context(citation: str) -> Context:
    return Context("Memory Checkout is current.", "graph", "keyword", 1.0, citation, 1.0)


def test_the_two_verdicts_that_clients_know_come_out_of_the_arithmetic() -> None:
    query = "Memory Checkout is current."
    plan = plan_for(query)
    sure = judge(query, [_context("c")], cited=1, superseded=0, warnings=0, plan=plan)
    assert (sure.confidence, sure.answerability, sure.required_action) == (0.75, "answer_from_memory", None)
    doubtful = judge(query, [_context("")], cited=0, superseded=0, warnings=1, plan=plan)
    assert (doubtful.confidence, doubtful.answerability) == (0.29, "refresh_recommended")
    assert doubtful.required_action is not None
    assert doubtful.required_action["tool"] == "memory_checkout"
    assert doubtful.required_action["query"] == f"current decisions, blockers, and next actions for: {query}"
