"""Everything that must not work, in one table: what is done, and the exact refusal. No answer of them is a 2xx."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest

from tests.access.team import TeamServed, serving_team
from tests.oauth.program import Browser, Program, new_verifier

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
VISIT = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@dataclass
class World:
    """What the cases begin with; nothing in it may be spent by a case."""

    team: TeamServed
    program: Program
    other: Program
    ann: Browser
    bob: Browser

    def tokens(self) -> dict[str, Any]:
        return self.program.login(self.ann)

    def whole(self) -> str:
        return str(self.program.login(self.ann, resource=self.team.url)["access_token"])

    def device(self) -> dict[str, Any]:
        return dict(self.program.ask({"client_id": "helix-cli"}, "/auth/device/code").json())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with serving_team(tmp_path_factory.mktemp("refusals")) as team:
        redirects = ("http://127.0.0.1/callback", "https://editor.example/cb", "editor://done/cb")
        program = Program.known_to(team, "an editor", *redirects)
        yield World(team, program, Program.known_to(team, "another"), Browser(team), Browser(team, "bob"))


def error_of(answer: httpx.Response) -> str:
    """The error, where the answer says it: to the client in an address, in JSON, or on a page."""
    location = answer.headers.get("location")
    if location is not None:
        return str(dict(parse_qsl(urlsplit(location).query))["error"])
    if answer.headers["content-type"].startswith("text/html"):
        return answer.text.partition("<code>")[2].partition("</code>")[0]
    told = answer.json()
    return str(told.get("code", told["error"]))


# The page that asks for consent: what is wrong with the request. None takes a parameter out.
NO_REDIRECT: list[tuple[dict[str, str | None], str]] = [
    ({"client_id": None}, "invalid_client"),
    ({"client_id": ""}, "invalid_client"),
    ({"client_id": "nobody"}, "invalid_client"),
    ({"client_id": "hx_client_0000000000000000"}, "invalid_client"),
    ({"client_id": "helix-cli"}, "invalid_request"),
    ({"client_id": "https://127.0.0.1/client.json"}, "invalid_client"),
    ({"client_id": "https://localhost/client.json"}, "invalid_client"),
    ({"client_id": "https://[::1]/client.json"}, "invalid_client"),
    ({"client_id": "https://10.0.0.1/client.json"}, "invalid_client"),
    ({"client_id": "https://169.254.169.254/latest/meta-data"}, "invalid_client"),
    ({"client_id": "http://editor.example/client.json"}, "invalid_client"),
    ({"client_id": "https://editor.example"}, "invalid_client"),
    ({"client_id": "https://user@editor.example/client.json"}, "invalid_client"),
    ({"client_id": "https://editor.example/a/../client.json"}, "invalid_client"),
    ({"client_id": "https://editor.example/client.json#x"}, "invalid_client"),
    ({"client_id": "https://2130706433/client.json"}, "invalid_client"),
    ({"redirect_uri": None}, "invalid_request"),
    ({"redirect_uri": ""}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/other"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/callback/"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/callback?x=1"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/callback#x"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/Callback"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/a/../callback"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321//callback"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/callback%2f"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1@evil.example/callback"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321@evil.example/callback"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1.evil.example/callback"}, "invalid_request"),
    ({"redirect_uri": "http://localhost:54321/callback"}, "invalid_request"),
    ({"redirect_uri": "http://[::1]:54321/callback"}, "invalid_request"),
    ({"redirect_uri": "https://127.0.0.1:54321/callback"}, "invalid_request"),
    ({"redirect_uri": "HTTP://127.0.0.1:54321/callback"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:99999/callback"}, "invalid_request"),
    ({"redirect_uri": "http://2130706433/callback"}, "invalid_request"),
    ({"redirect_uri": "https://editor.example:444/cb"}, "invalid_request"),
    ({"redirect_uri": "https://editor.example/cb/x"}, "invalid_request"),
    ({"redirect_uri": "https://editor.example.evil.example/cb"}, "invalid_request"),
    ({"redirect_uri": "https://evil.example/cb"}, "invalid_request"),
    ({"redirect_uri": "//evil.example/cb"}, "invalid_request"),
    ({"redirect_uri": "https:evil.example"}, "invalid_request"),
    ({"redirect_uri": "javascript:alert(1)"}, "invalid_request"),
    ({"redirect_uri": "data:text/html,x"}, "invalid_request"),
    ({"redirect_uri": "editor://done/other"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/callback\r\nSet-Cookie: x=1"}, "invalid_request"),
    ({"redirect_uri": "http://127.0.0.1:54321/callback\u00e9"}, "invalid_request"),
    ({"state": "x" * 2001}, "invalid_request"),
    ({"state": "\u00e9"}, "invalid_request"),
    ({"state": "a\nb"}, "invalid_request"),
]
TO_THE_CLIENT: list[tuple[dict[str, str | None], str]] = [
    ({"response_type": None}, "unsupported_response_type"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": "id_token"}, "unsupported_response_type"),
    ({"response_type": "code token"}, "unsupported_response_type"),
    ({"response_type": 'c"ode'}, "unsupported_response_type"),
    ({"response_mode": "fragment"}, "invalid_request"),
    ({"response_mode": "form_post"}, "invalid_request"),
    ({"request": "eyJhbGciOiJub25lIn0.e30."}, "request_not_supported"),
    ({"request_uri": "https://evil.example/r"}, "request_not_supported"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": "s256"}, "invalid_request"),
    ({"code_challenge_method": "S512"}, "invalid_request"),
    ({"code_challenge": "short"}, "invalid_request"),
    ({"code_challenge": "x" * 129}, "invalid_request"),
    ({"code_challenge": "x" * 42 + "="}, "invalid_request"),
    ({"scope": "everything"}, "invalid_scope"),
    ({"scope": "recall everything"}, "invalid_scope"),
    ({"scope": "RECALL"}, "invalid_scope"),
    ({"scope": "recall,remember"}, "invalid_scope"),
    ({"resource": None}, "invalid_target"),
    ({"resource": "https://evil.example/mcp"}, "invalid_target"),
    ({"resource": "{base}@evil.example/mcp"}, "invalid_target"),
    ({"resource": "{base}.evil.example/mcp"}, "invalid_target"),
    ({"resource": "{base}/mcp?x=1"}, "invalid_target"),
    ({"resource": "{base}/mcp#x"}, "invalid_target"),
    ({"resource": "{base}/mcp/../recent"}, "invalid_target"),
    ({"resource": "{base}/mcp//x"}, "invalid_target"),
    ({"resource": "{base}/%6dcp"}, "invalid_target"),
    ({"resource": "/mcp"}, "invalid_target"),
    ({"resource": "mcp"}, "invalid_target"),
    ({"resource": "http://127.0.0.1:1/mcp"}, "invalid_target"),
    ({"resource": "ftp://127.0.0.1/mcp"}, "invalid_target"),
]  # fmt: skip


def changed(world: World, changes: dict[str, str | None]) -> dict[str, str]:
    filled = {
        name: None if value is None else value.replace("{base}", world.team.url)
        for name, value in changes.items()
    }
    return world.program.request(new_verifier(), **filled)


@pytest.mark.parametrize(("changes", "error"), NO_REDIRECT, ids=str)
def test_a_request_that_may_come_from_anybody_sends_nobody_anywhere(
    changes: dict[str, str | None], error: str, world: World
) -> None:
    asked = changed(world, changes)
    page = world.ann.http.get("/auth/authorize", params=asked, headers=VISIT)
    assert (page.status_code, error_of(page)) == (400, error)
    assert "location" not in page.headers
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    api = world.ann.post("/auth/consent", {"query": urlencode(asked)})
    assert (api.status_code, error_of(api)) == (400, error)


@pytest.mark.parametrize(("changes", "error"), TO_THE_CLIENT, ids=str)
def test_a_client_is_told_what_is_wrong_with_its_request_and_gets_no_code(
    changes: dict[str, str | None], error: str, world: World
) -> None:
    page = world.ann.http.get("/auth/authorize", params=changed(world, changes))
    assert (page.status_code, error_of(page)) == (302, error)
    back = urlsplit(page.headers["location"])
    assert f"{back.scheme}://{back.netloc}{back.path}" == world.program.redirect_uri
    told = dict(parse_qsl(back.query))
    assert (told["state"], told["iss"]) == ("st4te", world.team.url)
    assert "code" not in told
    api = world.ann.post("/auth/consent", {"query": urlencode(changed(world, changes))}).json()
    assert "ticket" not in api
    assert f"error={error}" in api["location"]


@pytest.mark.parametrize(
    "name", ["client_id", "redirect_uri", "scope", "state", "code_challenge", "resource"]
)
def test_a_parameter_that_stands_there_twice_is_refused(name: str, world: World) -> None:
    asked = [*changed(world, {}).items(), (name, "x")]
    page = world.ann.http.get("/auth/authorize?" + urlencode(asked))
    assert (page.status_code, error_of(page)) == (
        400,
        "invalid_target" if name == "resource" else "invalid_request",
    )


# The token endpoint: each changes one thing about what would work.
TOKEN: list[tuple[dict[str, str | None], int, str]] = [
    ({"grant_type": None}, 400, "unsupported_grant_type"),
    ({"grant_type": "password"}, 400, "unsupported_grant_type"),
    ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
    ({"grant_type": "implicit"}, 400, "unsupported_grant_type"),
    ({"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}, 400, "unsupported_grant_type"),
    ({"code": None}, 400, "invalid_request"),
    ({"code": "hx_ac_" + "x" * 43}, 400, "invalid_grant"),
    ({"code": "{refresh}"}, 400, "invalid_grant"),
    ({"client_id": None}, 400, "invalid_client"),
    ({"client_id": "nobody"}, 400, "invalid_client"),
    ({"client_id": "helix-cli"}, 400, "unauthorized_client"),
    ({"client_id": "{other}"}, 400, "invalid_grant"),
    ({"client_secret": "x"}, 400, "invalid_client"),
    ({"redirect_uri": None}, 400, "invalid_grant"),
    ({"redirect_uri": "http://127.0.0.1:54322/callback"}, 400, "invalid_grant"),
    ({"redirect_uri": "https://editor.example/cb"}, 400, "invalid_grant"),
    ({"code_verifier": None}, 400, "invalid_request"),
    ({"code_verifier": "x" * 43}, 400, "invalid_grant"),
    ({"code_verifier": "short"}, 400, "invalid_request"),
    ({"code_verifier": "x" * 129}, 400, "invalid_request"),
    ({"code_verifier": "{challenge}"}, 400, "invalid_grant"),
    ({"resource": "https://evil.example/mcp"}, 400, "invalid_target"),
    ({"resource": "{base}"}, 400, "invalid_target"),
    ({"resource": "{base}/mcp/vault"}, 400, "invalid_target"),
]
REFRESH: list[tuple[dict[str, str | None], int, str]] = [
    ({"refresh_token": None}, 400, "invalid_request"),
    ({"refresh_token": "hx_rt_" + "x" * 43}, 400, "invalid_grant"),
    ({"refresh_token": "{access}"}, 400, "invalid_grant"),
    ({"client_id": None}, 400, "invalid_client"),
    ({"client_id": "{other}"}, 400, "invalid_grant"),
    ({"client_id": "helix-cli"}, 400, "invalid_grant"),
    ({"scope": "recall remember forget"}, 400, "invalid_scope"),
    ({"scope": "admin"}, 400, "invalid_scope"),
    ({"resource": "{base}"}, 400, "invalid_target"),
    ({"resource": "https://evil.example"}, 400, "invalid_target"),
    ({"client_secret": "x"}, 400, "invalid_client"),
]


def filled(changes: dict[str, str | None], **known: str) -> dict[str, str | None]:
    return {
        name: known.get(value[1:-1], value)
        if value and value.startswith("{") and value.endswith("}")
        else value
        for name, value in changes.items()
    }


@pytest.mark.parametrize(("changes", "status", "error"), TOKEN, ids=str)
def test_no_token_comes_of_a_code_that_is_not_redeemed_as_it_was_made(
    changes: dict[str, str | None], status: int, error: str, world: World
) -> None:
    verifier, base = new_verifier(), world.team.url
    code = world.program.code(world.ann, verifier)
    asked = world.program.request(verifier)
    known = {
        "other": world.other.client_id,
        "challenge": asked["code_challenge"],
        "base": base,
        "refresh": "hx_rt_x",
    }
    values = {
        name: value if value is None else value.replace("{base}/", f"{base}/")
        for name, value in changes.items()
    }
    answer = world.program.ask(world.program.form(code, verifier, **filled(values, **known)))
    assert (answer.status_code, error_of(answer)) == (status, error)
    # What was refused did not use it up, unless that was what was wrong.
    assert world.program.ask(world.program.form(code, verifier)).status_code == 200


@pytest.mark.parametrize(("changes", "status", "error"), REFRESH, ids=str)
def test_no_token_comes_of_a_refresh_token_in_the_wrong_hands(
    changes: dict[str, str | None], status: int, error: str, world: World
) -> None:
    tokens = world.tokens()
    known = {"other": world.other.client_id, "access": tokens["access_token"], "base": world.team.url}
    form = {
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"],
        "client_id": world.program.client_id, **filled(changes, **known),
    }  # fmt: skip
    answer = world.program.ask({name: value for name, value in form.items() if value is not None})
    assert (answer.status_code, error_of(answer)) == (status, error)
    assert world.program.refresh(tokens["refresh_token"]).status_code == 200


Step = Callable[[World], httpx.Response]


def redeem(world: World, **changes: Any) -> httpx.Response:
    verifier = new_verifier()
    code = world.program.code(world.ann, verifier)
    return world.program.ask(world.program.form(code, verifier), **changes)


def decided(world: World, browser: Browser | None = None, **decision: Any) -> httpx.Response:
    told = world.ann.ticket(world.program.request(new_verifier()))
    return (browser or world.ann).post(
        "/auth/decision", {"ticket": told["ticket"], "allow": True, **decision}
    )


def decided_twice(world: World) -> httpx.Response:
    body = {"ticket": world.ann.ticket(world.program.request(new_verifier()))["ticket"], "allow": True}
    assert world.ann.post("/auth/decision", body).status_code == 200
    return world.ann.post("/auth/decision", body)


def forged(world: World, **headers: str) -> httpx.Response:
    """From another page, with the cookie that the browser would not even send."""
    told = world.ann.ticket(world.program.request(new_verifier()))
    own = {"Origin": world.team.url, "Sec-Fetch-Site": "same-origin", "Helix-Page": "1"}
    with httpx.Client(base_url=world.team.url, cookies=dict(world.ann.http.cookies)) as http:
        sent = {name: value for name, value in {**own, **headers}.items() if value}
        return http.post("/auth/decision", json={"ticket": told["ticket"], "allow": True}, headers=sent)


def form_of_another_page(world: World) -> httpx.Response:
    return world.ann.http.post("/auth/decision", data={"ticket": "x", "allow": "true"})


def nobody(world: World, path: str, body: Any) -> httpx.Response:
    return world.team.ask("POST", path, json=body)


def with_key(world: World) -> httpx.Response:
    """A program that has a key of ann's lets in another one for her."""
    return world.team.ask("POST", "/auth/consent", world.team.keys["ann"], json={"query": "x"})


