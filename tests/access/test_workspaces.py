"""The list of workspaces: in the config folder, written by commands and by hand, and bounded by each credential."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helix.access.credentials import Credentials, KeyBounds
from helix.access.credentials_file import CREDENTIALS_FILE
from helix.access.key_ring import KeyRing
from helix.access.workspaces import WORKSPACES_FILE, Workspaces
from helix.errors import AlreadyExists, BadValue, ConfigError, Forbidden, HelixError, WorkspaceNotFound
from helix.memory.principal import LOCAL, UNKNOWN, Principal
from helix.vault.times import utc_now


@pytest.fixture
def listed(tmp_path: Path) -> Workspaces:
    found = Workspaces(tmp_path / "config", tmp_path / "vault")
    found.add("acme", "web", tmp_path / "web")
    found.add("acme", "api", tmp_path / "api")
    found.add("main", "work", tmp_path / "work")
    return found


def test_a_credential_opens_what_its_org_and_its_bounds_leave(listed: Workspaces) -> None:
    acme, api = Principal("a", org="acme"), Principal("b", org="acme", workspaces=frozenset({"api"}))
    main = Principal("c", org="main")
    assert [one.full_name for one in listed.open_to(acme)] == ["acme.web", "acme.api"]
    assert [one.full_name for one in listed.open_to(api)] == ["acme.api"]
    assert [one.full_name for one in listed.open_to(main)] == ["main", "work"]
    assert [one.full_name for one in listed.open_to(LOCAL)] == ["main", "acme.web", "acme.api", "work"]
    assert not [*listed.open_to(Principal("d")), *listed.open_to(UNKNOWN)]
    assert listed.chosen(acme, None).full_name == listed.chosen(acme, "acme.web").full_name == "acme.web"
    assert listed.chosen(LOCAL, "acme.api").name == "api"
    assert listed.chosen(LOCAL, None).is_main
    for principal, name in (
        (acme, "main"),
        (acme, "main.main"),
        (acme, "work"),
        (api, "web"),
        (main, "acme.web"),
    ):
        with pytest.raises(Forbidden, match="there is no workspace"):
            listed.chosen(principal, name)
    with pytest.raises(Forbidden, match="bound to no workspace"):
        listed.chosen(Principal("d", user="dan"), None)
    with pytest.raises(WorkspaceNotFound):
        listed.chosen(LOCAL, "nothing")


def test_archived_ones_are_refused_and_nobody_is_moved_to_another_without_a_word(listed: Workspaces) -> None:
    acme = Principal("a", org="acme")
    listed.archive("acme.web")
    for named in (None, "web"):
        with pytest.raises(Forbidden, match="archived"):
            listed.chosen(acme, named)
    assert listed.chosen(acme, "api").name == "api"
    listed.restore("acme.web")
    assert listed.chosen(acme, None).name == "web"


def test_what_is_changed_by_hand_counts_and_what_cannot_be_read_is_said(
    listed: Workspaces, tmp_path: Path
) -> None:
    file = tmp_path / "config" / WORKSPACES_FILE
    assert file.stat().st_mode & 0o077 == 0
    content = json.loads(file.read_text())
    content["workspaces"] = content["workspaces"][1:]
    file.write_text(json.dumps(content))
    assert listed.find("acme.web") is None
    content["workspaces"] *= 2
    for wrong in ("{", json.dumps(content), '{"workspaces": [{"org": "../x", "name": "y", "vault": "/z"}]}'):
        file.write_text(wrong)
        with pytest.raises(ConfigError, match=WORKSPACES_FILE):
            listed.all()


def test_no_two_have_a_folder_or_a_name_in_common(listed: Workspaces, tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "web")
    for vault in ("web", "web/inside", "link", "vault", "."):
        with pytest.raises(AlreadyExists):
            listed.add("rival", "web", tmp_path / vault)
    with pytest.raises(AlreadyExists):
        listed.add("acme", "web", tmp_path / "other")
    with pytest.raises(AlreadyExists):
        listed.add("main", "main", tmp_path / "other")
    for name in ("", "A", "a.b", "../a", "-a", "a" * 41):
        with pytest.raises(BadValue):
            listed.add("acme", name, tmp_path / "other")
    with pytest.raises(BadValue, match="own workspace"):
        listed.archive("main")


def test_commands_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    def add(number: int) -> None:
        Workspaces(tmp_path / "config", tmp_path / "vault").add("acme", f"n{number}", tmp_path / f"n{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(24)))
    assert len(Workspaces(tmp_path / "config", tmp_path / "vault").all()) == 25


def test_users_and_keys_from_before_there_were_workspaces_are_of_the_org_main(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / CREDENTIALS_FILE) as db:
        db.executescript("""
CREATE TABLE users (name TEXT PRIMARY KEY, role TEXT NOT NULL, created_at TEXT NOT NULL, removed_at TEXT);
CREATE TABLE keys (id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users (name), name TEXT NOT NULL,
    hash TEXT NOT NULL, role TEXT NOT NULL, permissions TEXT, projects TEXT, agent TEXT, connector TEXT, harness TEXT,
    created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT, last_used_at TEXT);
INSERT INTO users VALUES ('ann', 'admin', '2026-01-01T00:00:00Z', NULL);
INSERT INTO keys VALUES ('0123456789abcdef', 'ann', '', 'x', 'admin', NULL, NULL, NULL, NULL, NULL,
    '2026-01-01T00:00:00Z', NULL, NULL, NULL);
PRAGMA user_version = 1;
""")
    db.close()
    credentials = Credentials(tmp_path)
    [user], [key] = credentials.list_users(), credentials.list_keys()
    assert (user.org, user.workspaces, key.bounds) == ("main", None, KeyBounds())
    _, text = credentials.create_key("ann", bounds=KeyBounds(workspaces=frozenset({"work"})))
    holder = KeyRing(credentials, utc_now).prove(text)
    assert holder is not None
    assert (holder.principal.org, holder.principal.workspaces) == ("main", frozenset({"work"}))
    credentials.close()


def test_a_key_opens_no_more_than_its_user(tmp_path: Path) -> None:
    credentials = Credentials(tmp_path)
    credentials.add_user("ann", "admin")
    credentials.add_user("zoe", "agent", org="acme", workspaces=["web", "api"])
    with pytest.raises(HelixError, match="'other'"):
        credentials.create_key("zoe", bounds=KeyBounds(workspaces=frozenset({"api", "other"})))
    _, text = credentials.create_key("zoe")
    holder = KeyRing(credentials, utc_now).prove(text)
    assert holder is not None
    assert (holder.principal.org, holder.principal.workspaces) == ("acme", frozenset({"web", "api"}))
    credentials.close()
