"""Users and keys as people meet them: made, shown, narrowed, taken back while somebody listens."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from helix.access.api_key import SPELLINGS, hash_secret, is_secret, make_key, parse_key, spelled_for
from helix.access.credentials import Credentials, KeyBounds
from helix.access.credentials_file import CREDENTIALS_FILE
from helix.errors import AlreadyExists, BadValue, ConfigError, CredentialNotFound
from tests.access.team import TeamServed, id_of
from tests.cli.commands import helix
from tests.surfaces.conftest import surroundings
from tests.waiting import wait_for

MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@pytest.fixture
def credentials(tmp_path: Path) -> Iterator[Credentials]:
    opened = Credentials(tmp_path / "config")
    yield opened
    opened.close()


def test_a_key_is_kept_as_a_salted_hash_that_says_what_it_cost() -> None:
    key = make_key()
    kept = hash_secret(key.secret)
    assert kept.startswith("scrypt$16384$8$1$")
    assert key.secret not in kept
    assert hash_secret(key.secret) != kept
    assert is_secret(key.secret, kept)
    assert not is_secret(key.secret[:-1], kept)
    assert parse_key(key.text) == key


def test_a_key_is_the_same_in_every_spelling_and_none_of_them_stands_in_an_address(team: TeamServed) -> None:
    key = team.key("ann")
    spelled = [spelled_for(dialect, key) for dialect in SPELLINGS]
    assert [text.partition(id_of(key))[0] for text in spelled] == ["hx_sk_", "nm_"]
    for text in spelled:
        assert parse_key(text) == parse_key(key)
        assert team.ask("GET", "/recent", text).status_code == 200
        assert team.ask("GET", f"/recent?key={text}").status_code == 400
        refused = team.ask("POST", "/remember", key, json={"text": f"The key of the shed is {text}"})
        assert refused.json()["code"] == "secret-refused"
    assert team.ask("GET", "/recent", f"nm_{id_of(key)}.{'x' * 43}").status_code == 401
    assert team.ask("GET", "/recent?project=nm_x", key).status_code == 200


def test_a_hash_of_another_cost_is_still_understood_and_a_damaged_one_opens_nothing() -> None:
    import base64
    import hashlib

    digest = hashlib.scrypt(b"word", salt=b"0123456789abcdef", n=1024, r=8, p=1, dklen=32)
    salt, kept = (base64.urlsafe_b64encode(one).decode().rstrip("=") for one in (b"0123456789abcdef", digest))
    assert is_secret("word", f"scrypt$1024$8$1${salt}${kept}")
    for damaged in (
        "",
        "scrypt",
        "plain$word",
        f"scrypt$99999999999$8$1${salt}${kept}",
        f"scrypt$a$8$1${salt}$x",
    ):
        assert not is_secret("word", damaged)


def test_the_file_is_its_owners_alone_and_whole_when_nobody_writes(
    credentials: Credentials, tmp_path: Path
) -> None:
    credentials.add_user("ann", "agent")
    credentials.create_key("ann")
    file = tmp_path / "config" / CREDENTIALS_FILE
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert [one.name for one in file.parent.iterdir()] == [CREDENTIALS_FILE]
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / CREDENTIALS_FILE).write_bytes(file.read_bytes())
    assert [key.user for key in Credentials(copy).list_keys()] == ["ann"]


def test_a_damaged_file_lets_nobody_in_and_is_not_begun_anew(tmp_path: Path) -> None:
    (tmp_path / CREDENTIALS_FILE).write_bytes(
        b"not a database at all, and longer than its header would be" * 3
    )
    with pytest.raises(ConfigError, match="backup"):
        Credentials(tmp_path)
    assert (tmp_path / CREDENTIALS_FILE).read_bytes().startswith(b"not a database")


@pytest.mark.parametrize(
    "name", ["", "Ann", "a b", "-ann", "ann-", "local", "team", "a" * 65, "ann/bob", "ä"]
)
def test_a_name_that_could_mean_something_else_is_refused(name: str, credentials: Credentials) -> None:
    with pytest.raises(BadValue):
        credentials.add_user(name, "agent")


def test_a_key_is_never_good_for_more_than_its_user_may(credentials: Credentials) -> None:
    credentials.add_user("rea", "readonly")
    for wanted in ({"role": "agent"}, {"bounds": KeyBounds(permissions=frozenset({"forget"}))}):
        with pytest.raises(BadValue, match="readonly may recall"):
            credentials.create_key("rea", **wanted)
    with pytest.raises(BadValue, match="no role"):
        credentials.add_user("x", "king")
    with pytest.raises(AlreadyExists):
        credentials.add_user("rea", "agent")
    with pytest.raises(CredentialNotFound):
        credentials.create_key("nobody2")
    with pytest.raises(BadValue, match="30d"):
        credentials.create_key("rea", expires_in="soon")


def test_the_last_admin_cannot_be_removed(credentials: Credentials) -> None:
    credentials.add_user("root", "admin")
    with pytest.raises(BadValue, match="last admin"):
        credentials.remove_user("root")
    credentials.add_user("olga", "admin")
    assert credentials.remove_user("root") == 0


def test_commands_make_list_and_revoke_keys_and_show_the_value_once(tmp_path: Path) -> None:
    env = surroundings(tmp_path)

    def said(*arguments: str) -> Any:
        return json.loads(helix(*arguments, "--json", env=env).stdout)

    said("user", "add", "ann")
    made = said("key", "create", "ann", "--name", "laptop", "--project", "shop", "--permission", "recall",
                "--agent", "claude", "--harness", "claude-code", "--expires", "30d")  # fmt: skip
    assert parse_key(made["key"]) is not None
    [listed] = said("key", "list")
    assert "key" not in listed
    assert made["key"].partition(".")[2] not in helix("key", "list", env=env).stdout
    assert (listed["name"], listed["projects"], listed["permissions"]) == ("laptop", ["shop"], ["recall"])
    assert (listed["agent"], listed["harness"], listed["revoked_at"]) == ("claude", "claude-code", None)
    assert said("key", "create", "ann", "--connector", "github")["permissions"] == [
        "documents",
        "recall",
        "remember",
    ]
    said("key", "revoke", listed["id"])
    assert listed["id"] not in [key["id"] for key in said("key", "list")]
    assert listed["id"] in [key["id"] for key in said("key", "list", "--all")]
    assert said("user", "remove", "ann") == {"user": "ann", "revoked_keys": 1}
    assert said("user", "list") == []


def test_a_key_that_is_revoked_opens_nothing_from_the_next_request_on(team: TeamServed) -> None:
    key, other = team.key("ann"), team.key("ann")
    assert team.ask("GET", "/recent", key).status_code == 200
    team.helix("key", "revoke", id_of(key))
    assert team.ask("GET", "/recent", key).status_code == 401
    assert team.ask("GET", "/recent", other).status_code == 200


def test_a_key_that_has_expired_opens_nothing(team: TeamServed) -> None:
    credentials = Credentials(team.place / "config")
    key, text = credentials.create_key("ann", expires_in="1h")
    assert team.ask("GET", "/recent", text).status_code == 200
    with credentials.file.writing() as db:
        db.execute("UPDATE keys SET expires_at = '2026-01-01T00:00:00Z' WHERE id = ?", (key.id,))
    credentials.close()
    assert team.ask("GET", "/recent", text).status_code == 401


def test_the_last_use_of_a_key_is_told(team: TeamServed) -> None:
    key = team.key("bob")

    def last_used() -> str | None:
        [listed] = [one for one in team.helix("key", "list") if one["id"] == id_of(key)]
        used: str | None = listed["last_used_at"]
        return used

    assert last_used() is None
    assert team.ask("GET", "/recent", key).status_code == 200
    wait_for(lambda: last_used() is not None, seconds=30)


@contextmanager
def listening(team: TeamServed, method: str, path: str, headers: dict[str, str]) -> Iterator[threading.Event]:
    """A stream that is being read; the event is set when it ends."""
    begun, ended = threading.Event(), threading.Event()

    def listen() -> None:
        with httpx.stream(method, team.url + path, headers=headers, timeout=60) as answer:
            assert answer.status_code == 200, answer.read()
            begun.set()
            for _ in answer.iter_raw():
                pass
        ended.set()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert begun.wait(30)
    yield ended
    thread.join(30)


def open_session(team: TeamServed, key: str, name: str = "tests") -> str:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"},
        },
    }  # fmt: skip
    answer = team.ask("POST", "/mcp", key, MCP_HEADERS, json=hello)
    assert answer.status_code == 200, answer.text
    session = answer.headers["Mcp-Session-Id"]
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert say(team, key, session, ready).status_code == 202
    return str(session)


def say(team: TeamServed, key: str, session: str, message: dict[str, Any]) -> httpx.Response:
    return team.ask("POST", "/mcp", key, {**MCP_HEADERS, "Mcp-Session-Id": session}, json=message)


LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@pytest.mark.parametrize("road", ["/events", "/mcp/sse", "/mcp"])
def test_a_stream_that_is_open_ends_with_its_key_and_no_other(team: TeamServed, road: str) -> None:
    key, other = team.key("ann"), team.key("ann")
    headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
    if road == "/mcp":
        headers |= {"Mcp-Session-Id": open_session(team, key), "MCP-Protocol-Version": "2025-06-18"}
    others = {"Authorization": f"Bearer {other}"}
    with listening(team, "GET", "/events", others) as stays, listening(team, "GET", road, headers) as ends:
        began = time.monotonic()
        team.helix("key", "revoke", id_of(key))
        assert ends.wait(30), "the stream outlived its key"
        assert time.monotonic() - began < 30
        assert not stays.is_set()
        team.helix("key", "revoke", id_of(other))
        assert stays.wait(30)


def test_a_session_of_mcp_ends_with_its_key(team: TeamServed) -> None:
    key = team.key("ann")
    session = open_session(team, key)
    assert say(team, key, session, LIST).status_code == 200
    team.helix("key", "revoke", id_of(key))
    assert say(team, key, session, LIST).status_code == 401


def test_a_session_belongs_to_its_user_whichever_of_their_keys_they_show(team: TeamServed) -> None:
    session = open_session(team, team.keys["ann"])
    assert say(team, team.key("ann"), session, LIST).status_code == 200
    assert say(team, team.keys["bob"], session, LIST).status_code == 404
    assert say(team, team.owner_token, session, LIST).status_code == 404


def test_who_is_removed_is_out_and_comes_back_without_the_old_keys(team: TeamServed) -> None:
    team.helix("user", "add", "temp")
    key = team.key("temp")
    assert team.ask("GET", "/recent", key).status_code == 200
    team.helix("user", "remove", "temp")
    assert team.ask("GET", "/recent", key).status_code == 401
    team.helix("user", "add", "temp")
    assert team.ask("GET", "/recent", key).status_code == 401
