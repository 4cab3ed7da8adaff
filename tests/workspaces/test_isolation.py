"""What is in a workspace of one org is nowhere for another: whatever is asked, and in whichever way."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from helix.verb_table import VERBS
from tests.access.test_permissions import MCP, call, opened
from tests.workspaces.orgs import WORD, Orgs

_PROJECT = f"{WORD}-shop"


@pytest.fixture(scope="module")
def known(orgs: Orgs) -> dict[str, str]:
    """What somebody of the other org could have heard of: names of things that acme has."""
    first = orgs.write(f"The {WORD} stands at the gate.", "amy", tags=[f"{WORD}-tag"])
    second = orgs.write(f"Another {WORD} stands behind it.", "amy", idempotency_key="acme-1")
    orgs.ask("POST", "/projects/create", "amy", json={"project": _PROJECT})
    orgs.ask(
        "POST", "/relate", "amy", json={"source": first["id"], "target": second["id"], "relation": "supports"}
    )
    event = {"type": "decision", "payload": {"text": f"The {WORD} is kept.", "decision": WORD}}
    orgs.owner(
        "POST", "/w/acme.web/sessions/append", json={"session_id": f"{WORD}-session", "events": [event]}
    )
    page = orgs.ask("GET", "/recent?limit=1&scope=all", "amy").json()
    assert page["next_cursor"], "there is a cursor to be stolen"
    with httpx.Client(base_url=orgs.team.url, timeout=60) as http:
        session = opened(http, orgs.keys["amy"], "helix")
    return {
        "id": first["id"], "hash": str(first.get("hash", "")), "cursor": page["next_cursor"], "session": session,
        "project": _PROJECT, "log": f"{WORD}-session",
    }  # fmt: skip


def _asked(orgs: Orgs, known: dict[str, str]) -> Iterator[tuple[str, str, Any]]:
    """Every route, with what is known of the other org wherever it fits."""
    document = orgs.owner("GET", "/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            if path in ("/events", "/reindex", "/capture/purge", "/capture/on"):
                continue
            filled = path.replace("{seq}", "1").replace("{id}", known["id"])
            for name, value in (
                ("session_id", known["log"]),
                ("key", known["id"]),
                ("memory_id", known["id"]),
            ):
                filled = filled.replace(f"{{{name}}}", value)
            schema = (
                about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            )
            names = _properties(document, schema)
            if method == "get":
                given = [one["name"] for one in about.get("parameters", ()) if one.get("in") == "query"]
                for name in [None, *given]:
                    yield "GET", filled, {} if name is None else {name: _value(name, known)}
            else:
                yield method.upper(), filled, {name: _value(name, known) for name in names}
                yield (
                    method.upper(),
                    filled,
                    {
                        name: _value(name, known)
                        for name in names
                        if name in ("id", "text", "q", "query", "project", "cursor")
                    },
                )


def _properties(document: dict[str, Any], schema: dict[str, Any]) -> Sequence[str]:
    reference = schema.get("$ref", "").rpartition("/")[2]
    return list(document["components"]["schemas"].get(reference, schema).get("properties", ()))


def _value(name: str, known: dict[str, str]) -> Any:
    found: dict[str, Any] = {
        "cursor": known["cursor"], "project": known["project"], "q": "gate", "query": "gate", "text": "the gate stands",
        "scope": "all", "id": known["id"], "ids": [known["id"]], "memory_ids": [known["id"]], "source": known["id"],
        "target": known["id"], "session_id": known["log"], "idempotency_key": "acme-1", "limit": 5,
        "as_of": "2026-01-01",
        "include_deleted": True, "if_hash": known["hash"],
    }  # fmt: skip
    return found.get(name, known["id"])


def test_a_key_of_one_org_gets_nothing_of_another_by_any_route(orgs: Orgs, known: dict[str, str]) -> None:
    asked = 0
    with httpx.Client(base_url=orgs.team.url, timeout=60) as http:
        shown = {"Authorization": f"Bearer {orgs.keys['rob']}"}
        for method, path, values in _asked(orgs, known):
            if method == "GET":
                answer = http.get(path, params=values, headers=shown)
            else:
                answer = http.request(method, path, json=values, headers=shown)
            asked += 1
            said = answer.text
            for value in (*known.values(), "the gate stands", "acme-1"):  # what was sent may be said back
                said = said.replace(value, "") if value else said
            assert answer.status_code != 500, (method, path, said)
            assert WORD not in said, (method, path, values, said)
    assert asked > len(VERBS)


def test_a_workspace_of_another_org_is_as_unknown_as_one_that_there_is_not(orgs: Orgs) -> None:
    def told(workspace: str, *, in_path: bool = False) -> tuple[int, str]:
        path = f"/w/{workspace}/recent" if in_path else "/recent"
        answer = orgs.ask("GET", path, "rob", None if in_path else workspace)
        return answer.status_code, answer.text.replace(workspace, "NAME")

    for in_path in (False, True):
        nothing = told("acme.nothing", in_path=in_path)
        assert nothing[0] == 403
        assert told("acme.web", in_path=in_path) == told("acme.api", in_path=in_path) == nothing
        assert told("main.main", in_path=in_path) == nothing
        assert told("api", in_path=in_path) == told("none", in_path=in_path)
        assert told("rival.web", in_path=in_path)[0] == told("web", in_path=in_path)[0] == 200
    assert orgs.ask("GET", "/w/web/recent", "rob", "acme.web").status_code == 400
    two = [
        ("Helix-Workspace", "web"),
        ("Helix-Workspace", "acme.web"),
        ("Authorization", f"Bearer {orgs.keys['rob']}"),
    ]
    assert httpx.get(f"{orgs.team.url}/recent", headers=two).status_code == 400
    for spelled in (
        "/w/acme%2eweb/recent",
        "/w//w/acme.web/recent",
        "/w/web/w/acme.web/recent",
        "/w/../w/acme.web/recent",
    ):
        assert orgs.ask("GET", spelled, "rob").status_code in (400, 403, 404), spelled


def test_a_key_is_good_for_its_workspaces_and_no_other_of_its_org(orgs: Orgs, known: dict[str, str]) -> None:
    assert orgs.ask("GET", "/recent", "ada-api", "web").status_code == 403
    assert orgs.ask("GET", f"/memory/{known['id']}", "ada-api").status_code == 404
    mine = orgs.write("The api answers in JSON.", "ada-api")
    assert orgs.found("json", "ada", "api") == [mine["id"]]
    assert orgs.found("json", "ada", "web") == []
    listed = orgs.ask("GET", "/workspaces", "ada-api").json()["workspaces"]
    assert [(one["name"], one["is_default"]) for one in listed] == [("api", True)]
    both = orgs.ask("GET", "/workspaces", "ada").json()["workspaces"]
    assert [one["name"] for one in both] == ["web", "api"]
    assert "vault" not in both[0]


def test_cursors_keys_of_retries_and_sessions_of_logs_are_of_one_workspace(
    orgs: Orgs, known: dict[str, str]
) -> None:
    stolen = orgs.ask("GET", f"/recent?limit=1&cursor={known['cursor']}", "amy", "api")
    assert (stolen.status_code, stolen.json()["code"]) == (400, "bad-cursor")
    assert stolen.json() == orgs.ask("GET", f"/recent?limit=1&cursor={known['cursor']}", "rob").json()
    again = orgs.write("Something else entirely.", "amy", "api", idempotency_key="acme-1")
    assert again["status"] == "created"
    conflict = {"text": "Something else entirely.", "scope": "global", "idempotency_key": "acme-1"}
    assert orgs.ask("POST", "/remember", "amy", "web", json=conflict).json()["code"] == "idempotency-conflict"
    assert orgs.ask("POST", "/remember", "rob", json={**conflict, "force": True}).status_code == 200


def test_a_session_of_mcp_is_of_one_workspace(orgs: Orgs, known: dict[str, str]) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for user, workspace, status in (
        ("amy", None, 200),
        ("amy", "api", 404),
        ("ada", None, 404),
        ("rob", None, 404),
    ):
        headers = {**MCP, "Mcp-Session-Id": known["session"]}
        answer = orgs.ask("POST", "/mcp/helix", user, workspace, headers=headers, json=ping)
        assert answer.status_code == status, (user, workspace, answer.text)


def test_tools_find_what_is_in_the_workspace_of_their_address(orgs: Orgs, known: dict[str, str]) -> None:
    def recalled(user: str, prefix: str) -> str:
        with httpx.Client(base_url=f"{orgs.team.url}{prefix}", timeout=60) as http:
            session = opened(http, orgs.keys[user], "helix")
            arguments = {"query": "stands at the gate", "scope": "global"}
            asked = {"name": "memory_search", "arguments": arguments}
            _, answer = call(http, orgs.keys[user], "helix", session, "tools/call", asked)
            return json.dumps(answer)

    assert WORD in recalled("amy", "/w/web")
    assert WORD not in recalled("amy", "/w/api")
    assert WORD not in recalled("rob", "/w/web")


def test_the_older_transport_of_mcp_stays_below_the_address_it_was_opened_at(orgs: Orgs) -> None:
    headers = {"Authorization": f"Bearer {orgs.keys['amy']}"}
    with httpx.stream("GET", f"{orgs.team.url}/w/api/mcp/helix/sse", headers=headers, timeout=30) as stream:
        lines = stream.iter_lines()
        posted_to = next(line for line in lines if line.startswith("data: ")).removeprefix("data: ")
        assert posted_to.startswith("/w/api/mcp/helix/messages/")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        elsewhere = posted_to.removeprefix("/w/api")
        assert orgs.ask("POST", elsewhere, "amy", json=ping).status_code == 404
        assert orgs.ask("POST", posted_to, "amy", json=ping).status_code == 202


def test_live_events_tell_of_their_own_workspace_alone(orgs: Orgs) -> None:
    heard: dict[str, list[str]] = {"rob": [], "amy": []}
    listening = {user: threading.Event() for user in heard}

    def listen(user: str) -> None:
        headers = {"Authorization": f"Bearer {orgs.keys[user]}"}
        with httpx.stream("GET", f"{orgs.team.url}/events", headers=headers, timeout=30) as stream:
            for line in stream.iter_lines():
                heard[user].append(line)
                if line.startswith("event: health"):
                    listening[user].set()
                if "last-word" in line:
                    return

    threads = [threading.Thread(target=listen, args=[user]) for user in heard]
    for thread in threads:
        thread.start()
    assert all(one.wait(15) for one in listening.values())
    orgs.write(f"One more {WORD}.", "amy", tags=[WORD])
    orgs.write("A last-word of theirs", "amy")
    orgs.write("A last-word of ours", "rob")
    for thread in threads:
        thread.join(15)
    assert WORD in "".join(heard["amy"])
    assert WORD not in "".join(heard["rob"])
    assert "ours" in "".join(heard["rob"])
    assert "theirs" not in "".join(heard["rob"])


def test_each_has_an_audit_of_its_own(orgs: Orgs, known: dict[str, str]) -> None:
    orgs.ask("POST", "/forget", "ada", json={"id": known["id"]})
    orgs.ask("GET", "/status", "rod")
    orgs.team.ask("GET", f"/memory/{known['id']}", f"{orgs.keys['amy'][:-3]}abc")
    mine = orgs.ask("GET", "/audit", "rob").json()["entries"]
    theirs = orgs.ask("GET", "/audit", "amy").json()["entries"]
    assert {entry["user"] for entry in mine} <= {"rob", "rod", "local"}
    assert ("rod", "GET /status", "forbidden") in {(one["user"], one["what"], one["code"]) for one in mine}
    assert {entry["user"] for entry in theirs} <= {"amy", "ada", "local"}
    assert known["id"] in json.dumps(theirs)
    strangers = orgs.team.helix("audit", "--refused")["entries"]
    assert ("unknown", "GET /memory/…") in {(one["user"], one["what"]) for one in strangers}
    assert orgs.ask("GET", "/audit", "amy", "api").json()["problems"] == []


def test_figures_and_states_are_those_of_the_workspace_that_is_asked(
    orgs: Orgs, known: dict[str, str]
) -> None:
    before = orgs.ask("GET", "/metrics", "rob").text
    for _ in range(3):
        orgs.found("gate", "amy")
    mine = orgs.ask("GET", "/metrics", "rob").text
    recall = 'helix_requests_total{method="GET",route="/recall",status="200"}'
    assert _figure(before, recall) == _figure(mine, recall)
    assert "acme" not in mine
    assert 'helix_memories{status="active",workspace="acme.web"}' in orgs.owner("GET", "/metrics").text
    assert 'workspace="main"' in orgs.owner("GET", "/metrics").text
    assert orgs.owner("GET", "/metrics").text.count("# TYPE process_cpu_seconds_total") == 1
    for path in ("/status", "/healthz"):
        said = orgs.ask("GET", path, "rob").text
        assert "acme" not in said
        assert "amy" not in said
    assert orgs.ask("GET", "/healthz", "rob").json()["vault"].endswith("rival.web")
    assert orgs.owner("GET", "/healthz").json()["vault"].endswith("/vault")
    assert set(httpx.get(f"{orgs.team.url}/w/acme.web/healthz").json()) == {"state", "version"}


def _figure(text: str, name: str) -> str:
    return next((line for line in text.splitlines() if line.startswith(name)), "")


def test_capture_of_the_machine_is_for_its_owner(orgs: Orgs, known: dict[str, str]) -> None:
    refused = orgs.ask("POST", "/capture/on", "rob", json={"all": True})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def test_to_ask_for_an_unknown_one_takes_no_longer_than_for_one_of_another_org(orgs: Orgs) -> None:
    times: dict[str, list[float]] = {"acme.web": [], "acme.none": []}
    with httpx.Client(
        base_url=orgs.team.url, headers={"Authorization": f"Bearer {orgs.keys['rob']}"}
    ) as http:
        for _ in range(40):
            for name, taken in times.items():
                started = time.perf_counter()
                assert http.get("/recent", headers={"Helix-Workspace": name}).status_code == 403
                taken.append(time.perf_counter() - started)
    known, unknown = (min(taken) for taken in times.values())
    assert known < 3 * unknown + 0.005
    assert unknown < 3 * known + 0.005
