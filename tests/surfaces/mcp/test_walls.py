"""The same proof over REST and over MCP: a token names a principal, and nobody is told of what they do not see."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from helix.access import Access
from helix.cli.verbs import spell
from helix.dialects.registry import DEFAULT, DIALECTS
from helix.errors import HelixError
from helix.memory.principal import UNKNOWN, Principal
from helix.memory.tokens import serialize
from helix.memory.workspace import Workspace
from helix.surfaces.caller import Signed
from helix.surfaces.doors import Doors, put_doors
from helix.surfaces.guard import Admitted, Guard
from helix.surfaces.mcp.surface import McpSurface
from helix.surfaces.monitoring.clients import Clients
from helix.surfaces.problems import answer as answer_of
from helix.surfaces.rest.mount import mount
from helix.verb_table import VERBS
from tests.memory.team_world import MARK, PRINCIPALS, Asking, marks_of, some_team
from tests.memory.test_wall_proof import asking, filled
from tests.memory.world import World, opened
from tests.scale import scaled

STEPS = 400
# Asked often: most of the others have little to tell.
TELLING = [VERBS[name] for name in ("search", "recent", "context", "graph", "timeline")]
REVISION = "2025-11-25"
BY_TOKEN = {f"token-of-{principal.id}": principal for principal in PRINCIPALS}


class Tokens:
    """A policy for tests: a token is of a principal."""

    def check_source(self, connection: HTTPConnection) -> None:
        pass

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        token = connection.headers.get("authorization", "").removeprefix("Bearer ")
        return Admitted(BY_TOKEN.get(token, UNKNOWN), token)


class Opened:
    """The doors to one workspace, as far as verbs and tools go through them."""

    def __init__(self, app: ASGIApp, workspace: Workspace) -> None:
        unused: Any = None
        self._app = app
        clients = Clients(workspace.followed.vault.clock)
        self._doors = Doors(
            workspace, unused, unused, unused, unused, clients, unused, lambda: None, unused
        )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        put_doors(scope, self._doors)
        await self._app(scope, receive, send)


@contextmanager
def surfaces(workspace: Workspace) -> Iterator[TestClient]:
    """REST and MCP, behind the guard."""
    mcp = McpSurface(workspace, "1")
    app = FastAPI(openapi_url=None, lifespan=lambda _: mcp.run())
    app.add_middleware(Signed)
    app.add_middleware(Opened, workspace=workspace)
    app.add_middleware(Guard, policy=Tokens(), router=app.router)
    app.add_exception_handler(HelixError, lambda _, error: answer_of(error))
    mount(app, VERBS.values())
    app.router.routes.extend(mcp.routes())
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


class Sessions:
    """One of MCP for each principal."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self._open: dict[str, str] = {}

    def call(self, principal: Principal, method: str, params: dict[str, Any]) -> Any:
        if principal.id not in self._open:
            hello = {
                "protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"},
            }  # fmt: skip
            begun = self._post(principal, {"id": 0, "method": "initialize", "params": hello})
            self._open[principal.id] = begun.headers["mcp-session-id"]
            self._post(principal, {"method": "notifications/initialized"})
        return self._post(principal, {"id": 1, "method": method, "params": params})

    def _post(self, principal: Principal, message: dict[str, Any]) -> Any:
        headers = {
            "Authorization": f"Bearer token-of-{principal.id}",
            "Accept": "application/json, text/event-stream",
        }
        if principal.id in self._open:
            headers |= {"Mcp-Session-Id": self._open[principal.id], "Mcp-Protocol-Version": REVISION}
        return self._client.post("/mcp", json={"jsonrpc": "2.0", **message}, headers=headers)


def by_rest(client: TestClient, principal: Principal, question: Asking) -> tuple[str, str, str]:
    """Which verb, what was typed, and what came back, headers and all."""
    verb = question.dice.choice(list(VERBS.values()) if question.dice.random() < 0.6 else TELLING)
    given, place = question.fields(verb), question.place()
    headers = {"Authorization": f"Bearer token-of-{principal.id}"}
    headers |= {"Helix-Project": place.project} if place.project else {}
    headers |= {"Helix-Session": place.session} if place.session else {}
    path, body = spell(verb, given)
    answer = client.request(verb.route.method, path, json=body, headers=headers)
    assert answer.status_code != 500, (verb.name, given, answer.text)
    if answer.status_code == 200:
        question.learn(answer.json())
    return verb.name, f"{serialize(given)} {place}", f"{answer.text} {answer.headers}"


def by_mcp(sessions: Sessions, principal: Principal, question: Asking) -> tuple[str, str, str]:
    dice = question.dice
    if dice.random() < 0.2:
        uri = dice.choice(DIALECTS[DEFAULT].resources).uri
        method = dice.choice(["resources/list", "resources/read", "resources/templates/list", "prompts/list"])
        answer = sessions.call(principal, method, {"uri": uri} if method == "resources/read" else {})
        return method, uri, answer.text
    tools = DIALECTS[DEFAULT].tools
    # Half of the calls are of the tools that every agent has; the others are more, and most of them have less to tell.
    everyday = [tool for tool in tools if tool.name.startswith("memory_")]
    tool = dice.choice(everyday if dice.random() < 0.5 else tools)
    verb = next(verb for verb in VERBS.values() if verb.tool == tool.name)
    known = tool.input_schema["properties"]
    given = {verb.fields[name].wire: value for name, value in question.fields(verb).items()}
    given = {name: value for name, value in given.items() if name in known}
    given |= {"query": question.words()} if "query" in known else {}
    answer = sessions.call(principal, "tools/call", {"name": tool.name, "arguments": given})
    return tool.name, serialize(given), answer.text


def test_no_answer_of_a_surface_holds_a_mark_of_what_is_not_seen(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    dice = random.Random(7)
    files = some_team(dice)
    with opened(tmp_path) as opened_world, surfaces(opened_world.workspace) as client:
        world: World = filled(opened_world, files)
        question, sessions = asking(dice, files), Sessions(client)
        seen = {one.id: marks_of(one, world.files()) for one in PRINCIPALS}
        for step in range(scaled(STEPS)):
            principal, before = dice.choice(PRINCIPALS), seen
            if step % 3:
                name, typed, told = by_rest(client, principal, question)
            else:
                name, typed, told = by_mcp(sessions, principal, question)
            seen = {one.id: marks_of(one, world.files()) for one in PRINCIPALS}
            leaked = (
                set(MARK.findall(told)) - before[principal.id] - seen[principal.id] - set(MARK.findall(typed))
            )
            assert not leaked, (step, principal.id, name, typed, told)
            asked[name] += bool(MARK.findall(told))
    assert {"memory_search", "memory_get", "resources/read", "search", "recent"} <= {*+asked}, asked
