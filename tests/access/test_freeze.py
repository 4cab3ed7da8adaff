"""A vault that is frozen: what would change it is refused with the reason, on every road; reading goes on."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from helix.errors import Frozen
from helix.memory.maintenance.freeze import FREEZE_FILE, Freeze
from tests.cli.commands import helix
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import serving, surroundings

TEXT = {"text": "The ferry leaves at seven from the northern pier.", "scope": "global", "force": True}


def test_changes_are_refused_with_the_reason_until_thawed_also_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        memory = served.remember("The pilot boat is moored at berth four.", scope="global")
        told = json.loads(helix("freeze", "moving house.", "--json", env=dict(served.env)).stdout)
        assert told["frozen"]["reason"] == "moving house"
        before = served.bytes()
        for method, path, body in (
            ("POST", "/remember", TEXT),
            ("POST", "/forget", {"id": memory}),
            ("PATCH", f"/memory/{memory}", {"title": "Berth"}),
            ("POST", "/consolidate", {}),
        ):
            answer = served.http.request(method, path, json=body)
            assert answer.status_code == 503, path
            assert answer.json()["code"] == "frozen"
            assert "moving house" in answer.json()["error"]
        assert served.http.get("/recall", params={"q": "pilot boat"}).json()["results"]
        assert served.http.get("/status").json()["frozen"]["by"] == "the owner of the machine"
        assert served.bytes() == before
        env = served.env
    with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=30) as http:
        assert http.post("/remember", json=TEXT).status_code == 503
        assert http.post("/thaw", json={}).json() == {"frozen": None}
        assert http.post("/remember", json=TEXT).status_code == 200
        assert "frozen" not in http.get("/status").json()


def test_commands_without_a_daemon_do_not_go_round_it(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    helix("init", env=env)
    helix("freeze", "a backup runs", env=env)
    (tmp_path / "vault" / "Zettel.md").write_text("A note without an id.\n")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.md").write_text("# One\n\nThe buoy is green.\n")
    for arguments in (
        ("remember", "The buoy is green.", "--global"),
        ("adopt", "--all"),
        ("import", str(tmp_path / "notes"), "--format", "markdown"),
        ("consolidate",),
    ):
        done = helix(*arguments, env=env, ok=False)
        assert done.returncode == 5, arguments
        assert "a backup runs" in done.stderr
    helix("thaw", env=env)
    helix("adopt", "--all", env=env)


def test_a_state_of_being_frozen_that_cannot_be_read_still_freezes(tmp_path: Path) -> None:
    (tmp_path / FREEZE_FILE).write_text("{")
    freeze = Freeze(tmp_path)
    with pytest.raises(Frozen, match="helix thaw"):
        freeze.check()
    freeze.end()
    freeze.check()
