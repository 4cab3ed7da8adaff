"""The dialect `zaxy`, as its clients know it: names, shapes, limits and refusals, with a real daemon."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.cli.commands import helix
from tests.dialects.zaxy_clients import INVALID, Refused, Zaxy, decide, every_transport, refused, told
from tests.shim.driver import OPENING, shim
from tests.surfaces.conftest import Served, serving
from tests.surfaces.mcp.test_sessions import said
from tests.surfaces.mcp.test_sse import opened

HASH = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("zaxy")) as one:
        yield one


@every_transport
def test_a_session_is_told_from_its_start_to_its_handover(served: Served, transport: str) -> None:
    session, other = f"story-{transport}", f"story-{transport}-sub"

    async def story(client: Zaxy) -> None:
        assert client.client.server_info is not None
        assert client.client.server_info.name == "zaxy-memory"
        packet = await client("memory_bootstrap", session_id=session, current_task="Mend the retries")
        assert packet["mode"] == "session_start"
        assert packet["prompt"].startswith("# Zaxy Session Bootstrap")
        assert [step["tool"] for step in packet["startup_sequence"]] == [
            "memory_capabilities",
            "memory_checkout",
        ]
        assert packet["startup_sequence"][1]["arguments"] == {
            "query": "Mend the retries",
            "session_id": session,
        }
        assert packet["capture"] == {
            "configured": False, "running": False, "pids": [], "latest_observation": None,
        }  # fmt: skip
        assert packet["trust_policy"].keys() == {"prefer", "ignore", "record"}
        able = await client("memory_capabilities", session_id=session)
        assert able["prompt"].startswith("# Zaxy Memory Contract")
        assert able["status"].keys() == {"eventloom", "hooks", "packet_memory", "graph"}
        assert not able["status"]["eventloom"]["session_exists"]
        assert able["recommended_next_call"]["arguments"]["query"] == (
            "current task, project direction, and recent decisions"
        )

        made = await decide(client, session, f"Retry the {transport} gateway", "three times, with jitter")
        assert made.keys() == {"seq", "hash"}
        assert made["seq"] == 1
        assert HASH.fullmatch(made["hash"])
        turn = await client(
            "context_after_turn",
            role="user",
            content=f"How often does the {transport} gateway drop bursts?",
            session_id=session,
        )
        assert turn.keys() >= {"session_id", "prompt", "contexts", "replay_event_count", "working_set"}
        assert turn["contexts"][0].keys() >= {
            "content",
            "source",
            "score",
            "valid_from",
            "citation",
            "metadata",
        }
        assert turn["contexts"][0]["metadata"]["assembly_lane"] in ("graph", "verbatim")

        question = f"How many times do we retry the {transport} gateway?"
        answer = await client("memory_checkout", query=question, session_id=session)
        assert answer["quality"]["answerability"] == "answer_from_memory"
        assert answer["quality"]["reasons"][0] == "Retrieved current facts with Eventloom citations."
        assert answer["quality"]["required_action"] is None
        assert answer["diagnostics"]["source_lanes"]["graph"] >= 1
        fact = answer["current_facts"][0]
        assert fact["citation"] == f"eventloom://{session}/events/1#{made['hash'][:12]}"
        assert fact["entity_type"] == "decision"
        [payload, *_] = answer["guidance"]["feedback"]["payloads"]
        assert answer["token_efficiency"].keys() == {
            "prompt_tokens", "current_fact_count", "evidence_count", "facts_per_1k_prompt_tokens",
        }  # fmt: skip

        rows = await client("memory_query", query=question, session_id=session)
        assert rows[0].keys() >= {
            "content", "source", "score", "valid_from", "valid_to", "citation", "score_explanation",
        }  # fmt: skip
        assert rows[0]["score_explanation"].keys() >= {
            "source",
            "raw_score",
            "weighted_score",
            "ranking_score",
        }
        assert rows[0]["citation"] == fact["citation"]

        praised = await client("memory_feedback", session_id=session, **payload)
        assert praised.keys() == {"seq", "hash", "event_type"}
        assert praised["event_type"] == "memory.reinforced"
        blamed = await client(
            "memory_feedback",
            entity_name=payload["entity_name"],
            entity_type="decision",
            feedback=" Irrelevant ",
            importance=7,
            session_id=session,
            purpose={"goal": "debugging"},
            outcome="not needed",
        )
        assert blamed["event_type"] == "memory.feedback"

        said = await client(
            "memory_skill",
            action="Validated",
            skill_id=f"release-{transport}",
            name="Release",
            procedure=["Run the checks", " ", "Tag"],
            success_score=3,
            failure_modes=["a dirty tree"],
            rollback="delete the tag",
            session_id=session,
        )
        assert said.keys() == {"seq", "hash", "event_type"}
        assert said["event_type"] == "skill.validated"

        [hit, *_] = await client("memory_verbatim", query="drop bursts", session_id=session)
        assert hit["source"] == "verbatim"
        assert hit["source_kind"] == "transcript"
        assert HASH.fullmatch(hit["citation"].partition("#")[2])
        assert hit["metadata"].keys() >= {
            "event_seq", "event_type", "event_thread", "event_timestamp", "transcript_source", "transcript_role",
        }  # fmt: skip

        bundle = await client("context_assemble", query=question, session_id=session)
        assert bundle["prompt"].startswith("# Active Memory Working Set")
        assert bundle["context_counts"].keys() == {"graph", "verbatim", "packet_memory", "replay"}
        assert bundle["assembly_policy"]["verbatim_slots"] == 1

        closing = await client(
            "subagent_cleanup", parent_session_id=session, subagent_session_id=other, summary="The fix is in."
        )
        assert closing["session_id"] == other
        assert closing["integrity_ok"] is True
        assert closing["summary"]["event_count"] == 2

        replayed = await client("memory_replay", session_id=session, admin_token="anything")  # noqa: S106
        assert replayed["integrity"]["ok"] is True
        assert replayed["truncated"] is False
        events = replayed["events"]
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert events[0].keys() >= {
            "seq", "timestamp", "type", "actor", "thread", "payload", "security", "prev_hash", "hash",
        }  # fmt: skip
        by_type = {event["type"]: event for event in events}
        assert by_type["memory.feedback"]["payload"]["importance"] == 1.0
        assert by_type["memory.feedback"]["payload"]["purpose"] == '{"goal": "debugging"}'
        assert by_type["skill.validated"]["payload"]["procedure"] == ["Run the checks", "Tag"]
        assert by_type["skill.validated"]["payload"]["success_score"] == 1.0
        assert by_type["transcript.turn"]["actor"] == "user"
        assert "handoff.created" in by_type
        assert "anything" not in json.dumps(events)

    told(served, story, transport)


@every_transport
def test_both_dialects_share_one_vault(served: Served, transport: str) -> None:
    """One agent speaks only zaxy, another only helix."""

    async def story(client: Zaxy) -> None:
        await decide(client, f"shared-{transport}", f"Harbour {transport} crane", "runs on hydrogen")
        async with Client(f"{served.url}/mcp") as helix:
            written = await helix.call_tool(
                "memory_write", {"text": f"The {transport} lighthouse blinks twice a minute."}
            )
            assert not written.is_error
            found = await helix.call_tool(
                "memory_search", {"query": f"what does the {transport} crane run on"}
            )
            assert found.structured_content is not None
            assert "hydrogen" in found.structured_content["results"][0]["text"]
        answer = await client(
            "memory_checkout",
            query=f"how often does the {transport} lighthouse blink a minute",
            session_id=f"shared-{transport}",
        )
        assert "twice a minute" in answer["current_facts"][0]["content"]
        assert answer["quality"]["answerability"] == "answer_from_memory"

    told(served, story, transport)


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_connection_with_a_session_header_is_held_to_it(served: Served, transport: str) -> None:
    scope = f"scope-{transport}"

    async def story(client: Zaxy) -> None:
        for session in ({}, {"session_id": scope}, {"thread": scope}):
            await client(
                "memory_append", event_type="goal.created", actor="a", payload={"title": "x"}, **session
            )
        assert len((await client("memory_replay", session_id=scope))["events"]) == 3
        for tool, arguments in (
            ("memory_replay", {"session_id": "elsewhere"}),
            ("memory_verbatim", {"query": "x", "session_id": "elsewhere"}),
            ("memory_query", {"query": "x", "session_ids": [scope]}),
            ("memory_append", {"event_type": "a.b", "actor": "a", "payload": {}, "thread": "elsewhere"}),
            ("memory_checkout", {"query": "x", "session_id": "elsewhere"}),
            (
                "subagent_cleanup",
                {"parent_session_id": scope, "subagent_session_id": "elsewhere", "summary": "x"},
            ),
        ):
            error = await refused(client, tool, **arguments)
            assert error.code == "invalid_request"
            assert "session scope" in error.message

    told(served, story, transport, scope=scope)
    with pytest.raises(Refused, match=INVALID):
        told(served, story, transport, scope="no/name")


@pytest.mark.parametrize(
    ("how", "session"),
    [
        ({"project": "Billing API!"}, "billing-api-default"),
        ({"project": "_._"}, "project-default"),
        ({"env": {"EVENTLOOM_THREAD": "payments-default"}}, "payments-default"),
        ({"env": {"EVENTLOOM_THREAD": "x", "HELIX_SESSION": "named-here"}}, "named-here"),
    ],
)
def test_who_names_no_session_works_in_that_of_the_environment_or_of_the_project(
    served: Served, how: dict[str, Any], session: str
) -> None:
    async def story(client: Zaxy) -> None:
        assert (await client("memory_capabilities"))["session_id"] == session
        assert (await client("memory_capabilities", session_id="another"))["session_id"] == "another"

    told(served, story, "stdio", **how)


def test_without_a_project_the_session_is_the_default_one(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        assert (await client("memory_capabilities"))["session_id"] == "default"
        assert (await client("memory_capabilities", session_id="  "))["session_id"] == "default"

    told(served, story, project="")


@every_transport
def test_a_client_of_either_era_is_answered_alike(served: Served, transport: str) -> None:
    async def story(client: Zaxy) -> None:
        listed = await client.client.list_tools()
        assert [tool.name for tool in listed.tools] == TOOLS
        assert all(tool.output_schema is None for tool in listed.tools)

    for era in ("legacy", "2026-07-28"):
        told(served, story, transport, era=era)


def test_a_client_that_never_says_that_it_is_initialized_is_served_over_stdio(served: Served) -> None:
    with shim(served.url, "--dialect", "zaxy", env={**served.env, "HELIX_URL": served.url}) as host:
        host.ask(1, "initialize", OPENING)
        assert_served(host.ask(2, "tools/list"), host.call(3, "memory_capabilities", {"session_id": "hasty"}))


def test_a_client_that_never_says_that_it_is_initialized_is_served_over_http(served: Served) -> None:
    def ask(number: int, method: str, params: dict[str, Any], **headers: str) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        accepted = {"accept": "application/json, text/event-stream"}
        return served.http.post("/mcp/zaxy", json=body, headers={**accepted, **headers})

    session = ask(1, "initialize", OPENING).headers["mcp-session-id"]
    agreed = {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
    call = {"name": "memory_capabilities", "arguments": {"session_id": "hasty"}}
    assert_served(said(ask(2, "tools/list", {}, **agreed)), said(ask(3, "tools/call", call, **agreed)))


def test_a_client_that_never_says_that_it_is_initialized_is_served_over_sse(served: Served) -> None:
    with opened(served.url, "/mcp/zaxy/sse") as stream:
        stream.initialize()
        stream.post("tools/list", 1)
        listed = json.loads(stream.next("message"))
        stream.post("tools/call", 2, name="memory_capabilities", arguments={"session_id": "hasty"})
        assert_served(listed, json.loads(stream.next("message")))


def assert_served(listed: dict[str, Any], called: dict[str, Any]) -> None:
    assert "memory_checkout" in {tool["name"] for tool in listed["result"]["tools"]}
    assert json.loads(called["result"]["content"][0]["text"])["session_id"] == "hasty"


TOOLS = [
    "memory_append", "memory_query", "memory_verbatim", "memory_feedback", "memory_skill", "memory_replay",
    "memory_invalidate", "memory_capabilities", "memory_bootstrap", "memory_checkout", "context_assemble",
    "context_after_turn", "subagent_cleanup",
]  # fmt: skip


def test_lines_are_where_clients_expect_them(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        made = await client.text("memory_append", event_type="a.b", actor="a", payload={}, session_id="lines")
        assert "\n" not in made
        able = await client.text("memory_capabilities", session_id="lines")
        assert able == json.dumps(json.loads(able), indent=2, ensure_ascii=False)
        looked = await client("memory_checkout", query="where are we", session_id="lines")
        prompt = looked["prompt"].splitlines()
        for line in (
            "# Memory Checkout",
            "## Checkout Quality",
            "## Checkout Guidance",
            "## Checkout Diagnostics",
        ):
            assert line in prompt
        assert "- Answerability: ask_user" in prompt
        assert looked["quality"]["required_action"]["type"] == "ask_user"

    told(served, story)


def test_what_reading_leaves_behind_is_found_by_no_later_reading(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        await decide(client, "echo", "Orchard gate", "is painted green")
        for _ in range(30):
            await client("memory_checkout", query="the walrus and the orchard gate", session_id="echo")
        assert await client("memory_verbatim", query="walrus", session_id="echo") == []
        answer = await client(
            "memory_checkout", query="what colour is the orchard gate painted", session_id="echo"
        )
        assert not answer["compacted"]
        assert answer["quality"]["answerability"] == "answer_from_memory"

    told(served, story)


def test_a_fact_that_was_closed_holds_no_longer_and_did_hold_before(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        await decide(client, "closing", "Weighbridge limit", "forty tonnes")
        question = {"query": "weighbridge limit", "session_id": "closing"}
        [row] = [one for one in await client("memory_query", **question) if "Weighbridge" in one["content"]]
        assert row["valid_to"] is None
        closed = {"entity_name": "Weighbridge limit", "entity_type": "decision", "invalid_at": _now()}
        assert await client("memory_invalidate", **closed) == {"status": "invalidated"}
        assert await client("memory_invalidate", **closed) == {"status": "invalidated"}
        nothing = {**closed, "entity_name": "never stated"}
        assert await client("memory_invalidate", **nothing) == {"status": "invalidated"}
        assert "Weighbridge" not in json.dumps(await client("memory_query", **question))
        answer = await client("memory_checkout", **question)
        assert "Weighbridge" not in json.dumps(answer["current_facts"])
        then = await client("memory_query", **question, temporal_filter=row["valid_from"])
        assert "Weighbridge" in then[0]["content"]
        types = [event["type"] for event in (await client("memory_replay", session_id="closing"))["events"]]
        assert types.count("memory.invalidated") == 1

    told(served, story, project="closing")


def test_pages_lead_through_what_one_list_holds(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        for number in range(7):
            await decide(
                client, f"pages-{number % 2}", f"Pigeon loft {number}", f"loft number {number} is tarred"
            )
        question = {"query": "pigeon loft tarred", "session_id": "pages-0"}
        whole = await client("memory_query", **question, limit=100)
        seen: list[dict[str, Any]] = []
        page = await client("memory_query", **question, limit=3, paged=True)
        assert (page["offset"], page["cursor"], page["session_id"]) == (0, None, "pages-0")
        while True:
            seen += page["contexts"]
            assert page["has_more"] is (page["next_cursor"] is not None)
            if page["next_cursor"] is None:
                break
            page = await client("memory_query", **question, limit=3, cursor=page["next_cursor"])
        assert seen == whole
        assert len(seen) >= 7
        first = await client("memory_query", **question, limit=3, paged=True)
        for change in ({"query": "another"}, {"session_id": "pages-1"}, {"temporal_filter": "2026-01-01"}):
            error = await refused(
                client, "memory_query", **{**question, **change}, cursor=first["next_cursor"], limit=3
            )
            assert "cursor" in error.message
        across = await client("memory_query", query=question["query"], session_ids=["pages-1"], limit=100)
        assert {row["session_id"] for row in across} == {"pages-1"}
        assert len(across) == 3

    told(served, story)


def test_a_ref_asks_what_was_known_then(served: Served) -> None:
    async def story(client: Zaxy) -> None:
        await decide(client, "travel", "Sluice wheel", "turned by hand")
        set_to = served.http.post("/sessions/travel/refs", json={"name": "refs/by-hand"})
        assert set_to.status_code == 200, set_to.text
        await decide(client, "travel", "Sluice wheel", "turned by a motor")
        question = {"query": "how is the sluice wheel turned", "session_id": "travel"}
        then = await client("memory_checkout", **question, ref="refs/by-hand")
        assert then["ref"].keys() == {
            "name", "session_id", "target_seq", "target_hash", "ref_type", "updated_at",
        }  # fmt: skip
        assert "by hand" in json.dumps(then["current_facts"])
        assert "motor" not in json.dumps(then)
        head = await client("memory_checkout", **question, ref="HEAD")
        assert head["ref"]["ref_type"] == "head"
        assert "motor" in json.dumps(head["current_facts"])
        empty = await client("memory_checkout", query="sluice", session_id="travelled-never", ref="HEAD")
        assert empty["ref"] is None
        now = await client("memory_checkout", **question)
        assert now["ref"] is None
        assert "by hand" not in json.dumps(now["current_facts"])

    async def elsewhere(client: Zaxy) -> None:
        error = await refused(client, "memory_checkout", query="sluice", ref="refs/by-hand")
        assert "session scope" in error.message

    told(served, story)
    told(served, elsewhere, scope="another")


def test_a_host_that_is_connected_in_this_dialect_finds_the_session_of_its_project(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "tide-tables"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    before = b'{"mcpServers": {"other": {"command": "x"}}}'
    file = project / ".mcp.json"
    file.write_bytes(before)
    helix("connect", "claude-code", "--dialect", "zaxy", "--install", env=served.env)
    entry = json.loads(file.read_bytes())["mcpServers"]["zaxy"]
    assert entry["args"] == ["--dialect", "zaxy"]

    async def story() -> None:
        env = {**served.env, **entry["env"], "EVENTLOOM_THREAD": ""}
        server = StdioServerParameters(command=entry["command"], args=entry["args"], env=env, cwd=project)
        async with Client(server, mode="legacy") as client:
            packet = await Zaxy(client)("memory_bootstrap")
            assert packet["session_id"] == "tide-tables-default"

    asyncio.run(story())
    helix("disconnect", "claude-code", "--dialect", "zaxy", env=served.env)
    assert file.read_bytes() == before


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")
