"""The routes below `/v1` that programs for `novamem` call, with a real daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from helix.dialects.novamem.paths import ROUTES
from tests.dialects.test_novamem import ULID
from tests.surfaces.conftest import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("routes"), HELIX_LOG_LEVEL="info") as one:
        yield one


class Asking:
    """Remembers which routes were called, so that none is left out."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self.called: set[tuple[str, str]] = set()

    def __call__(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        answer = self._http.request(method, path, json=body or None)
        assert answer.status_code == status, answer.text
        if status < 300:
            self.called.add((method, path))
        return answer.json() if answer.content else None


def _template(method: str, path: str) -> tuple[str, str]:
    parts = path.split("/")
    for route in ROUTES.routes:
        known = route.path.split("/")
        is_alike = len(known) == len(parts) and all(
            piece == part or piece.startswith("{") for piece, part in zip(known, parts, strict=True)
        )
        if route.method == method and is_alike:
            return route.method, route.path
    raise AssertionError(path)


def test_every_route_answers_as_programs_expect(served: Served) -> None:
    ask = Asking(served.http)
    made = ask(
        "POST",
        "/v1/remember",
        201,
        content="The dredger works on the inner basin until June",
        metadata={"a": 1},
    )
    assert ULID.fullmatch(made["id"])
    twice = ask("POST", "/v1/remember", 201, content="The dredger works on the inner basin until June")
    assert twice["deduplicated"]
    assert ask("POST", "/v1/remember", 201, content="thanks") == {
        "id": None, "rejected": "too short — not durable knowledge",
    }  # fmt: skip
    found = ask("POST", "/v1/search", query="dredger inner basin", agentName="x", minVectorScore=0.1)
    assert found["degraded"] is False
    assert found["results"][0]["metadata"] == {"a": 1}
    assert ask("POST", "/v1/recent")["results"][0]["id"] == made["id"]
    assert ask("POST", "/v1/recent", since="2020-01-01T00:00:00Z", k=1)["results"][0]["id"] == made["id"]
    assert ask("POST", "/v1/neighbors", id=made["id"])["degraded"] is False
    path = f"/v1/memories/{made['id']}"
    assert ask("PUT", path, content="The dredger works on the inner basin until July")["embeddingChanged"]
    nobody = ask("PUT", "/v1/memories/01HZZZZZZZZZZZZZZZZZZZZZZZ", 404, content="whatever it may be")
    assert nobody["error"] == "no such memory in your scope"
    assert ask("GET", "/v1/stats")["totalCold"] == 0

    project = ask("POST", "/v1/me/projects", 201, name="Dredging")
    again = ask("POST", "/v1/me/projects", 409, name="Dredging")
    assert again["code"] == "already-exists"
    assert project["id"] in [one["id"] for one in ask("GET", "/v1/me/projects")["projects"]]
    members = f"/v1/me/projects/{project['id']}/members"
    assert ask("POST", members, 201, username="bob") == {"added": True, "userId": "bob", "username": "bob"}
    assert ask("POST", members, 409, username="bob")["error"] == "user is already a member"
    assert [(one["userId"], one["role"]) for one in ask("GET", members)["members"]] == [
        ("local", "owner"),
        ("bob", "member"),
    ]
    assert ask("DELETE", f"{members}/bob") == {"removed": True}
    assert ask("DELETE", f"{members}/bob", 404)["error"] == "user is not a member"
    assert ask("DELETE", f"{members}/local", 400)["error"] == "owner cannot leave; delete the project instead"
    assert ask("POST", members, 400, username="bob", role="owner")
    assert ask("GET", "/v1/me/projects/nowhere/members", 403)["error"] == "not a member of this project"

    active = "/v1/me/active-project"
    assert ask("GET", active) == {"active": None}
    assert ask("PUT", active, project="Dredging")["active"]["id"] == project["id"]
    assert (
        ask("PUT", active, 404, project="x")["error"] == "no such project 'x' — call project_list to see ids"
    )
    assert ask("GET", active) == {"active": {"id": project["id"], "name": "Dredging"}}
    inside = ask("POST", "/v1/remember", 201, content="The spoil of the dredger goes to the outer bank")
    assert inside["project"] == project["id"]
    outside = ask("POST", "/v1/forget", 403, id=made["id"])
    assert outside["error"] == "entry not in your user namespace"
    assert ask("DELETE", active, 204) is None
    assert ask("POST", "/v1/forget", id=made["id"])["deleted"] is True
    assert ask("POST", "/v1/forget", id=made["id"])["deleted"] is False
    assert ask("DELETE", "/v1/me/projects/Dredging")["entriesRemoved"] == 1
    assert ask("DELETE", "/v1/me/projects/Dredging", 404)["error"] == "unknown project"
    assert {_template(*called) for called in ask.called} == {(one.method, one.path) for one in ROUTES.routes}


def test_what_is_wrong_is_said_as_programs_expect(served: Served) -> None:
    http = served.http
    refused = http.post("/v1/search", json={"query": "", "k": "many"})
    assert refused.status_code == 400
    assert refused.json()["error"] == "invalid request body"
    assert [(issue["path"], issue["code"]) for issue in refused.json()["issues"]] == [
        ("query", "too_small"),
        ("k", "invalid_type"),
    ]
    broken = http.post("/v1/search", content=b"{", headers={"Content-Type": "application/json"})
    assert (broken.status_code, broken.json()["error"]) == (
        400,
        "Body is not valid JSON but content-type is set to 'application/json'",
    )
    assert "issues" not in broken.json()
    assert http.post("/v1/search", json=[1]).status_code == 400
    nowhere = http.get("/v1/tea")
    assert (nowhere.status_code, nowhere.json()) == (
        404,
        {"message": "Route GET:/v1/tea not found", "error": "Not Found", "statusCode": 404},
    )
    assert (
        http.post("/v1/search", content=b"query=x", headers={"Content-Type": "text/plain"}).status_code == 415
    )
    for header in ("x-content-type-options", "cross-origin-resource-policy"):
        assert header in nowhere.headers


def test_everybody_hears_that_it_is_well(served: Served) -> None:
    for path in ("/health", "/ready", "/live"):
        answer = served.http.get(path)
        assert (answer.status_code, answer.json()) == (200, {"ok": True})


def test_where_the_dialect_is_not_enabled_there_are_no_routes(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('[dialects]\nenabled = ["vault"]\n')
    with serving(tmp_path) as served:
        for path in ("/v1/stats", "/health", "/mcp/novamem", "/mcp/novamem/sse"):
            assert served.http.get(path).status_code == 404, path
        # Whatever a key begins with: the default dialect answers.
        headers = {
            "Authorization": f"Bearer nm_{'0' * 16}.x",
            "Accept": "application/json, text/event-stream",
        }
        hello = {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
            },
        }  # fmt: skip
        assert '"name":"helix"' in served.http.post("/mcp", json=hello, headers=headers).text
