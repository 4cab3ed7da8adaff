"""A program is let in, works, renews itself, and is let out again: over HTTP, with a real daemon."""

from __future__ import annotations

import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from tests.access.team import TeamServed, serving_team
from tests.flows.daemon import running_daemon
from tests.oauth.program import Browser, Program, new_verifier

MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


def opens_mcp(team: TeamServed, token: str) -> int:
    return team.ask("POST", "/mcp", token, MCP, json=HELLO).status_code


def test_a_program_gets_what_a_person_agreed_to_and_no_more(program: Program) -> None:
    team, browser, verifier = program.team, Browser(program.team), new_verifier()
    told = browser.ticket(program.request(verifier, scope="recall remember admin"))
    assert (told["user"], told["client"]) == ("ann", "an editor")
    assert told["scopes"] == ["remember", "recall"]  # ann is no admin
    assert told["sent_to"] == program.redirect_uri
    assert told["workspaces"] == ["main"]
    location = browser.consented(program.request(verifier, scope="recall remember admin"), projects=["shop"])
    back = dict(parse_qsl(urlsplit(location).query))
    assert location.startswith(program.redirect_uri + "?")
    assert (back["state"], back["iss"]) == ("st4te", team.url)
    answer = program.ask(program.form(back["code"], verifier))
    tokens = answer.json()
    assert answer.headers["Cache-Control"] == "no-store"
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 900, "remember recall")
    assert opens_mcp(team, tokens["access_token"]) == 200
    assert team.ask("GET", "/recent", tokens["access_token"]).status_code == 401  # it is for /mcp
    assert (
        team.ask("POST", "/mcp", headers={"x-api-key": tokens["access_token"], **MCP}, json=HELLO).status_code
        == 401
    )


def test_a_token_for_the_whole_server_opens_rest_within_its_scope_and_projects(program: Program) -> None:
    team, browser, verifier = program.team, Browser(program.team), new_verifier()
    asked = program.request(verifier, resource=team.url)
    code = dict(parse_qsl(urlsplit(browser.consented(asked, projects=["shop"])).query))["code"]
    token = program.ask(program.form(code, verifier, resource=team.url)).json()["access_token"]
    me = team.ask("GET", "/me", token).json()
    assert (me["id"], me["projects"], me["permissions"]) == ("ann", ["shop"], ["remember", "recall"])
    assert me["client"] == "an editor"
    assert team.ask("GET", "/recent", token).status_code == 200
    assert team.ask("POST", "/forget", token, json={"id": "mem_x"}).status_code == 403
    elsewhere = {"text": "Somewhere else.", "project": "other"}
    assert team.ask("POST", "/remember", token, json=elsewhere).status_code == 403


def test_a_refresh_token_is_good_once_and_its_second_use_ends_everything(program: Program) -> None:
    first = program.login(Browser(program.team))
    second = program.refresh(first["refresh_token"], scope="recall").json()
    assert second["scope"] == "recall"
    assert opens_mcp(program.team, second["access_token"]) == 200
    third = program.refresh(second["refresh_token"]).json()
    assert third["scope"] == "remember recall"  # what was granted, and not what was last asked for
    again = program.refresh(first["refresh_token"])
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert program.refresh(third["refresh_token"]).json()["error"] == "invalid_grant"
    assert opens_mcp(program.team, third["access_token"]) == 401


def test_of_many_who_renew_with_the_same_token_one_wins_and_then_nobody(program: Program) -> None:
    token = program.login(Browser(program.team))["refresh_token"]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: program.refresh(token), range(8)))
    won = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(won) <= 1
    assert {answer.status_code for answer in answers} <= {200, 400}
    for tokens in won:
        assert opens_mcp(program.team, tokens["access_token"]) == 401


def test_a_code_is_good_once_and_its_second_use_ends_what_came_of_it(program: Program) -> None:
    browser, verifier = Browser(program.team), new_verifier()
    code = program.code(browser, verifier)
    tokens = program.ask(program.form(code, verifier)).json()
    assert program.ask(program.form(code, verifier)).json()["error"] == "invalid_grant"
    assert opens_mcp(program.team, tokens["access_token"]) == 401
    assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_what_is_given_back_or_ended_opens_nothing_from_then_on(program: Program) -> None:
    team = program.team
    tokens = program.login(Browser(team))
    form = {"token": tokens["refresh_token"], "client_id": program.client_id}
    assert program.ask(form, "/auth/revoke").status_code == 200
    assert opens_mcp(team, tokens["access_token"]) == 401
    assert (
        program.ask({"token": "hx_rt_unknown", "client_id": program.client_id}, "/auth/revoke").status_code
        == 200
    )
    ended = program.login(Browser(team))
    mine = [one["id"] for one in team.helix("client", "grants") if one["client"] == program.client_id]
    assert team.helix("client", "end", mine[-1])["state"] == "an admin ended it"
    assert opens_mcp(team, ended["access_token"]) == 401
    removed = program.login(Browser(team))
    team.helix("client", "remove", program.client_id)
    assert opens_mcp(team, removed["access_token"]) == 401


def test_a_stream_ends_with_its_grant(program: Program) -> None:
    team = program.team
    tokens = program.login(Browser(team), resource=team.url)
    is_over = threading.Event()

    def listen() -> None:
        with httpx.stream(
            "GET",
            f"{team.url}/events",
            headers={"Authorization": f"Bearer {tokens['access_token']}"},
            timeout=30,
        ) as stream:
            begun.set()
            for _ in stream.iter_raw():
                pass
        is_over.set()

    begun = threading.Event()
    threading.Thread(target=listen, daemon=True).start()
    assert begun.wait(20)
    program.ask({"token": tokens["access_token"], "client_id": program.client_id}, "/auth/revoke")
    assert is_over.wait(10)


