"""Every route × every credential × both settings of `require_token`, asked of two real daemons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from helix.config import load
from helix.token_file import TokenFile
from tests.surfaces.conftest import Served, serving

OPEN, LOCAL, BEARER = "open", "local", "bearer"
"""asks for no token ever; for one where the daemon does; for one always"""

# Of the routes of the OpenAPI document; all others ask where the daemon does.
OPEN_ROUTES = {("GET", "/healthz")}
# What is beside it, or at the edge of a route, with its answer to somebody who was let in.
BESIDE = {
    ("GET", "/"): (OPEN, 200),
    ("HEAD", "/"): (OPEN, 200),
    ("POST", "/"): (OPEN, 405),
    ("GET", "/ui/x"): (OPEN, 404),
    ("GET", "/ui/x/y"): (OPEN, 404),
    ("GET", "/ui/"): (OPEN, 404),
    ("GET", "/ui"): (LOCAL, 404),
    ("GET", "/proof"): (OPEN, 400),
    ("POST", "/healthz"): (OPEN, 405),
    ("HEAD", "/healthz"): (OPEN, 405),
    ("GET", "/openapi.json"): (LOCAL, 200),
    ("HEAD", "/openapi.json"): (LOCAL, 200),
    ("POST", "/stats"): (LOCAL, 405),
    ("OPTIONS", "/stats"): (LOCAL, 405),
    ("GET", "/mcp"): (LOCAL, 400),
    ("POST", "/mcp"): (LOCAL, 400),
    ("GET", "/mcp/"): (LOCAL, 404),
    ("GET", "/mcp/helix"): (LOCAL, 400),
    ("GET", "/mcp/helix/x"): (LOCAL, 404),
    ("GET", "/mcp/sse"): (LOCAL, 200),
    ("POST", "/mcp/sse"): (LOCAL, 405),
    ("POST", "/mcp/messages/"): (LOCAL, 404),
    ("GET", "/mcp/messages/"): (LOCAL, 405),
    ("GET", "/mcp/messages"): (LOCAL, 405),
    ("POST", "/mcp/messages"): (LOCAL, 404),
    ("GET", "/mcp/novamem"): (LOCAL, 400),
    ("GET", "/mcp/novamem/sse"): (LOCAL, 200),
    ("POST", "/mcp/novamem/messages"): (LOCAL, 400),
    ("GET", "/v1/stats"): (LOCAL, 200),
    ("GET", "/v1/nowhere"): (LOCAL, 404),
    ("POST", "/v1/search"): (LOCAL, 400),
    ("GET", "/health"): (OPEN, 200),
    ("GET", "/live"): (OPEN, 200),
    ("POST", "/mcp/helix/messages/"): (LOCAL, 404),
    ("GET", "/mcp/vault/sse"): (BEARER, 200),
    ("HEAD", "/mcp/vault/sse"): (BEARER, 405),
    ("POST", "/mcp/vault/messages/"): (BEARER, 404),
    ("GET", "/mcp/vault"): (BEARER, 400),
    ("POST", "/mcp/vault"): (BEARER, 400),
    ("GET", "/mcp/vault/"): (BEARER, 404),
    ("GET", "/mcp/vault/x"): (BEARER, 404),
    ("GET", "/mcp/vaults"): (LOCAL, 404),
    ("PUT", "/mcp/nope"): (LOCAL, 404),
    ("GET", "/nowhere"): (LOCAL, 404),
    ("POST", "/nowhere"): (LOCAL, 404),
    ("GET", "/nowhere/at/all"): (LOCAL, 404),
}
CREDENTIALS = ("none", "wrong", "right")


@dataclass(frozen=True)
class Case:
    served: Served
    require_token: bool


@pytest.fixture(scope="module", params=[False, True], ids=["open daemon", "require_token"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    place = tmp_path_factory.mktemp("access")
    if request.param:
        (place / "config").mkdir()
        (place / "config" / "config.toml").write_text("require_token = true\n")
    with serving(place) as served:
        yield Case(served, request.param)


def token_of(served: Served) -> str:
    return TokenFile(load(served.env, served.place)).get()


def shown(served: Served, credential: str) -> dict[str, str]:
    return {
        "none": {},
        "wrong": {"Authorization": "Bearer wrong"},
        "right": {"Authorization": f"Bearer {token_of(served)}"},
    }[credential]


def ask(served: Served, method: str, path: str, headers: dict[str, str]) -> tuple[int, httpx.Headers]:
    body: dict[str, str] | None = {} if method in ("POST", "PATCH", "PUT") else None
    with served.http.stream(method, path.replace("{id}", "mem_x"), headers=headers, json=body) as answer:
        return answer.status_code, answer.headers


@pytest.fixture(scope="module")
def routes(case: Case) -> dict[tuple[str, str], tuple[str, int]]:
    """Every route, what it asks for, and its answer to the owner of the token."""
    token = shown(case.served, "right")
    paths = case.served.http.get("/openapi.json", headers=token).json()["paths"]
    found = [(method.upper(), path) for path, methods in paths.items() for method in methods]
    answers = {route: ask(case.served, *route, token)[0] for route in found}
    assert not {401, 403, 415, 421, 500} & set(answers.values())
    documented = {
        route: (OPEN if route in OPEN_ROUTES else LOCAL, status) for route, status in answers.items()
    }
    assert documented.keys() >= OPEN_ROUTES
    return {**documented, **BESIDE}


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_every_route_asks_for_the_credential_that_it_should(
    case: Case, routes: dict[tuple[str, str], tuple[str, int]], credential: str
) -> None:
    for (method, path), (access, status) in routes.items():
        needs = access == BEARER or (access == LOCAL and case.require_token)
        expected = 401 if needs and credential != "right" else status
        answered, headers = ask(case.served, method, path, shown(case.served, credential))
        assert answered == expected, (method, path)
        assert headers.get("WWW-Authenticate") == ("Bearer" if expected == 401 else None), (method, path)


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_a_form_is_refused_whoever_sends_it(case: Case, credential: str) -> None:
    form = {**shown(case.served, credential), "Content-Type": "application/x-www-form-urlencoded"}
    for path in ("/remember", "/mcp", "/mcp/vault", "/nowhere", "/healthz"):
        assert case.served.http.post(path, content=b"a=b", headers=form).status_code == 415, path
