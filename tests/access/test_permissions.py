"""Every route and every tool × every role: allowed, 401, 403. And what a key is bound to, wherever it hides."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from helix.access.roles import PERMISSIONS, ROLES
from helix.dialects.registry import DIALECTS
from helix.verb_table import VERBS
from tests.access.team import PEOPLE, TeamServed

NOBODY = None
OPEN = ""
# Of the routes that are no verbs.
OTHERS = {
    ("GET", "/healthz"): OPEN,
    ("GET", "/metrics"): "analytics",
    ("POST", "/reindex"): "admin",
    ("GET", "/status"): "diagnostics",
    ("GET", "/hosts"): "connectors",
    ("GET", "/events"): "recall",
    ("GET", "/capture"): "diagnostics",
    ("POST", "/capture/on"): "admin",
    ("POST", "/capture/off"): "admin",
    ("POST", "/capture/purge"): "admin",
}
# The tools of each dialect, with what the contract says of it. Others must at least refuse who may nothing.
TOOLS: dict[str, dict[str, str]] = {
    "helix": {verb.tool: str(verb.permission) for verb in VERBS.values() if verb.tool},
    "vault": {
        "memory_search": "recall", "memory_recall": "recall", "memory_append": "remember", "memory_forget": "forget",
    },
}  # fmt: skip
_NUMBERS = itertools.count(1)
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@pytest.fixture(scope="module")
def http(team: TeamServed) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=team.url, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def routes(team: TeamServed, http: httpx.Client) -> dict[tuple[str, str], str]:
    """Every route of the OpenAPI document, and the permission that it takes."""
    document = http.get("/openapi.json", headers=shown(team.keys["rea"])).json()
    found = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    of_verbs: dict[tuple[str, str], str] = {
        (verb.route.method, verb.route.path): verb.permission for verb in VERBS.values()
    }
    return {route: {**of_verbs, **OTHERS}[route] for route in found}


def shown(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def ask(http: httpx.Client, method: str, path: str, key: str | None) -> tuple[int, str]:
    path = path.replace("{seq}", "1").replace("{id}", "mem_x")
    for name in ("session_id", "key", "memory_id"):
        path = path.replace(f"{{{name}}}", "x")
    body: dict[str, str] | None = None if method == "GET" else {}
    with http.stream(method, path, headers=shown(key), json=body) as answer:
        told = answer.read().decode() if answer.status_code >= 400 else ""
        return answer.status_code, told


def test_a_role_may_what_the_contract_says() -> None:
    assert set(ROLES["admin"]) == set(PERMISSIONS)
    assert set(ROLES["operator"]) == set(PERMISSIONS) - {"admin", "secrets"}
    assert set(ROLES["agent"]) == {"remember", "recall", "modify", "forget", "recover", "documents"}
    assert set(ROLES["readonly"]) == {"recall"}


@pytest.mark.parametrize("user", [NOBODY, *PEOPLE])
def test_every_route_is_for_those_who_have_its_permission(
    user: str | None, team: TeamServed, http: httpx.Client, routes: dict[tuple[str, str], str]
) -> None:
    allowed = ROLES[PEOPLE[user]] if user else frozenset()
    for (method, path), permission in routes.items():
        status, told = ask(http, method, path, team.keys[user] if user else None)
        if permission == OPEN:
            assert status == 200, path
        elif user is None:
            assert status == 401, (method, path)
        elif permission not in allowed:
            assert status == 403, (method, path, user)
            assert f"'{permission}'" in told
            assert json.loads(told)["code"] == "forbidden"
        else:
            assert status not in (401, 403, 500), (method, path, user, told)


def sample(schema: dict[str, Any]) -> Any:
    kind = schema.get("type", "string")
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "array":
        return [sample(schema.get("items", {}))]
    return {"string": "x", "integer": schema.get("minimum", 1), "number": 1, "boolean": False, "object": {}}[
        kind
    ]


def call(
    http: httpx.Client, key: str, dialect: str, session: str, method: str, params: dict[str, Any]
) -> Any:
    headers = {**shown(key), **MCP, **({"Mcp-Session-Id": session} if session else {})}
    message = {"jsonrpc": "2.0", "id": next(_NUMBERS), "method": method, "params": params}
    answer = http.post(f"/mcp/{dialect}", headers=headers, json=message)
    assert answer.status_code == 200, answer.text
    text = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        text = next(line.removeprefix("data:") for line in text.splitlines() if line.startswith("data: {"))
    return answer.headers.get("Mcp-Session-Id", session), json.loads(text)


def opened(http: httpx.Client, key: str, dialect: str) -> str:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }
    session, _ = call(http, key, dialect, "", "initialize", hello)
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    http.post(f"/mcp/{dialect}", headers={**shown(key), **MCP, "Mcp-Session-Id": session}, json=ready)
    return str(session)


@pytest.mark.parametrize("user", list(PEOPLE))
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_every_tool_is_for_those_who_have_the_permission_of_its_verb(
    dialect: str, user: str, team: TeamServed, http: httpx.Client
) -> None:
    key, allowed = team.keys[user], ROLES[PEOPLE[user]]
    session = opened(http, key, dialect)
    for tool in DIALECTS[dialect].tools:
        needs = TOOLS.get(dialect, {}).get(tool.name)
        if needs is None:
            continue
        arguments = {
            name: sample(tool.input_schema["properties"][name]) for name in tool.input_schema["required"]
        }
        _, answer = call(
            http, key, dialect, session, "tools/call", {"name": tool.name, "arguments": arguments}
        )
        text = answer["result"]["content"][0]["text"]
        if needs in allowed:
            assert "forbidden" not in text, (tool.name, user)
        else:
            assert answer["result"]["isError"], (tool.name, user)
            assert f"'{needs}'" in text
            assert "(forbidden)" in text


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_who_may_nothing_gets_nothing_of_any_tool_or_resource(
    dialect: str, team: TeamServed, http: httpx.Client
) -> None:
    team.helix("user", "add", f"mute-{dialect}", "--role", "operator")
    key = team.key(f"mute-{dialect}", permissions=frozenset({"connectors"}))
    session = opened(http, key, dialect)
    for tool in DIALECTS[dialect].tools:
        arguments = {
            name: sample(tool.input_schema["properties"][name]) for name in tool.input_schema["required"]
        }
        _, answer = call(
            http, key, dialect, session, "tools/call", {"name": tool.name, "arguments": arguments}
        )
        assert answer["result"]["isError"], tool.name
    for resource in DIALECTS[dialect].resources:
        for method in ("resources/read", "resources/subscribe"):
            _, answer = call(http, key, dialect, session, method, {"uri": resource.uri})
            assert "forbidden" in answer["error"]["message"], (resource.uri, method)


def test_a_key_is_as_narrow_as_its_permissions_and_as_its_user_is_now(team: TeamServed) -> None:
    key = team.key("olga", permissions=frozenset({"recall", "analytics"}))
    assert team.ask("GET", "/stats", key).status_code == 200
    assert team.ask("GET", "/status", key).status_code == 403
    low = team.key("olga", role="readonly")
    assert team.ask("GET", "/recent", low).status_code == 200
    assert team.ask("POST", "/remember", low, json={"text": "Tea is at four."}).status_code == 403


OTHER = "vault-of-others"


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("POST", "/remember", {"json": {"text": "The harbour closes at nine.", "project": OTHER}}),
        ("POST", "/remember", {"json": {"text": "The harbour closes at nine.", "scope": "global"}}),
        ("POST", "/remember", {"json": {"text": "Closes at nine."}, "headers": {"Helix-Project": OTHER}}),
        ("POST", "/file", {"json": {"ids": ["mem_x"], "project": OTHER}}),
        ("GET", "/recent", {"params": {"project": OTHER}}),
        ("GET", "/recent", {"params": {"project": f"shop,{OTHER}"}}),
        ("GET", "/recent", {"headers": {"Helix-Project": OTHER}}),
        ("GET", "/status", {"headers": {"Helix-Project": OTHER}}),
        ("GET", "/recall", {"params": {"q": "harbour", "project": OTHER}}),
        ("GET", "/recall", {"params": {"q": f"harbour project:{OTHER}"}}),
        ("GET", "/recall", {"params": {"q": f'project:"{OTHER}" harbour'}}),
        ("POST", "/context", {"json": {"task": "the harbour", "filters": {"project": OTHER}}}),
        ("POST", "/context", {"json": {"task": "the harbour", "filters": {"Projects": OTHER}}}),
        ("GET", "/timeline", {"params": {"project": OTHER}}),
        ("GET", "/map", {"params": {"project": OTHER}}),
    ],
    ids=str,
)
def test_another_project_is_refused_wherever_it_hides(
    method: str, path: str, more: dict[str, Any], team: TeamServed, bound: str
) -> None:
    answer = team.ask(method, path, bound, **more)
    assert answer.status_code == 403, answer.text
    assert answer.json()["code"] == "forbidden"


@pytest.fixture(scope="module")
def bound(team: TeamServed) -> str:
    return team.key("olga", projects=frozenset({"shop"}))


def test_its_own_project_is_not_refused_in_any_of_these_places(team: TeamServed, bound: str) -> None:
    for path, more in (
        ("/recent", {"params": {"project": "shop"}}),
        ("/recent", {"headers": {"Helix-Project": "shop"}}),
        ("/recall", {"params": {"q": "harbour project:shop"}}),
        ("/recall", {"params": {"q": "harbour"}}),
    ):
        assert team.ask("GET", path, bound, **more).status_code == 200, (path, more)


def test_a_key_of_several_projects_says_in_which_it_writes(team: TeamServed) -> None:
    key = team.key("olga", projects=frozenset({"shop", "web"}))
    answer = team.ask("POST", "/remember", key, json={"text": "The harbour closes at nine."})
    assert answer.status_code == 403
    assert "say which" in answer.json()["error"]


def test_a_cursor_of_one_key_is_none_to_a_key_that_is_bound_to_less(team: TeamServed) -> None:
    for number in range(3):
        text = f"The pier number {number} is closed for repairs until the spring tide has passed."
        done = team.ask(
            "POST", "/remember", team.owner_token, json={"text": text, "scope": "global", "force": True}
        )
        assert done.status_code == 200
    page = team.ask("GET", "/recent?limit=1&scope=all", team.owner_token).json()
    for key in (team.keys["olga"], team.key("olga", projects=frozenset({"shop"}))):
        answer = team.ask("GET", "/recent", key, params={"cursor": page["next_cursor"]})
        assert answer.status_code == 400
        assert answer.json()["code"] == "bad-cursor"


def test_another_agent_or_program_is_refused_and_ones_own_signs(team: TeamServed) -> None:
    key = team.key("ann", agent="scribe")
    said = {"text": "The harbour closes at nine.", "source": {"agent": "forger"}}
    assert team.ask("POST", "/remember", key, json=said).status_code == 403
    harness = team.key("ann", harness="claude-code")
    for name, status in (
        ("claude-code/2.1", 200),
        ("claude-code", 200),
        ("helix-mcp/0.1.0", 200),
        ("curl", 403),
    ):
        assert team.ask("GET", "/recent", harness, {"Helix-Client": name}).status_code == status, name
