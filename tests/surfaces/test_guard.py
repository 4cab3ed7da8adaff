"""What a route declares is what its requests are asked for; what declares nothing is closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import get_args

from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from helix.access import FORM, JSON, LOCAL, OPEN, Access, Credential, bearer, declare
from helix.memory.principal import UNKNOWN, Principal
from helix.memory.verbs.verb import Permission
from helix.surfaces.guard import (
    CREDENTIAL,
    PRINCIPAL,
    AccessRefused,
    Admitted,
    Guard,
    access_in,
    access_of,
)
from helix.surfaces.local_access import LocalAccess
from helix.surfaces.rest.document import described_routes
from helix.verb_table import VERBS

Endpoint = Callable[[Request], Awaitable[JSONResponse]]
ANNA = Principal("anna")
SCOPES = {"anna-reads": {"read"}, "anna-writes": {"read", "write"}}


class Keys:
    """Serves whoever has a key, from anywhere."""

    def check_source(self, connection: HTTPConnection) -> None:
        if connection.headers.get("from") == "nowhere":
            raise AccessRefused("wrong-origin", "not from there")

    async def identify(self, connection: HTTPConnection, access: Access) -> Admitted:
        key = connection.headers.get("authorization", "").removeprefix("Bearer ")
        if access.credential is Credential.NEVER:
            return Admitted(UNKNOWN, "nothing")
        if key not in SCOPES or not access.scopes <= SCOPES[key]:
            wanted = {"resource_metadata": "https://helix.example/meta", "scope": " ".join(access.scopes)}
            raise AccessRefused("unauthorized", "show a key", wanted)
        return Admitted(ANNA, key)


async def who(request: Request) -> JSONResponse:
    return JSONResponse({"who": request.scope[PRINCIPAL].id, "by": request.scope[CREDENTIAL]})


def endpoint(access: Access | None) -> Endpoint:
    async def answer(request: Request) -> JSONResponse:
        return await who(request)

    return answer if access is None else declare(access)(answer)


def asked_by(policy: Keys | LocalAccess, **routes: Access | None) -> TestClient:
    methods = ["GET", "POST"]
    made = [Route(f"/{path}", endpoint(access), methods=methods) for path, access in routes.items()]
    app = Starlette(routes=made)
    return TestClient(Guard(app, policy, app.router), base_url="http://127.0.0.1:7878")


def test_a_route_that_declares_nothing_answers_nobody() -> None:
    client = asked_by(Keys(), undeclared=None, open=OPEN)
    for headers in ({}, {"Authorization": "Bearer anna-writes"}):
        refused = client.get("/undeclared", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (500, "internal")
    assert client.get("/open").json() == {"who": "unknown", "by": "nothing"}


def test_a_mount_declares_nothing() -> None:
    app = Starlette(routes=[Mount("/files", app=JSONResponse({}))])
    client = TestClient(Guard(app, Keys(), app.router))
    assert client.get("/files/x").status_code == 500


def test_nothing_is_answered_that_did_not_pass_the_guard() -> None:
    app = Starlette(routes=[Route("/open", endpoint(OPEN))])
    Guard(app, Keys(), app.router)
    assert TestClient(app, raise_server_exceptions=False).get("/open").status_code == 500


def test_the_principal_comes_from_the_credential_and_from_nothing_else() -> None:
    client = asked_by(Keys(), local=LOCAL)
    shown = {"Authorization": "Bearer anna-reads", "Helix-Client": "bert", "Helix-Project": "other"}
    assert client.get("/local", headers=shown).json() == {"who": "anna", "by": "anna-reads"}


def test_scopes_are_the_policys_to_compare_and_the_challenge_says_what_is_missing() -> None:
    client = asked_by(Keys(), write=bearer("write"))
    refused = client.get("/write", headers={"Authorization": "Bearer anna-reads"})
    assert refused.status_code == 401
    challenge = refused.headers["WWW-Authenticate"]
    assert challenge == 'Bearer resource_metadata="https://helix.example/meta", scope="write"'
    assert client.get("/write", headers={"Authorization": "Bearer anna-writes"}).status_code == 200


def test_a_form_is_accepted_where_it_is_declared_and_json_is_not() -> None:
    client = asked_by(Keys(), token=OPEN.accepting(FORM), either=OPEN.accepting(FORM, JSON), open=OPEN)
    statuses = {
        path: [
            client.post(path, content=b"x", headers={"Content-Type": kind}).status_code
            for kind in (FORM, f"{FORM}; charset=utf-8", JSON, "application/x+json", "text/plain", "")
        ]
        for path in ("/token", "/either", "/open", "/nowhere")
    }
    assert statuses == {
        "/token": [200, 200, 415, 415, 415, 415],
        "/either": [200, 200, 200, 200, 415, 415],
        "/open": [415, 415, 200, 200, 415, 415],
        "/nowhere": [415, 415, 401, 401, 415, 415],
    }
    refused = client.post("/token", content=b"{}", headers={"Content-Type": JSON}).json()["error"]
    assert refused == f"send a form, with the header Content-Type: {FORM}"


def test_where_a_request_comes_from_is_asked_first() -> None:
    client = asked_by(Keys(), undeclared=None, write=bearer("write"))
    for path in ("/undeclared", "/write", "/nowhere"):
        answer = client.post(path, content=b"x", headers={"From": "nowhere"})
        assert answer.status_code == 403, path


def test_the_owner_of_this_machine_is_known_by_coming_in_or_by_the_token() -> None:
    def local(require_token: bool) -> TestClient:
        policy = LocalAccess("127.0.0.1", 7878, lambda: "secret", require_token=require_token)
        return asked_by(policy, open=OPEN, local=LOCAL, bearer=bearer("anything"))

    token = {"Authorization": "Bearer secret"}
    for client in (local(False), local(True)):
        for path in ("/open", "/local", "/bearer"):
            known = client.get(path, headers=token).json()
            assert known["who"] == "local"
            assert known["by"] not in ("local", "secret")
    assert local(False).get("/local").json() == {"who": "local", "by": "local"}
    assert local(True).get("/open").json()["who"] == "unknown"


def test_an_origin_has_the_scheme_by_which_the_request_came() -> None:
    app = Starlette(routes=[Route("/open", endpoint(OPEN))])
    policy = LocalAccess("127.0.0.1", 7878, lambda: "", require_token=False)
    guard = Guard(app, policy, app.router)
    for scheme, other in (("http", "https"), ("https", "http")):
        client = TestClient(guard, base_url=f"{scheme}://127.0.0.1:7878")
        assert client.get("/open", headers={"Origin": f"{scheme}://127.0.0.1:7878"}).status_code == 200
        assert client.get("/open", headers={"Origin": f"{other}://127.0.0.1:7878"}).status_code == 403


OF_THE_DAEMON = {
    "/healthz": OPEN.unlimited().unheard(),
    "/metrics": LOCAL.needing("analytics").unlimited().unheard(),
    "/status": LOCAL.needing("diagnostics").unheard(),
    "/events": LOCAL.needing("recall").unheard(),
    "/hosts": LOCAL.needing("connectors"),
    "/reindex": LOCAL.needing("admin"),
    "/capture": LOCAL.needing("diagnostics"),
    "/capture/on": LOCAL.needing("admin"),
    "/capture/off": LOCAL.needing("admin"),
    "/capture/purge": LOCAL.needing("admin"),
}


def test_every_route_declares_the_permission_that_it_needs() -> None:
    asked_for = {
        (route.path, *(route.methods or ())): access_of(route)
        for route in described_routes()
        if isinstance(route, APIRoute)
    }
    of_verbs = {
        (verb.route.path, verb.route.method): LOCAL.needing(verb.permission).judged_later()
        for verb in VERBS.values()
    }
    of_daemon = {key: access for key, access in asked_for.items() if key not in of_verbs}
    assert {key[0]: access for key, access in of_daemon.items()} == OF_THE_DAEMON
    assert {key: asked_for[key] for key in of_verbs} == of_verbs
    scopes = frozenset[str]().union(*(access.scopes for access in asked_for.values() if access is not None))
    assert scopes <= set(get_args(Permission))


def test_a_permission_of_the_daemons_routes_is_asked_for_like_that_of_a_verb() -> None:
    routes = {path.strip("/"): access for path, access in OF_THE_DAEMON.items()}
    client = asked_by(Keys(), **routes)
    for path, access in routes.items():
        refused = client.get(f"/{path}", headers={"Authorization": "Bearer anna-writes"})
        assert refused.status_code == (401 if access.scopes else 200), path


def test_what_a_route_declares_goes_with_the_request() -> None:
    async def declares(request: Request) -> JSONResponse:
        access = access_in(request.scope)
        return JSONResponse([access.is_unlimited, access.is_work])

    accesses = {"plain": OPEN, "probe": OPEN.unlimited().unheard(), "watch": OPEN.unheard()}

    def route(path: str, access: Access) -> Route:
        async def answer(request: Request) -> JSONResponse:
            return await declares(request)

        return Route(f"/{path}", declare(access)(answer))

    app = Starlette(routes=[route(path, access) for path, access in accesses.items()])
    client = TestClient(Guard(app, Keys(), app.router))
    known = {path: client.get(f"/{path}").json() for path in accesses}
    assert known == {"plain": [False, True], "probe": [True, False], "watch": [False, False]}