def test_an_admin_may_ask_what_a_token_is_good_for_and_nobody_else(program: Program) -> None:
    team = program.team
    tokens = program.login(Browser(team))

    def ask(key: str | None, token: str) -> httpx.Response:
        return team.ask("POST", "/auth/introspect", key, data={"token": token})

    found = ask(team.keys["root"], tokens["access_token"]).json()
    assert (found["active"], found["username"], found["aud"]) == (True, "ann", program.resource)
    assert ask(team.keys["root"], "hx_at_nobody").json() == {"active": False}
    assert ask(team.keys["ann"], tokens["access_token"]).status_code == 403
    assert ask(None, tokens["access_token"]).status_code == 401


def test_a_program_without_a_browser_waits_for_a_person(team: TeamServed) -> None:
    program, browser = Program(team, "helix-cli"), Browser(team)
    asked = program.ask({"client_id": "helix-cli", "scope": "recall"}, "/auth/device/code").json()
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "helix-cli",
            "device_code": asked["device_code"]}  # fmt: skip
    typed = asked["user_code"].lower().replace("-", " ")
    assert browser.approve("BBBB-BBBB").json()["error"] == "invalid_grant"
    assert browser.approve(typed).json() == {"location": None}
    assert browser.approve(typed).json()["error"] == "invalid_grant"
    tokens = program.ask(form).json()
    assert tokens["scope"] == "recall"
    assert team.ask("GET", "/recent", tokens["access_token"]).status_code == 200
    assert program.ask(form).json()["error"] == "slow_down"
    assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_honeycombs_client_gets_a_token_and_makes_a_key_of_it(team: TeamServed) -> None:
    headers = {"X-Deeplake-Client": "honeycomb"}
    asked = team.ask("POST", "/auth/device/code", headers=headers).json()
    assert set(asked) == {
        "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval",
    }  # fmt: skip
    assert Browser(team).approve(asked["user_code"]).status_code == 200
    tokens = team.ask("POST", "/auth/device/token", json={"device_code": asked["device_code"]}).json()
    me = team.ask("GET", "/me", tokens["access_token"]).json()
    assert (me["id"], me["name"], me["org"]) == ("ann", "ann", "main")
    body = {"name": f"laptop-{me['grant']}", "duration": 31536000, "organization_id": "main"}
    key = team.ask("POST", "/users/me/tokens", tokens["access_token"], json=body).json()["token"]["token"]
    assert team.ask("GET", "/me", key).json()["permissions"] == me["permissions"]
    assert team.ask("POST", "/users/me/tokens", key, json=body).status_code == 409
    for wrong in (
        {"duration": 1},
        {"duration": True},
        {"organization_id": "acme"},
        {"name": ""},
        {"role": "admin"},
    ):
        assert team.ask("POST", "/users/me/tokens", key, json={**body, **wrong}).status_code == 400, wrong


def test_a_denied_program_is_told_so(program: Program) -> None:
    browser, verifier = Browser(program.team), new_verifier()
    location = browser.consented(program.request(verifier), allow=False)
    assert dict(parse_qsl(urlsplit(location).query))["error"] == "access_denied"
    asked = program.ask({"client_id": "helix-cli"}, "/auth/device/code").json()
    assert browser.approve(asked["user_code"], allow=False).status_code == 200
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "helix-cli",
            "device_code": asked["device_code"]}  # fmt: skip
    assert program.ask(form).json()["error"] == "access_denied"


def test_grants_outlive_a_restart_and_no_token_is_in_any_file(tmp_path: Path) -> None:
    with serving_team(tmp_path) as team:
        tokens = Program.known_to(team).login(Browser(team))
        client_id = team.helix("client", "list")[0]["id"]
    file = tmp_path / "config" / "grants.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for each in (path for path in tmp_path.rglob("*") if path.is_file()):
        content = each.read_bytes()
        for token in (tokens["access_token"], tokens["refresh_token"]):
            assert token.encode() not in content, each
    with running_daemon(team.env) as daemon:
        again = TeamServed(daemon, tmp_path, team.env, team.keys)
        assert opens_mcp(again, tokens["access_token"]) == 200
        assert Program(again, client_id).refresh(tokens["refresh_token"]).status_code == 200


def test_who_was_removed_and_comes_back_under_the_name_has_let_nobody_in(tmp_path: Path) -> None:
    with serving_team(tmp_path) as team:
        program = Program.known_to(team)
        tokens = program.login(Browser(team, "bob"))
        team.helix("user", "remove", "bob")
        assert opens_mcp(team, tokens["access_token"]) == 401
        with sqlite3.connect(tmp_path / "config" / "grants.db") as db:
            db.execute("UPDATE grants SET created = created - 5")  # it was granted a while ago
        team.helix("user", "add", "bob")
        assert opens_mcp(team, tokens["access_token"]) == 401
        assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_a_daemon_that_lets_nobody_log_in_says_nothing_of_it(enabled: str, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f"[oauth]\nenabled = {enabled}\nregistration = true\n")
    with serving_team(tmp_path) as team:
        is_on = enabled == "true"
        challenge = team.ask("GET", "/mcp").headers["WWW-Authenticate"]
        assert ("resource_metadata" in challenge) is is_on
        found = team.ask("GET", "/.well-known/oauth-authorization-server", team.keys["ann"])
        assert found.status_code == (200 if is_on else 404)
        registered = team.ask("POST", "/auth/register", json={"redirect_uris": ["http://localhost/cb"]})
        assert registered.status_code == (201 if is_on else 401)
        if is_on:
            program = Program(team, registered.json()["client_id"], "http://localhost:4711/cb")
            assert opens_mcp(team, program.login(Browser(team))["access_token"]) == 200
