"""Who did what: every verb, tool and refusal is written down, and a line that is changed or missing shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helix.access.audit import AUDIT_FOLDER, Audit, read_lines
from tests.access.team import TeamServed, id_of, serving_team
from tests.access.test_keys import open_session, say
from tests.cli.commands import helix

WORD = "quadrifolium"


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    with serving_team(tmp_path_factory.mktemp("audited")) as one:
        yield one


def entries(team: TeamServed, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = team.helix("audit", *options)["entries"]
    return found


def test_what_was_asked_is_written_down_with_who_and_from_where_and_no_text(audited: TeamServed) -> None:
    key = audited.keys["ann"]
    made = audited.ask(
        "POST",
        "/remember",
        audited.owner_token,
        json={"text": f"The {WORD} stands at the gate.", "scope": "global"},
    ).json()
    audited.ask("GET", f"/recall?q={WORD}", key, {"Helix-Client": "curl", "Helix-Project": "shop"})
    audited.ask("POST", "/forget", audited.keys["rea"], json={"id": made["id"]})
    audited.ask("GET", "/memory/mem_nothing", key)
    audited.ask("GET", "/hosts", audited.keys["olga"])
    audited.ask("GET", "/recent", f"{key[:-3]}abc")
    session = open_session(audited, key)
    call = {"name": "memory_get", "arguments": {"id": "mem_of_a_tool"}}
    say(audited, key, session, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call})

    [written] = entries(audited, "--verb", "write")
    assert (written["user"], written["outcome"], written["ids"]) == ("local", "allowed", [made["id"]])
    [searched] = entries(audited, "--verb", "search")
    assert (searched["user"], searched["client"], searched["project"]) == ("ann", "curl", "shop")
    assert (searched["address"], searched["key"]) == ("127.0.0.1", id_of(key))
    refused = {(entry["user"], entry["what"], entry["code"]) for entry in entries(audited, "--refused")}
    assert ("rea", "POST /forget", "forbidden") in refused
    assert ("unknown", "GET /recent", "unauthorized") in refused
    failed, tool = sorted(entries(audited, "--verb", "get"), key=lambda entry: entry["ids"])
    assert (failed["ids"], failed["outcome"], failed["code"]) == (["mem_nothing"], "failed", "not-found")
    assert tool["ids"] == ["mem_of_a_tool"]
    assert "GET /hosts" in [entry["what"] for entry in entries(audited, "--user", "olga")]
    assert entries(audited, "--since", "2099-01-01") == []

    folder = next((audited.place / "state" / "vaults").iterdir()) / AUDIT_FOLDER
    for file in folder.iterdir():
        assert file.stat().st_mode & 0o077 == 0
        assert WORD.encode() not in file.read_bytes().replace(made["id"].encode(), b"")


def test_admins_read_it_over_http_and_others_do_not(audited: TeamServed) -> None:
    audited.ask("GET", "/recent", audited.keys["bob"])
    answer = audited.ask("GET", "/audit", audited.keys["root"], params={"user": "bob", "limit": 1}).json()
    assert [entry["what"] for entry in answer["entries"]] == ["recent"]
    assert answer["problems"] == []
    for name in ("olga", "ann", "rea"):
        assert audited.ask("GET", "/audit", audited.keys[name]).status_code == 403
    assert audited.ask("GET", "/audit", audited.keys["root"], params={"who": "bob"}).status_code == 400
    assert audited.ask("GET", "/audit", audited.keys["root"], params={"since": "soon"}).status_code == 400


def test_one_person_has_none(tmp_path: Path) -> None:
    from tests.surfaces.conftest import serving

    with serving(tmp_path) as served:
        served.http.get("/recent")
        assert served.http.get("/audit").status_code == 404
    assert not list((tmp_path / "state").rglob(AUDIT_FOLDER))


def write(state: Path, count: int) -> list[Path]:
    audit = Audit(state)
    for number in range(count):
        audit.add("verb.allowed", "ann", {"verb": "get", "ids": [f"mem_{number}"]})
    audit.close()
    return sorted((state / AUDIT_FOLDER).iterdir())


def problems(state: Path) -> list[tuple[int, str]]:
    return [
        (line.number, line.problem) for line in read_lines(state / AUDIT_FOLDER) if line.problem is not None
    ]


def test_the_chain_goes_on_where_it_ended_also_after_a_torn_line(tmp_path: Path) -> None:
    [file] = write(tmp_path, 3)
    write(tmp_path, 2)
    assert problems(tmp_path) == []
    file.write_bytes(file.read_bytes() + b'{"seq": 6, "torn')
    write(tmp_path, 1)
    assert [number for number, _ in problems(tmp_path)] == [6]
    assert [line.event.seq for line in read_lines(tmp_path / AUDIT_FOLDER) if line.event] == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]


def test_a_line_that_was_changed_removed_or_added_shows(tmp_path: Path) -> None:
    [file] = write(tmp_path, 5)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], lines[2].replace(b"mem_2", b"mem_9"), *lines[3:]]))
    assert [number for number, _ in problems(tmp_path)] == [3]
    file.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    assert [number for number, _ in problems(tmp_path)] == [3]
    file.write_bytes(b"".join([*lines[:3], lines[2], *lines[3:]]))
    assert problems(tmp_path)[0][0] == 4
    file.write_bytes(b"".join(lines))
    assert problems(tmp_path) == []


def test_a_full_file_is_followed_by_another_in_the_same_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helix.access.audit._FULL", 500)
    assert len(write(tmp_path, 9)) > 2
    write(tmp_path, 1)
    assert problems(tmp_path) == []
    assert len(list(read_lines(tmp_path / AUDIT_FOLDER))) == 10


def test_the_command_says_whether_the_chain_holds(audited: TeamServed) -> None:
    env = dict(audited.env)
    audited.ask("GET", "/recent", audited.keys["bob"])
    assert "the chain holds" in helix("audit", "--verify", env=env).stdout
    folder = next((audited.place / "state" / "vaults").iterdir()) / AUDIT_FOLDER
    [file] = folder.iterdir()
    whole = file.read_bytes()
    first, rest = whole.split(b"\n", 1)
    event = json.loads(first)
    file.write_bytes(json.dumps({**event, "actor": "nobody"}).encode() + b"\n" + rest)
    try:
        done = helix("audit", "--verify", env=env, ok=False)
        assert done.returncode == 1
        assert "line 1" in done.stderr
    finally:
        file.write_bytes(whole)
