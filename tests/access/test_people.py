"""The routes by which admins look after users and keys: for admins, of their own org, and for no more than they may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helix.access.credentials import Credentials
from tests.access.team import TeamServed, id_of

ROUTES = [
    ("GET", "/users"), ("POST", "/users"), ("POST", "/users/ann/remove"), ("POST", "/users/ann/sign-out"),
    ("POST", "/users/ann/password"), ("GET", "/keys"), ("POST", "/keys"), ("POST", "/keys/x/revoke"),
]  # fmt: skip


def send(team: TeamServed, key: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    answer = team.ask("POST", path, key, json=body)
    return answer.status_code, answer.json()


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=str)
def test_they_are_for_admins(method: str, path: str, team: TeamServed) -> None:
    body: dict[str, str] | None = None if method == "GET" else {}
    assert team.ask(method, path, json=body).status_code == 401
    for user in ("ann", "olga", "rea"):
        answer = team.ask(method, path, team.keys[user], json=body)
        assert answer.status_code == 403, (user, path)
        assert "'admin'" in answer.json()["error"]
    for admin in (team.keys["root"], team.owner_token):
        if method == "GET":
            assert team.ask(method, path, admin).status_code == 200


def test_a_user_is_added_given_a_key_and_removed(team: TeamServed) -> None:
    root = team.keys["root"]
    assert send(team, root, "/users", {"user": "vic"}) == (
        200,
        {"user": "vic", "role": "agent", "org": "main"},
    )
    assert send(team, root, "/users", {"user": "vic"})[0] == 409
    status, made = send(
        team, root, "/keys", {"user": "vic", "name": "laptop", "projects": ["shop"], "expires": "30d"}
    )
    assert status == 200, made
    assert (made["name"], made["projects"], made["user"]) == ("laptop", ["shop"], "vic")
    assert team.ask("GET", "/recent", made["key"]).status_code == 200
    listed = team.ask("GET", "/keys", root).text
    assert made["id"] in listed
    assert made["key"].partition(".")[2] not in listed
    assert send(team, root, f"/keys/{made['id']}/revoke", {})[0] == 200
    assert team.ask("GET", "/recent", made["key"]).status_code == 401
    _, other = send(team, root, "/keys", {"user": "vic", "connector": "github"})
    assert other["permissions"] == ["documents", "recall", "remember"]
    assert send(team, root, "/users/vic/remove", {}) == (200, {"user": "vic", "revoked_keys": 1})
    assert team.ask("GET", "/recent", other["key"]).status_code == 401
    assert "vic" not in [user["user"] for user in team.ask("GET", "/users", root).json()["users"]]


def test_what_is_wrong_is_told_without_what_was_sent(team: TeamServed) -> None:
    root = team.keys["root"]
    for path, body in (
        ("/users/ann/password", {"password": 31337}),
        ("/users/ann/password", {"password": "too-short"}),
        ("/users/ann/password", {"pass": "a whole sentence of secrets"}),
        ("/keys", {"user": "ann", "roll": "admin"}),
        ("/users", {"user": "Ann!"}),
    ):
        status, told = send(team, root, path, body)
        assert (status, told["code"]) == (400, "bad-value"), (path, told)
        for value in body.values():
            assert str(value) not in told["error"] or path == "/users"
    assert send(team, root, "/users/ghost/remove", {})[0] == 404
    assert send(team, root, "/keys/0000000000000000/revoke", {})[0] == 404


def test_nobody_gives_more_than_they_came_with(team: TeamServed) -> None:
    only_admin = team.key("root", permissions=frozenset({"admin", "recall"}))
    in_shop = team.key("root", projects=frozenset({"shop"}))
    for key in (only_admin, in_shop):
        assert send(team, key, "/users", {"user": "mallory", "role": "admin"})[0] == 403
        assert send(team, key, "/keys", {"user": "root"})[0] == 403
        assert send(team, key, "/users/root/password", {"password": "four ships sail at dawn"})[0] == 403
    assert send(team, only_admin, "/keys", {"user": "root", "permissions": ["recall"]})[0] == 200
    assert send(team, in_shop, "/keys", {"user": "root", "permissions": ["recall"]})[0] == 403


def test_an_admin_knows_nobody_of_another_org(team: TeamServed) -> None:
    credentials = Credentials(team.place / "config")
    credentials.add_user("zoe", "admin", org="acme")
    key, _ = credentials.create_key("zoe")
    credentials.close()
    root = team.keys["root"]
    for path in ("/users", "/keys"):
        assert "zoe" not in team.ask("GET", path, root).text
        assert "zoe" in team.ask("GET", path, team.owner_token).text
    unknown = send(team, root, "/users/nobody-at-all/remove", {})
    hidden = send(team, root, "/users/zoe/remove", {})
    assert (hidden[0], hidden[1]["error"].replace("zoe", "nobody-at-all")) == (404, unknown[1]["error"])
    assert send(team, root, f"/keys/{key.id}/revoke", {})[0] == 404
    assert send(team, root, "/keys", {"user": "zoe"})[0] == 404
    assert send(team, root, "/users/zoe/password", {"password": "four ships sail at dawn"})[0] == 404


def test_it_is_written_down_who_did_what_with_whom(team: TeamServed) -> None:
    root = team.keys["root"]
    send(team, root, "/users", {"user": "walt"})
    send(team, root, "/users/walt/password", {"password": "four ships sail at dawn"})
    _, made = send(team, root, "/keys", {"user": "walt"})
    lines = team.ask("GET", "/audit?user=root&limit=20", team.owner_token).json()["entries"]
    told = {line["what"]: line["ids"] for line in reversed(lines)}
    assert told["POST /users"] == ["walt"]
    assert told["POST /users/{name}/password"] == ["walt"]
    assert told["POST /keys"] == ["walt", made["id"]]
    assert "four ships" not in json.dumps(lines)
    assert made["key"].partition(".")[2] not in json.dumps(lines)
    assert id_of(root) in {line["key"] for line in lines}
