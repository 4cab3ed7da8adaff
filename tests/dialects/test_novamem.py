"""The dialect `novamem`, as its clients know it: names, shapes, scopes and refusals, with a real daemon."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from helix.dialects.novamem.ulids import to_ulid
from tests.cli.commands import helix
from tests.dialects.novamem_clients import Novamem, every_transport, failure, told
from tests.surfaces.conftest import Served, serving

ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NAMES = [
    "memory_search", "memory_remember", "memory_today", "memory_recent", "memory_neighbors", "memory_forget",
    "memory_update", "memory_stats", "project_list", "project_create", "project_delete", "project_activate",
    "project_deactivate", "project_share", "project_unshare",
]  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("novamem")) as one:
        yield one


@every_transport
def test_every_tool_does_what_its_clients_know(served: Served, transport: str) -> None:
    def of(text: str) -> str:
        return f"{text} of the {transport} wharf"

    async def story(client: Novamem) -> None:
        assert client.client.server_info is not None
        assert client.client.server_info.name == "novamem"
        listed = (await client.client.list_tools()).tools
        assert sorted(tool.name for tool in listed) == sorted(NAMES)
        crane = await client(
            "memory_remember", content=of("The crane lifts nine tons at the northern end"),
            namespace=f"{transport}-cranes",
            source="survey", sourceType="doc", capturedFrom="page 3", confidence=0.5, metadata={"ticket": "W-7"},
        )  # fmt: skip
        assert ULID.fullmatch(crane["id"])
        assert crane["id"] == to_ulid(crane["memoryId"])
        assert (crane["namespace"], crane["project"]) == (f"{transport}-cranes", None)
        again = await client(
            "memory_remember", content=f" {of('The crane lifts nine tons at the northern end')}\n"
        )
        assert (again["id"], again["deduplicated"], again["namespace"]) == (
            crane["id"],
            True,
            f"{transport}-cranes",
        )
        await client("memory_remember", content=of("The crane is painted every spring by the northern crew"))

        answer = await client("memory_search", query=of("which crane lifts nine tons"), k=5)
        assert answer["degraded"] is False, "somebody who wants no model is not told so"
        [best, *others] = answer["results"]
        assert best["id"] == crane["id"]
        assert best["tier"] == "warm"
        assert (best["source"], best["sourceType"], best["capturedFrom"]) == ("survey", "doc", "page 3")
        assert (best["confidence"], best["metadata"], best["project"]) == (0.5, {"ticket": "W-7"}, None)
        assert best["signals"].keys() == {"keyword", "vector", "graph"}
        assert TIME.fullmatch(best["createdAt"])
        assert all(other["score"] <= best["score"] <= 1 for other in others)
        for shelf in (
            {"namespace": f"{transport}-cranes"},
            {"includeNamespaces": [f"{transport}-cranes", "x"]},
        ):
            assert await client.found("crane northern", **shelf) == [
                of("The crane lifts nine tons at the northern end")
            ]
        assert of("The crane lifts nine tons at the northern end") not in await client.found(
            "crane northern", namespace="default"
        )

        for tool in ("memory_recent", "memory_today"):
            feed = (await client(tool, k=200))["results"]
            # Both were written in the same second, and maybe others with them.
            assert {entry["content"] for entry in feed} >= {
                of("The crane is painted every spring by the northern crew"),
                of("The crane lifts nine tons at the northern end"),
            }
            assert {entry["score"] for entry in feed} == {1.0}
            assert "signals" not in feed[0]
        tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        assert (await client("memory_recent", since=tomorrow))["results"] == []
        near = await client("memory_neighbors", id=crane["id"], depth=2)
        assert near["degraded"] is False
        assert of("The crane is painted every spring by the northern crew") in [
            entry["content"] for entry in near["results"]
        ]
        assert all(entry["signals"].keys() == {"graph"} for entry in near["results"])
        assert await client("memory_neighbors", id="01HZZZZZZZZZZZZZZZZZZZZZZZ") == {
            "results": [],
            "degraded": False,
        }

        changed = await client(
            "memory_update", id=crane["id"], content=of("The crane lifts ten tons"), metadata={"a": [1]}
        )
        assert changed == {
            "id": crane["id"], "memoryId": crane["memoryId"], "updated": True, "embeddingChanged": True,
        }  # fmt: skip
        moved = await client("memory_update", id=crane["memoryId"], namespace="iron")
        assert (moved["updated"], moved["embeddingChanged"]) == (True, False)
        [entry] = (await client("memory_search", query=of("crane lifts ten tons"), k=1))["results"]
        assert (entry["id"], entry["namespace"], entry["metadata"]) == (crane["id"], "iron", {"a": [1]})
        nobody = await client("memory_update", id="01HZZZZZZZZZZZZZZZZZZZZZZZ", content="whatever it may be")
        assert (nobody["updated"], nobody["embeddingChanged"]) == (False, False)

        stats = await client("memory_stats")
        assert stats["byNamespace"]["iron"] == {"warm": 1, "cold": 0}
        assert stats["totalWarm"] == sum(shelf["warm"] for shelf in stats["byNamespace"].values())
        assert (stats["totalCold"], stats["lastDecayAt"]) == (0, None)
        assert stats["uptimeMs"] > 0
        gone = await client("memory_forget", id=crane["id"])
        assert (gone["deleted"], gone["coldDeleteOk"]) == (True, True)
        assert await client("memory_forget", id=crane["id"]) == {"deleted": False, "coldDeleteOk": True}
        assert of("The crane lifts ten tons") not in await client.found("crane lifts ten tons")
        assert len((await client("memory_recent", k=1))["results"]) == 1

    told(served, story, transport)


@every_transport
def test_projects_are_made_worked_in_shared_and_deleted(served: Served, transport: str) -> None:
    name = f"Ferry, the #1 of {transport}"

    async def story(client: Novamem) -> None:
        made = await client("project_create", name=name)
        assert made.keys() == {"id", "name", "ownerUserId", "createdAt"}
        assert ULID.fullmatch(made["id"])
        assert TIME.fullmatch(made["createdAt"])
        [listed] = [one for one in (await client("project_list"))["projects"] if one["id"] == made["id"]]
        assert listed == {**made, "role": "owner", "isActive": False}
        outside = await client("memory_remember", content=f"The lighthouse of {transport} has a green lamp")
        assert (await client("project_activate", project=name))["active"] == {"id": made["id"], "name": name}
        inside = await client("memory_remember", content=f"The ferry of {transport} sails at dawn on Mondays")
        assert inside["project"] == made["id"]
        both = f"ferry lighthouse {transport} dawn lamp"
        assert len(await client.found(both)) >= 2, (
            "with an active project: what is in it, and what is in none"
        )
        assert await client("memory_forget", id=outside["id"]) == {"deleted": False, "coldDeleteOk": True}
        assert (await client("memory_update", id=outside["id"], content="x y z"))["updated"] is False
        assert await client("project_deactivate") == {"active": None}

        ferry = f"The ferry of {transport} sails at dawn on Mondays"
        assert ferry not in await client.found(both)
        assert await client.found(both, project=made["id"]) == [ferry]
        assert set(await client.found(both, includeProjects=[name])) >= {
            ferry,
            f"The lighthouse of {transport} has a green lamp",
        }
        assert [entry["content"] for entry in (await client("memory_recent", project=name))["results"]] == [
            ferry
        ]
        assert (await client("memory_forget", id=inside["id"]))["deleted"] is False
        assert (await client("memory_stats"))["byProject"][made["id"]] == 1

        assert await client("project_share", project=name, username="bob") == {
            "added": True, "userId": "bob", "username": "bob",
        }  # fmt: skip
        assert (await client("project_share", project=made["id"], username="bob"))["added"] is False
        assert await client("project_unshare", project=name, username="bob") == {"removed": True}
        assert await client("project_unshare", project=name, username="bob") == {"removed": False}
        assert await failure(client, "project_unshare", project=name, username="local") == (
            "error: the owner cannot unshare themselves — delete the project instead"
        )
        await client("project_activate", project=name)
        deleted = await client("project_delete", project=name)
        assert (deleted["deleted"], deleted["entriesRemoved"], deleted["graphCleared"]) == (True, 1, True)
        assert deleted["coldCollectionsDropped"] == []
        # The pointer to it is gone with it.
        assert (await client("memory_remember", content=f"The buoy of {transport} was moved east"))[
            "project"
        ] is None
        assert await failure(client, "project_activate", project=name) == (
            f"error: no such project '{name}' — call project_list to see ids"
        )
        await client("memory_forget", id=outside["id"])

    told(served, story, transport)


SINCE = "since must be ISO-8601 (e.g. 2026-05-02T17:00:00Z)"
LARGE = "metadata too large (8KB max)"
BIG = {"a": "x" * 9000}
PATHS: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {}, "error: invalid argument 'query': "),
    ("memory_search", {"query": ""}, "error: invalid argument 'query': "),
    ("memory_search", {"query": "x" * 8193}, "error: invalid argument 'query': "),
    ("memory_search", {"query": "x", "k": 0}, "error: invalid argument 'k': "),
    ("memory_search", {"query": "x", "k": 201}, "error: invalid argument 'k': "),
    ("memory_search", {"query": "x", "k": 1.5}, "error: invalid argument 'k': "),
    ("memory_search", {"query": "x", "k": True}, "error: invalid argument 'k': "),
    ("memory_search", {"query": "x", "includeProjects": ["a", 3]}, "error: invalid argument 'includeProjects.1': "),
    ("memory_search", {"query": "x", "includeNamespaces": ["a b"]}, "error: invalid argument 'includeNamespaces.0': "),
    ("memory_search", {"query": "x", "includeNamespaces": ["a"] * 17}, "error: invalid argument 'includeNamespaces': "),
    ("memory_search", {"query": "x", "weights": {"keyword": "much"}}, "error: invalid argument 'weights': "),
    ("memory_search", {"query": "x", "maxSensitivity": "top"}, "error: invalid argument 'maxSensitivity': "),
    ("memory_search", {"query": "x", "contentMode": "all"}, "error: invalid argument 'contentMode': "),
    ("memory_search", {"query": "x", "project": "a\nb"}, "error: invalid argument 'project': "),
    ("memory_search", {"query": "x", "project": "zz"}, "error: no such project 'zz' — call project_list to see ids"),
    ("memory_recent", {"since": "yesterday"}, f"error: invalid argument 'since': {SINCE}"),
    ("memory_recent", {"since": "2026-05-02T17:00:00"}, "error: invalid argument 'since': "),
    ("memory_remember", {"content": "x" * 262_145}, "error: invalid argument 'content': "),
    ("memory_remember", {"content": "x" * 20, "confidence": 1.1}, "error: invalid argument 'confidence': "),
    ("memory_remember", {"content": "x" * 20, "metadata": BIG}, f"error: invalid argument 'metadata': {LARGE}"),
    ("memory_neighbors", {"id": "x", "depth": 4}, "error: invalid argument 'depth': "),
    ("memory_neighbors", {"id": "x", "k": 51}, "error: invalid argument 'k': "),
    ("memory_forget", {}, "error: invalid argument 'id': "),
    ("memory_forget", {"id": "x", "sourceRef": "y"}, "error: give exactly one of"),
    ("memory_update", {"id": "x" * 129}, "error: invalid argument 'id': "),
    ("memory_stats", {"verbose": True}, "error: unrecognized key 'verbose'"),
    ("project_list", {"verbose": True}, "error: unrecognized key 'verbose'"),
    ("project_deactivate", {"project": "x"}, "error: unrecognized key 'project'"),
    ("project_create", {"name": ""}, "error: invalid argument 'name': "),
    ("project_share", {"project": "x"}, "error: invalid argument 'username': "),
    ("memory_context", {"message": "x"}, "unknown tool: memory_context"),
]  # fmt: skip


def test_what_is_refused_is_refused_in_the_words_that_clients_know(served: Served) -> None:
    async def story(client: Novamem) -> None:
        before = await client("memory_stats")
        for tool, arguments, words in PATHS:
            assert (await failure(client, tool, **arguments)).startswith(words), (tool, arguments)
        assert (await client("memory_stats"))["totalWarm"] == before["totalWarm"]

    told(served, story)


def test_what_is_not_worth_keeping_is_told_why_and_force_keeps_it_once(served: Served) -> None:
    async def story(client: Novamem) -> None:
        async def rejected(content: str, **how: Any) -> str:
            answer = await client("memory_remember", content=content, **how)
            assert answer["id"] is None
            return str(answer["rejected"])

        for short in ("Got it.", "thanks", "  port 8080  "):
            assert await rejected(short) == "too short — not durable knowledge"
        assert await rejected("x y " * 1100) == (
            "too long (4399 chars, max 4000) — split into one fact per entry"
        )
        assert "conversation" in await rejected("Thank you very much, hello!")
        for how in ({}, {"force": True}):
            assert "looks like" in await rejected("The token is ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8", **how)
        kept = await client("memory_remember", content="ok", force=True)
        again = await client("memory_remember", content="ok ", force=True)
        assert (again["id"], again["deduplicated"]) == (kept["id"], True)
        assert (await client("memory_remember", content="The long tale. " * 300, force=True))["id"]

    told(served, story)


def test_what_later_generations_send_is_understood_and_the_rest_ignored(served: Served) -> None:
    async def story(client: Novamem) -> None:
        soon = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%S+00:00")
        secret = await client(
            "memory_remember", content="The harbour master keeps the spare keys under the ninth stone",
            sensitivity="sensitive", expiresAt=soon, sourceRefs=["log:1", "log:2"], agentName="scribe", project=None,
            whatever=[1], namespace="Two Words, and more",
        )  # fmt: skip
        question = "where are the spare keys of the harbour master"
        text = "The harbour master keeps the spare keys under the ninth stone"
        assert text not in await client.found(question)
        assert text in await client.found(question, maxSensitivity="sensitive", rerank=False, asOf=None)
        hidden = {"maxSensitivity": "sensitive", "namespace": "Two Words, and more"}
        [entry] = (await client("memory_search", query=question, contentMode="ids", **hidden))["results"]
        assert "content" not in entry
        assert entry["expiresAt"].endswith(".000Z")
        assert (entry["agentName"], entry["metadata"]) == ("scribe", {"sensitivity": "sensitive"})
        await client("memory_update", id=secret["id"], sensitivity="public", expiresAt="2020-01-01T00:00:00Z")
        assert text not in await client.found(question), "it has expired"
        await client(
            "memory_update", id=secret["id"], expiresAt=soon, content=text + ", " + "by the wall " * 30
        )
        [cut] = (
            await client(
                "memory_search", query=question, contentMode="snippet", namespace="Two Words, and more"
            )
        )["results"]
        assert cut["truncated"]
        assert cut["content"].endswith("…")
        assert len(cut["content"]) <= 241
        forgotten = await client("memory_forget", sourceRef="log:2")
        assert forgotten == {"sourceRef": "log:2", "ids": [secret["id"]], "count": 1, "coldDeleteOk": True}
        assert (await client("memory_forget", sourceRef="log:2"))["count"] == 0

    told(served, story)


def test_weights_order_the_hits_anew(served: Served) -> None:
    async def story(client: Novamem) -> None:
        old = await client(
            "memory_remember", content="Anchors of the sloop weigh forty pounds, says the sloop's log"
        )
        await client("memory_remember", content="The sloop needs a new mast before winter")
        answer = await client(
            "memory_search", query="anchors sloop", weights={"keyword": 1, "vector": 0, "entity": 0.2}
        )
        assert answer["results"][0]["id"] == old["id"]
        assert answer["results"][0]["score"] == pytest.approx(1, abs=0.15)
        scores = [entry["score"] for entry in answer["results"]]
        assert scores == sorted(scores, reverse=True)
        fresh = await client(
            "memory_search",
            query="anchors sloop",
            weights={"keyword": 0, "vector": 0, "graph": 0, "recency": 1},
        )
        assert all(entry["score"] > 0.9 for entry in fresh["results"])

    told(served, story)


@every_transport
def test_one_vault_each_dialect_finds_what_the_other_stated(served: Served, transport: str) -> None:
    """Told side by side: what is stated, changed and forgotten in one is so in the other."""
    place = {"Helix-Project": f"quay-{transport}"}
    http = served.http

    def found(query: str) -> list[str]:
        answer = http.get("/recall", params={"q": query}, headers=place)
        return [hit["text"] for hit in answer.json()["results"] if not hit.get("nearest")]

    async def story(client: Novamem) -> None:
        # Stated by another agent, found here: of the project that both work in, of every project, of none yet.
        for more in ({"scope": "project"}, {"scope": "global"}):
            text = f"The pilot boat of {transport} ({more['scope']}) is called Petrel"
            body = {"text": text, **more}
            made = http.post("/remember", json=body, headers=place).json()
            [entry] = [
                e for e in (await client("memory_search", query=text))["results"] if e["content"] == text
            ]
            assert (entry["memoryId"], entry["id"]) == (made["id"], to_ulid(made["id"]))
            assert entry["namespace"] == "default"
        # Stated here, found there; its properties are properties of the note.
        stated = await client(
            "memory_remember", content=f"The slipway of {transport} is closed in March", namespace="tides"
        )
        assert f"The slipway of {transport} is closed in March" in found(f"slipway {transport} March")
        note = http.get(f"/memory/{stated['memoryId']}").json()
        assert note["extra"] == {"namespace": "tides"}
        assert note["project"] == f"quay-{transport}"
        by_shelf = http.post(
            "/context",
            json={"task": f"slipway {transport}", "filters": {"namespace": "tides"}},
            headers=place,
        )
        assert stated["memoryId"] in by_shelf.json()["citations"]
        # Changed there, seen here; linked there, a neighbour here; forgotten here, gone there.
        http.patch(
            f"/memory/{stated['memoryId']}", json={"text": f"The slipway of {transport} is closed in April"}
        )
        assert f"The slipway of {transport} is closed in April" in await client.found(f"slipway {transport}")
        other = http.post(
            "/remember", json={"text": f"Winches of {transport} are greased weekly"}, headers=place
        ).json()
        http.post("/relate", json={"from": stated["memoryId"], "to": other["id"], "rel": "depends_on"})
        near = await client("memory_neighbors", id=stated["id"])
        assert (near["results"][0]["memoryId"], near["results"][0]["score"]) == (other["id"], 1.0)
        await client("memory_forget", id=stated["id"])
        assert http.get(f"/memory/{stated['memoryId']}").status_code == 404
        http.post("/forget", json={"id": other["id"]})
        assert (await client("memory_neighbors", id=to_ulid(other["id"])))["results"] == []

    told(served, story, transport, project=f"quay-{transport}")


def test_the_stateless_era_is_served_too(served: Served) -> None:
    async def story() -> None:
        async with Client(streamable_http_client(f"{served.url}/mcp/novamem"), mode="auto") as client:
            assert client.protocol_version == "2026-07-28"
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == NAMES
            result = await client.call_tool("memory.stats", {})
            assert not result.is_error

    asyncio.run(story())


def test_a_host_that_is_connected_in_this_dialect_works_in_its_project(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "tide-tables"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    helix("connect", "claude-code", "--dialect", "novamem", "--install", env=served.env)
    entry = json.loads((project / ".mcp.json").read_bytes())["mcpServers"]["novamem"]
    assert entry["args"] == ["--dialect", "novamem"]

    async def story() -> None:
        env = {**served.env, **entry["env"]}
        server = StdioServerParameters(command=entry["command"], args=entry["args"], env=env, cwd=project)
        async with Client(server, mode="legacy") as client:
            kept = await Novamem(client)(
                "memory_remember", content="Spring tides come two days after the full moon"
            )
            note = served.http.get(f"/memory/{kept['memoryId']}").json()
            assert note["project"] == "tide-tables"
            found = await Novamem(client).found("spring tides full moon")
            assert found[0] == "Spring tides come two days after the full moon"

    asyncio.run(story())
    helix("disconnect", "claude-code", "--dialect", "novamem", env=served.env)