def with_token(world: World) -> httpx.Response:
    asked = urlencode(world.program.request(new_verifier()))
    return world.team.ask("POST", "/auth/consent", world.whole(), json={"query": asked})


def poll(world: World, **changes: str) -> httpx.Response:
    form = {
        "grant_type": DEVICE,
        "client_id": "helix-cli",
        "device_code": world.device()["device_code"],
        **changes,
    }
    return world.program.ask(form)


def shown(world: World, token: str, path: str = "/mcp", **headers: str) -> httpx.Response:
    sent = {"Authorization": f"Bearer {token}", **MCP, **headers}
    return world.team.ask(
        "POST", path, headers={name: value for name, value in sent.items() if value}, json=HELLO
    )


def revoked(world: World) -> str:
    tokens = world.tokens()
    world.program.ask({"token": tokens["access_token"], "client_id": world.program.client_id}, "/auth/revoke")
    return str(tokens["access_token"])


def in_address(world: World, name: str) -> httpx.Response:
    return world.team.ask("POST", f"/mcp?{name}={world.tokens()['access_token']}", headers=MCP, json=HELLO)


def narrowed(world: World, path: str, body: Any) -> httpx.Response:
    token = world.program.login(world.ann, resource=world.team.url, scope="recall")["access_token"]
    return world.team.ask("POST", path, token, json=body)


