"""What the dialect `zaxy` refuses and how much it takes: in the words, and at the limits, that its clients know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from helix.memory.tokens import token_counter
from tests.dialects.zaxy_clients import INVALID, Zaxy, decide, every_transport, refused, told
from tests.surfaces.conftest import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("zaxy")) as one:
        yield one


TURN = {"role": "user", "content": "x"}
FEEDBACK = {"entity_name": "x", "entity_type": "memory", "feedback": "used"}
EVENT: dict[str, Any] = {"event_type": "a.b", "actor": "a", "payload": {}}
SUBAGENT = {"parent_session_id": "p", "subagent_session_id": "c", "summary": "x"}
LIMIT = "limit must be between 1 and 100"
CLOSED = {"entity_name": "x", "entity_type": "memory", "invalid_at": "2026-01-01T00:00:00Z"}
REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("memory_append", {**EVENT, "session_id": "a/b"}, INVALID),
    ("memory_append", {**EVENT, "session_id": ".."}, INVALID),
    ("memory_append", {**EVENT, "thread": "x" * 129}, INVALID),
    ("memory_append", {**EVENT, "payload": "text"}, "payload"),
    ("memory_append", {**EVENT, "payload": [1]}, "payload"),
    ("memory_append", {**EVENT, "event_type": " "}, "event_type is required"),
    ("memory_append", {**EVENT, "actor": ""}, "actor is required"),
    ("memory_append", {"event_type": "a.b", "payload": {}}, "actor"),
    ("memory_append", {**EVENT, "event_type": "two\nlines"}, "type"),
    ("memory_query", {"query": ""}, "query"),
    ("memory_query", {"query": "x" * 4097}, "query"),
    ("memory_query", {"query": "x", "limit": 101}, LIMIT),
    ("memory_query", {"query": "x", "temporal_filter": "yesterday"}, "temporal_filter"),
    ("memory_query", {"query": "x", "session_ids": []}, "session_ids"),
    ("memory_query", {"query": "x", "session_ids": ["a/b"]}, INVALID),
    ("memory_query", {"query": "x", "session_ids": ["a"], "cursor": "e30"}, "cursor"),
    ("memory_query", {"query": "x", "cursor": "%%%"}, "cursor"),
    ("memory_query", {"query": "x", "cursor": "e30"}, "cursor"),
    ("memory_invalidate", {**CLOSED, "entity_name": " "}, "entity_name is required"),
    ("memory_invalidate", {**CLOSED, "invalid_at": "soon"}, "invalid_at"),
    ("memory_invalidate", {"entity_name": "x", "entity_type": "memory"}, "invalid_at"),
    ("memory_verbatim", {"query": " "}, "query"),
    ("memory_verbatim", {"query": "x" * 4097}, "query"),
    ("memory_verbatim", {"query": "x", "limit": 0}, LIMIT),
    ("memory_verbatim", {"query": "x", "limit": 101}, LIMIT),
    ("memory_verbatim", {"query": "x", "limit": True}, "limit"),
    ("memory_verbatim", {"query": "x", "session_id": "a b"}, INVALID),
    ("memory_feedback", {**FEEDBACK, "feedback": "liked"}, "feedback must be one of"),
    ("memory_feedback", {**FEEDBACK, "entity_name": " "}, "entity_name is required"),
    ("memory_feedback", {**FEEDBACK, "entity_type": ""}, "entity_type is required"),
    ("memory_feedback", {**FEEDBACK, "session_id": "x" * 129}, INVALID),
    ("memory_skill", {"action": "loved", "skill_id": "x"}, "skill action must be one of"),
    ("memory_skill", {"action": "proposed", "skill_id": " "}, "skill_id is required"),
    ("memory_replay", {}, "session_id"),
    ("memory_replay", {"session_id": " "}, "session_id is required"),
    ("memory_replay", {"session_id": "x", "from_seq": 0}, "from_seq"),
    ("memory_replay", {"session_id": "x", "from_seq": "1"}, "from_seq"),
    ("memory_checkout", {"query": ""}, "query"),
    ("memory_checkout", {"query": "x" * 4097}, "query"),
    ("memory_checkout", {"query": "x", "limit": 101}, LIMIT),
    ("memory_checkout", {"query": "x", "ref": "refs/never-set"}, "Unknown memory ref"),
    ("memory_checkout", {"query": "x", "ref": "branch"}, "ref"),
    ("memory_checkout", {"query": "x", "max_recent_events": 0}, LIMIT),
    ("memory_checkout", {"query": "x", "replay_from_seq": 0}, "from_seq"),
    ("memory_checkout", {"query": "x", "max_tokens": -1}, "max_tokens"),
    ("memory_checkout", {"query": "x", "max_tokens": True}, "max_tokens"),
    ("context_assemble", {"query": "x", "limit": 0}, LIMIT),
    ("context_assemble", {"query": "x", "replay_from_seq": -3}, "from_seq"),
    ("context_after_turn", {**TURN, "role": ""}, "role is required"),
    ("context_after_turn", {**TURN, "content": "  "}, "content is required"),
    ("context_after_turn", {**TURN, "query": "x" * 4097}, "query"),
    ("context_after_turn", {**TURN, "limit": 101}, LIMIT),
    ("subagent_cleanup", {**SUBAGENT, "subagent_session_id": "a/b"}, INVALID),
    ("subagent_cleanup", {**SUBAGENT, "parent_session_id": "a/b"}, INVALID),
    ("subagent_cleanup", {**SUBAGENT, "subagent_session_id": "p"}, "itself"),
    ("subagent_cleanup", {**SUBAGENT, "limit": 0}, LIMIT),
    ("memory_bootstrap", {"session_id": "a/b"}, INVALID),
    ("memory_capabilities", {"session_id": "a/b"}, INVALID),
    ("memory_capabilities", {"sesion_id": "a"}, "session_id"),
]


def test_every_refusal_is_in_both_forms_and_in_the_words_that_clients_know(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        before = await client("memory_replay", session_id="billing-api-default")
        for tool, arguments, words in REFUSALS:
            error = await refused(client, tool, **arguments)
            assert (error.code, words in error.message) == ("invalid_request", True), (tool, error.message)
        after = await client("memory_replay", session_id="billing-api-default")
        assert before == after, "nothing of what was refused is kept"

    told(served, story)


@every_transport
def test_a_tool_of_a_later_release_is_refused_with_what_to_call_instead(
    served: Served, transport: str
) -> None:
    async def story(client: Zaxy) -> None:
        for tool, instead in (
            ("memory_outcome", "memory_feedback"),
            ("memory_feeling_of_knowing", "memory_checkout"),
            ("coordination_start", "memory_append"),
            ("no_such_tool", "tools/list"),
        ):
            error = await refused(client, tool, query="x")
            assert error.code == "unknown_tool"
            assert error.message == f"Unknown tool: {tool}"
            assert instead in error.remediation

    told(served, story, transport)


@every_transport
def test_limits_are_where_they_are_said_to_be(served: Served, transport: str) -> None:
    async def story(client: Zaxy) -> None:
        longest = "L" * 127 + {"stdio": "a", "http": "b", "sse": "c"}[transport]
        largest = {"note": "x" * (1_048_576 - len('{"note":""}'))}
        made = await client(
            "memory_append", event_type="note.kept", actor="a", payload=largest, session_id=longest
        )
        assert made["seq"] == 1
        error = await refused(
            client,
            "memory_append",
            event_type="note.kept",
            actor="a",
            payload={"note": largest["note"] + "x"},
            session_id=longest,
        )
        assert "payload" in error.message
        assert await client("memory_verbatim", query="q" * 4096, session_id=longest, limit=100) == []
        assert await client("memory_checkout", query="q" * 4096, session_id=longest, limit=1)

    told(served, story, transport)


def test_a_thousand_events_are_replayed_at_once_and_the_rest_from_where_it_ended(served: Served) -> None:
    events = [
        {"type": "step.done", "actor": "a", "payload": {"step": number}} for number in range(1, 1000 + 1)
    ]
    more = [{"type": "step.done", "actor": "a", "payload": {"step": 1001}}]
    for batch in (events, more):
        sent = served.http.post("/sessions/long-replay/ingest", json={"events": batch})
        assert sent.status_code == 200, sent.text

    async def story(client: Zaxy) -> None:
        first = await client("memory_replay", session_id="long-replay")
        assert (len(first["events"]), first["truncated"]) == (1000, True)
        assert first["integrity"]["total_events"] == 1001
        rest = await client("memory_replay", session_id="long-replay", from_seq=1001)
        assert [event["payload"]["step"] for event in rest["events"]] == [1001]
        assert rest["truncated"] is False
        nothing = await client("memory_replay", session_id="never-was")
        assert (nothing["events"], nothing["integrity"]["total_events"]) == ([], 0)

    told(served, story)


def test_a_budget_holds_for_the_text_as_it_is_sent(served: Served) -> None:
    count = token_counter()

    async def story(client: Zaxy) -> None:
        for number in range(30):
            await decide(
                client, "budget", f"Quarry {number}", f"The quarry of level {number} is flooded. " * 8
            )
        for tool in ("memory_checkout", "context_assemble"):
            for tokens in (3000, 8000):
                text = await client.text(
                    tool, query="is the quarry flooded", session_id="budget", limit=100, max_tokens=tokens
                )
                assert count(text) <= tokens
            smallest = json.loads(
                await client.text(tool, query="is the quarry flooded", session_id="budget", max_tokens=0)
            )
            assert smallest["truncated"]
            assert smallest["prompt"]

    told(served, story)
