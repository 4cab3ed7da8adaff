"""Sessions of `novamem` over both transports of HTTP: whose they are, how many, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from helix.access.api_key import spelled_for
from tests.access.team import TeamServed, serving_team
from tests.dialects.novamem_clients import Novamem, failure, novamem
from tests.surfaces.conftest import Served, serving
from tests.surfaces.mcp.test_sse import Stream, opened

CLIENT = {"name": "x", "version": "1"}
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT},
}  # fmt: skip
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
MISSING = "Bad Request: missing Mcp-Session-Id (only POST initialize may omit it)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("sessions")) as one:
        yield one


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    with serving_team(tmp_path_factory.mktemp("team")) as one:
        yield one


def nm(team: TeamServed, user: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {spelled_for('novamem', team.keys[user])}"}


def begun(url: str, headers: dict[str, str], path: str = "/mcp/novamem") -> httpx.Response:
    return httpx.post(url + path, json=HELLO, headers=headers, timeout=30)


def test_who_names_no_session_or_an_unknown_one_hears_it_in_known_words(served: Served) -> None:
    url = f"{served.url}/mcp/novamem"
    for method in ("GET", "DELETE", "POST"):
        answer = httpx.request(method, url, json=LIST if method == "POST" else None, timeout=30)
        assert (answer.status_code, answer.json()) == (
            400,
            {"jsonrpc": "2.0", "error": {"code": -32000, "message": MISSING}, "id": None},
        )
        answer = httpx.request(
            method, url, json=LIST if method == "POST" else None, headers={"Mcp-Session-Id": "x"}, timeout=30
        )
        assert (answer.status_code, answer.json()["error"]) == (404, "unknown sessionId")
    for missing in ("", "?session_id=x"):
        answer = httpx.post(f"{served.url}/mcp/novamem/messages{missing}", json=LIST, timeout=30)
        assert (answer.status_code, answer.json()["error"]) == (400, "missing sessionId")
    answer = httpx.post(f"{served.url}/mcp/novamem/messages?sessionId=x", json=LIST, timeout=30)
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown sessionId")


def test_a_client_that_takes_json_alone_is_answered_in_json(served: Served) -> None:
    hello = begun(served.url, {"Accept": "application/json"})
    assert hello.headers["content-type"].startswith("application/json")
    assert hello.json()["result"]["serverInfo"]["name"] == "novamem"
    session = {"Mcp-Session-Id": hello.headers["mcp-session-id"]}
    listed = httpx.post(f"{served.url}/mcp/novamem", json=LIST, headers=session, timeout=30)
    assert len(listed.json()["result"]["tools"]) == 15
    assert httpx.delete(f"{served.url}/mcp/novamem", headers=session, timeout=30).status_code == 200
    assert httpx.delete(f"{served.url}/mcp/novamem", headers=session, timeout=30).status_code == 404


def test_a_stream_says_where_to_post_as_its_clients_know_it(served: Served) -> None:
    with opened(served.url, "/mcp/novamem/sse") as stream:
        assert "/mcp/novamem/messages?sessionId=" in stream.posted_to
        assert len(stream.posted_to.partition("=")[2]) == 36
        assert stream.initialize()["serverInfo"]["name"] == "novamem"


def test_a_key_that_begins_with_nm_says_the_dialect_where_no_path_does(team: TeamServed) -> None:
    key = nm(team, "ann")
    assert begun(team.url, key, "/mcp").json()["result"]["serverInfo"]["name"] == "novamem"
    own = {"Authorization": f"Bearer {team.keys['ann']}", "Accept": "application/json, text/event-stream"}
    assert '"name":"helix"' in begun(team.url, own, "/mcp").text
    with httpx.stream("GET", f"{team.url}/mcp/sse", headers=key, timeout=20) as answer:
        stream = Stream(team.url, answer, key)
        assert stream.posted_to.startswith(f"{team.url}/mcp/messages?sessionId=")
        assert stream.initialize()["serverInfo"]["name"] == "novamem"
    for path in ("/mcp/novamem", "/mcp/novamem/sse", "/v1/stats"):
        for shown in ({}, {"Authorization": f"Bearer nm_{'0' * 16}.{'x' * 43}"}):
            refused = httpx.get(team.url + path, headers=shown, timeout=30)
            assert (refused.status_code, refused.json()["error"]) == (401, "unauthorized"), path
    assert httpx.get(f"{team.url}/health", timeout=30).json() == {"ok": True}


def test_a_session_is_its_users_with_whichever_key_and_nobody_elses(team: TeamServed) -> None:
    hello = begun(team.url, nm(team, "ann"))
    session = {"Mcp-Session-Id": hello.headers["mcp-session-id"]}
    second = {"Authorization": f"Bearer {team.key('ann')}"}
    url = f"{team.url}/mcp/novamem"
    for method, body in (("POST", LIST), ("GET", None), ("DELETE", None)):
        refused = httpx.request(method, url, json=body, headers={**nm(team, "bob"), **session}, timeout=30)
        assert (refused.status_code, refused.json()["error"]) == (403, "session belongs to another user")
    assert httpx.post(url, json=LIST, headers={**second, **session}, timeout=30).status_code == 200
    assert httpx.delete(url, headers={**nm(team, "ann"), **session}, timeout=30).status_code == 200
    key = nm(team, "ann")
    with httpx.stream("GET", f"{url}/sse", headers=key, timeout=20) as answer:
        stream = Stream(team.url, answer, key)
        stream.initialize()
        ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
        refused = httpx.post(stream.posted_to, json=ping, headers=nm(team, "bob"), timeout=20)
        assert (refused.status_code, refused.json()["error"]) == (403, "session belongs to another user")
        assert httpx.post(stream.posted_to, json=ping, headers=second, timeout=20).text == "Accepted"
        assert json.loads(stream.next("message"))["id"] == 5


def test_one_user_has_ten_of_each_and_leaves_others_theirs(team: TeamServed) -> None:
    url, bob = f"{team.url}/mcp/novamem", nm(team, "bob")
    sessions = [begun(team.url, bob) for _ in range(10)]
    assert {answer.status_code for answer in sessions} == {200}
    refused = begun(team.url, bob)
    assert (refused.status_code, refused.json()["error"]) == (
        429,
        "too many concurrent MCP sessions for this user",
    )
    assert refused.headers["retry-after"]
    assert begun(team.url, nm(team, "olga")).status_code == 200
    with ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(httpx.stream("GET", f"{url}/sse", headers=bob, timeout=20))
        refused = httpx.get(f"{url}/sse", headers=bob, timeout=20)
        assert (refused.status_code, refused.json()["error"]) == (
            429,
            "too many concurrent SSE sessions for this user",
        )
    for answer in sessions:
        session = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
        assert httpx.delete(url, headers={**bob, **session}, timeout=30).status_code == 200
    assert begun(team.url, bob).status_code == 200


def test_an_active_project_is_that_of_the_session_and_else_of_the_user(team: TeamServed) -> None:
    import asyncio

    key = nm(team, "ann")["Authorization"].removeprefix("Bearer ")

    async def story() -> None:
        async with novamem(team.url, key=key) as first, novamem(team.url, key=key) as second:
            made = await first("project_create", name="ropes")
            await first("project_create", name="sails")
            await first("project_activate", project="ropes")
            kept = await first("memory_remember", content="Ropes of hemp are replaced every second year")
            assert kept["project"] == made["id"]
            elsewhere = await second("memory_remember", content="The chandler opens at seven on weekdays")
            assert elsewhere["project"] is None
            answer = httpx.put(
                f"{team.url}/v1/me/active-project",
                json={"project": "sails"},
                headers=nm(team, "ann"),
                timeout=30,
            )
            assert answer.status_code == 200
            sails = await second(
                "memory_remember", content="Sails of cotton are dried before they are furled"
            )
            assert sails["project"] == answer.json()["active"]["id"]
            ropes = await first("memory_remember", content="Ropes of nylon stretch by a third when wet")
            assert ropes["project"] == made["id"]
            for client in (first, second):
                await client("project_deactivate")

    asyncio.run(story())


def test_nobody_sees_what_is_others_and_a_role_may_what_it_may(team: TeamServed) -> None:
    import asyncio

    def key(user: str) -> str:
        return spelled_for("novamem", team.keys[user])

    async def story() -> None:
        async with (
            novamem(team.url, key=key("ann")) as ann,
            novamem(team.url, key=key("bob")) as bob,
            novamem(team.url, key=key("rea")) as rea,
            novamem(team.url, key=team.key("ann", projects=frozenset({"keel"}))) as bound,
        ):
            private = await ann("memory_remember", content="The barnacles of the keel were scraped in secret")
            project = await ann("project_create", name="keel")
            assert project["ownerUserId"] == "ann"
            shared = await ann("memory_remember", content="The keel is laid on blocks of oak", project="keel")
            question = "keel barnacles blocks of oak"
            assert await bob.found(question) == []
            for ref in ("keel", project["id"], "no-such"):
                words = f"error: no such project '{ref}' — call project_list to see ids"
                for tool in ("project_activate", "project_delete"):
                    assert await failure(bob, tool, project=ref) == words
                assert await failure(bob, "memory_search", query="x", project=ref) == words
            for memory in (private, shared):
                assert await bob("memory_forget", id=memory["id"]) == {"deleted": False, "coldDeleteOk": True}
                assert (await bob("memory_neighbors", id=memory["id"]))["results"] == []
                assert not (await bob("memory_update", id=memory["id"], content="x" * 20))["updated"]
            assert await bob("project_list") == {"projects": []}
            assert (await bob("memory_stats"))["totalWarm"] == 0
            theirs = await bob("memory_remember", content="The barnacles of the keel were scraped in secret")
            assert "deduplicated" not in theirs, "what is alike and unseen is not spoken of"
            await bob("memory_forget", id=theirs["id"])

            assert "unknown user 'nobody'" in await failure(
                ann, "project_share", project="keel", username="nobody"
            )
            assert (await ann("project_share", project="keel", username="bob"))["added"] is True
            assert await bob.found(question, project="keel") == ["The keel is laid on blocks of oak"]
            [listed] = (await bob("project_list"))["projects"]
            assert (listed["role"], listed["ownerUserId"]) == ("member", "ann")
            assert (
                await failure(bob, "project_delete", project="keel")
                == "error: only the owner can delete a project"
            )
            for tool in ("share", "unshare"):
                words = await failure(bob, f"project_{tool}", project="keel", username="rea")
                assert words == f"error: only the owner can {tool} a project"
            assert (await bob("memory_update", id=shared["id"], project="keel", namespace="yard"))["updated"]
            members = f"{team.url}/v1/me/projects/keel/members"
            refused = httpx.post(members, json={"username": "rea"}, headers=nm(team, "bob"), timeout=30)
            assert (refused.status_code, refused.json()["error"]) == (403, "only the owner can add members")
            left = httpx.delete(f"{members}/bob", headers=nm(team, "bob"), timeout=30)
            assert left.json() == {"removed": True}
            assert await bob.found(question) == []

            for tool, arguments in (
                ("memory_remember", {"content": "A reader writes nothing at all"}),
                ("memory_remember", {"content": "thanks"}),
                ("memory_forget", {"id": "01HZZZZZZZZZZZZZZZZZZZZZZZ"}),
                ("memory_update", {"id": "01HZZZZZZZZZZZZZZZZZZZZZZZ"}),
                ("project_create", {"name": "mine"}),
            ):
                assert await failure(rea, tool, **arguments) == "error: read-only token"
            assert (await rea("memory_recent"))["results"] == []
            assert await bound.found(question) == ["The keel is laid on blocks of oak"]
            kept = await bound("memory_remember", content="The keel bolts are of bronze")
            assert kept["project"] == project["id"]
            await _clean(ann)

    asyncio.run(story())


async def _clean(ann: Novamem) -> None:
    assert (await ann("project_delete", project="keel"))["deleted"]


def test_routes_are_for_who_has_a_key_and_what_they_do_is_in_the_audit(
    team: TeamServed, tmp_path: Path
) -> None:
    done = httpx.post(
        f"{team.url}/v1/remember",
        json={"content": "The tide gauge is read at noon"},
        headers=nm(team, "ann"),
        timeout=30,
    )
    assert done.status_code == 201
    entries: Any = team.helix("audit", "--user", "ann")
    assert "write" in json.dumps(entries)
    refused = httpx.post(
        f"{team.url}/v1/remember",
        json={"content": "The tide gauge is broken"},
        headers=nm(team, "rea"),
        timeout=30,
    )
    assert (refused.status_code, refused.json()["error"]) == (403, "read-only token")