def typed(world: World, code: object) -> httpx.Response:
    return world.ann.post("/auth/consent", {"user_code": code})


def fixed_session(world: World) -> httpx.Response:
    """Somebody plants a cookie that they know, and it is nobody's."""
    with httpx.Client(base_url=world.team.url, headers=dict(world.ann.http.headers)) as http:
        name = next(iter(world.ann.http.cookies))
        http.cookies.set(name, "A" * 43)
        return http.post("/auth/consent", json={"query": "x"})


OTHERS: list[tuple[str, Step, int, str]] = [
    ("a form that is no form", lambda w: redeem(w, headers={"Content-Type": "application/json"}), 415, "not-json"),
    ("a token request from another page", lambda w: redeem(w, headers={"Origin": "https://evil.example"}), 403, "wrong-origin"),
    ("a token request of no page", lambda w: redeem(w, headers={"Origin": "null"}), 403, "wrong-origin"),
    ("a token request by another name", lambda w: redeem(w, headers={"Host": "evil.example"}), 421, "wrong-host"),
    ("a client that shows a secret", lambda w: redeem(w, headers={"Authorization": "Basic eDp5"}), 401, "invalid_client"),
    ("a code in the address", lambda w: w.program.ask({}, "/auth/token?grant_type=authorization_code&code=x"), 400, "unsupported_grant_type"),
    ("a GET for tokens", lambda w: w.team.ask("GET", "/auth/token"), 405, "wrong-method"),
    ("a body of nothing", lambda w: w.program.ask({}), 400, "unsupported_grant_type"),
    ("a parameter twice", lambda w: w.team.ask("POST", "/auth/token", content="grant_type=a&grant_type=b", headers={"Content-Type": "application/x-www-form-urlencoded"}), 400, "invalid_request"),
    ("too many parameters", lambda w: w.program.ask({f"p{n}": "x" for n in range(50)}), 400, "invalid_request"),
    ("a parameter that is too long", lambda w: w.program.ask({"code": "x" * 3000}), 400, "invalid_request"),
    ("a decision with the ticket of another", lambda w: decided(w, w.bob), 403, "forbidden"),
    ("a decision with a made-up ticket", lambda w: w.ann.post("/auth/decision", {"ticket": "x", "allow": True}), 403, "forbidden"),
    ("a decision without a ticket", lambda w: w.ann.post("/auth/decision", {"allow": True}), 403, "forbidden"),
    ("a decision that is none", lambda w: decided(w, allow="true"), 400, "bad-value"),
    ("a decision twice", decided_twice, 403, "forbidden"),
    ("more scopes than were asked for", lambda w: decided(w, scopes=["recall", "forget"]), 400, "bad-value"),
    ("no scopes", lambda w: decided(w, scopes=[]), 400, "bad-value"),
    ("a workspace of others", lambda w: decided(w, workspace="acme.web"), 400, "bad-value"),
    ("projects that are none", lambda w: decided(w, projects="shop"), 400, "bad-value"),
    ("too many projects", lambda w: decided(w, projects=[f"p{n}" for n in range(50)]), 400, "bad-value"),
    ("a decision from another site", lambda w: forged(w, Origin="https://evil.example"), 403, "wrong-origin"),
    ("a decision from a sandboxed frame", lambda w: forged(w, Origin="null"), 403, "wrong-origin"),
    ("a decision across sites", lambda w: forged(w, **{"Sec-Fetch-Site": "cross-site"}), 403, "wrong-origin"),
    ("a decision from a neighbouring host", lambda w: forged(w, **{"Sec-Fetch-Site": "same-site"}), 403, "wrong-origin"),
    ("a decision that no page of ours made", lambda w: forged(w, **{"Helix-Page": ""}), 403, "wrong-origin"),
    ("a decision that does not say whence", lambda w: forged(w, Origin="", **{"Sec-Fetch-Site": ""}), 403, "wrong-origin"),
    ("a decision as a form", form_of_another_page, 415, "not-json"),
    ("a visit to a decision", lambda w: w.ann.http.get("/auth/decision", headers=VISIT), 403, "wrong-origin"),
    ("consent of nobody", lambda w: nobody(w, "/auth/consent", {"query": "x"}), 401, "unauthorized"),
    ("a decision of nobody", lambda w: nobody(w, "/auth/decision", {"ticket": "x", "allow": True}), 401, "unauthorized"),
    ("consent by a key", with_key, 401, "unauthorized"),
    ("consent by a token", with_token, 401, "unauthorized"),
    ("consent in a planted session", fixed_session, 401, "unauthorized"),
    ("consent to nothing", lambda w: w.ann.post("/auth/consent", {}), 400, "bad-value"),
    ("consent to a list", lambda w: w.ann.post("/auth/consent", []), 400, "bad-request"),
    ("the page in a frame", lambda w: w.ann.http.get("/auth/authorize", headers={**VISIT, "Sec-Fetch-Dest": "iframe"}), 403, "wrong-origin"),
    ("the page fetched by another", lambda w: w.ann.http.get("/auth/authorize", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}), 403, "wrong-origin"),
    ("the page posted to by another", lambda w: w.ann.http.post("/auth/authorize", headers=VISIT), 403, "wrong-origin"),
    ("a page with nothing asked", lambda w: w.ann.http.get("/auth/authorize"), 400, "invalid_client"),
    ("a file beside the page", lambda w: w.ann.http.get("/auth/page/..%2fconsent.py"), 404, "no-such-path"),
    ("a code that nobody waits with", lambda w: typed(w, "BBBB-BBBB"), 400, "invalid_grant"),
    ("a code with other letters", lambda w: typed(w, "AAAA-AAAA"), 400, "invalid_grant"),
    ("a code that is too short", lambda w: typed(w, "BBBB"), 400, "invalid_grant"),
    ("an empty code", lambda w: typed(w, ""), 400, "invalid_grant"),
    ("a code that is a pattern", lambda w: typed(w, "%%%%-%%%%"), 400, "invalid_grant"),
    ("a code that is no text", lambda w: typed(w, 12345678), 400, "bad-value"),
    ("the long code typed", lambda w: typed(w, w.device()["device_code"]), 400, "invalid_grant"),
    ("polling before anybody decided", poll, 400, "authorization_pending"),
    ("polling with the code of nobody", lambda w: poll(w, device_code="hx_dc_" + "x" * 43), 400, "invalid_grant"),
    ("polling with the typed code", lambda w: poll(w, device_code=w.device()["user_code"]), 400, "invalid_grant"),
    ("polling as another client", lambda w: poll(w, client_id="honeycomb"), 400, "unauthorized_client"),
    ("polling as a client of an admin", lambda w: poll(w, client_id=w.other.client_id), 400, "unauthorized_client"),
    ("polling for another resource", lambda w: poll(w, resource="https://evil.example"), 400, "invalid_target"),
    ("polling without a code", lambda w: poll(w, device_code=""), 400, "invalid_request"),
    ("polling with JSON without a code", lambda w: nobody(w, "/auth/device/token", {}), 400, "invalid_request"),
    ("waiting as nobody", lambda w: w.program.ask({}, "/auth/device/code"), 401, "invalid_client"),
    ("waiting as an unknown client", lambda w: w.program.ask({"client_id": "x"}, "/auth/device/code"), 401, "invalid_client"),
    ("waiting for an unknown scope", lambda w: w.program.ask({"client_id": "helix-cli", "scope": "all"}, "/auth/device/code"), 400, "invalid_scope"),
    ("waiting for another resource", lambda w: w.program.ask({"client_id": "helix-cli", "resource": "https://evil.example"}, "/auth/device/code"), 400, "invalid_target"),
    ("waiting with a list", lambda w: nobody(w, "/auth/device/code", []), 400, "invalid_request"),
    ("waiting with numbers", lambda w: nobody(w, "/auth/device/code", {"client_id": 1}), 400, "invalid_request"),
    ("registering where that is off", lambda w: nobody(w, "/auth/register", {}), 401, "unauthorized"),
    ("revoking nothing", lambda w: w.program.ask({"client_id": w.program.client_id}, "/auth/revoke"), 400, "invalid_request"),
    ("revoking as nobody", lambda w: w.program.ask({"token": "x"}, "/auth/revoke"), 400, "invalid_client"),
    ("revoking what is another's", lambda w: w.other.ask({"token": w.tokens()["access_token"], "client_id": w.other.client_id}, "/auth/revoke"), 400, "invalid_grant"),
    ("revoking an unknown kind", lambda w: w.program.ask({"token": "x", "token_type_hint": "key", "client_id": w.program.client_id}, "/auth/revoke"), 401, "unsupported_token_type"),
    ("introspecting as nobody", lambda w: w.program.ask({"token": "x"}, "/auth/introspect"), 401, "unauthorized"),
    ("introspecting with its own token", lambda w: w.team.ask("POST", "/auth/introspect", w.whole(), data={"token": "x"}), 403, "forbidden"),
    ("no token", lambda w: w.team.ask("POST", "/mcp", headers=MCP, json=HELLO), 401, "unauthorized"),
    ("a made-up token", lambda w: shown(w, "hx_at_" + "x" * 43), 401, "unauthorized"),
    ("half a token", lambda w: shown(w, w.tokens()["access_token"][:-1]), 401, "unauthorized"),
    ("a refresh token as an access token", lambda w: shown(w, w.tokens()["refresh_token"]), 401, "unauthorized"),
    ("a token in the header of keys", lambda w: shown(w, "", **{"Authorization": "", "x-api-key": w.tokens()["access_token"]}), 401, "unauthorized"),
    ("a token under another scheme", lambda w: shown(w, "", Authorization=f"Basic {w.tokens()['access_token']}"), 401, "unauthorized"),
    ("a token without a scheme", lambda w: shown(w, "", Authorization=w.tokens()["access_token"]), 401, "unauthorized"),
    ("a token and a key", lambda w: shown(w, w.tokens()["access_token"], **{"x-api-key": w.team.keys["bob"]}), 401, "unauthorized"),
    ("a token beside itself", lambda w: shown(w, t := w.tokens()["access_token"], **{"x-api-key": t}), 401, "unauthorized"),
    ("a token that was given back", lambda w: shown(w, revoked(w)), 401, "unauthorized"),
    ("a token for MCP at REST", lambda w: w.team.ask("GET", "/recent", w.tokens()["access_token"]), 401, "unauthorized"),
    ("a token for MCP making a key", lambda w: w.team.ask("POST", "/users/me/tokens", w.tokens()["access_token"], json={"name": "x", "duration": 86400}), 401, "unauthorized"),
    ("a token for MCP at another workspace", lambda w: shown(w, w.tokens()["access_token"], "/w/main/mcp"), 401, "unauthorized"),
    ("a token for one dialect at another", lambda w: shown(w, w.program.login(w.ann, resource=f"{w.team.url}/mcp/vault")["access_token"], "/mcp/zaxy"), 401, "unauthorized"),
    ("a token for what begins alike", lambda w: shown(w, w.program.login(w.ann, resource=f"{w.team.url}/mcp/vau")["access_token"], "/mcp/vault"), 401, "unauthorized"),
    ("a token in the address", lambda w: in_address(w, "access_token"), 400, "bad-request"),
    ("a token in the address under another name", lambda w: in_address(w, "t"), 400, "bad-request"),
    ("a token from another page", lambda w: shown(w, w.tokens()["access_token"], Origin="https://evil.example"), 403, "wrong-origin"),
    ("a token at another name", lambda w: shown(w, w.tokens()["access_token"], Host="evil.example"), 421, "wrong-host"),
    ("a scope that writes nothing, writing", lambda w: narrowed(w, "/remember", {"text": "Not allowed to."}), 403, "forbidden"),
    ("a scope that forgets nothing, forgetting", lambda w: narrowed(w, "/forget", {"id": "mem_x"}), 403, "forbidden"),
    ("a scope of a user, as an admin", lambda w: narrowed(w, "/reindex", {}), 403, "forbidden"),
    ("a workspace that was not granted", lambda w: w.team.ask("GET", "/recent", w.whole(), {"Helix-Workspace": "other"}), 403, "forbidden"),
    ("who I am as nobody", lambda w: w.team.ask("GET", "/me"), 401, "unauthorized"),
    ("a key as nobody", lambda w: nobody(w, "/users/me/tokens", {"name": "x", "duration": 86400}), 401, "unauthorized"),
    ("a key for the owner of the machine", lambda w: w.team.ask("POST", "/users/me/tokens", w.team.owner_token, json={"name": "x", "duration": 86400}), 403, "forbidden"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "status", "error"), [case[1:] for case in OTHERS], ids=[case[0] for case in OTHERS]
)
def test_nothing_else_gets_anybody_in(step: Step, status: int, error: str, world: World) -> None:
    answer = step(world)
    assert (answer.status_code, error_of(answer)) == (status, error), answer.text


def test_the_table_is_long_enough() -> None:
    assert len(NO_REDIRECT) + len(TO_THE_CLIENT) + len(TOKEN) + len(REFRESH) + len(OTHERS) >= 120


def test_whoever_guesses_codes_is_slowed_down_wherever_they_sit(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    limits = {"failures": 5, "logins": 3}
    with serving_team(tmp_path_factory.mktemp("guesses"), limits=limits) as team:
        browser, program = Browser(team), Program(team, "helix-cli")
        answers = [browser.approve("BBBB-BBBB").status_code for _ in range(7)]
        assert answers == [400] * 5 + [429] * 2
        assert program.ask({"client_id": "helix-cli"}, "/auth/device/code").status_code == 429
    with serving_team(tmp_path_factory.mktemp("logins"), limits=limits) as team:
        begun = [Program(team, "x").ask({"client_id": "helix-cli"}, "/auth/device/code") for _ in range(4)]
        assert [answer.status_code for answer in begun] == [200] * 3 + [429]
        assert "Retry-After" in begun[-1].headers
        tries = [Program(team, "helix-cli").refresh("hx_rt_" + "x" * 43).status_code for _ in range(7)]
        assert tries == [400] * 5 + [429] * 2
