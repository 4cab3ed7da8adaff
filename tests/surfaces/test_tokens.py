"""The token: made when it is needed, asked for where it is promised, changed while the daemon runs."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import httpx
import pytest

from helix import Helix
from helix.config import load
from helix.errors import ConfigError
from helix.token_file import TokenFile
from tests.cli.commands import BIN, helix, helix_json
from tests.flows.daemon import free_port, running_daemon
from tests.surfaces.conftest import Served


def token_file(place: Path, in_settings: str = "") -> TokenFile:
    return TokenFile(load({"HELIX_CONFIG_DIR": str(place), "HELIX_TOKEN": in_settings}, place))


def test_the_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    assert token_file(tmp_path).find() is None
    token = token_file(tmp_path).get()
    assert len(token) >= 40
    assert token_file(tmp_path).get() == token
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["token"]


def test_a_new_token_is_noticed_by_who_knows_the_old_one(tmp_path: Path) -> None:
    known = token_file(tmp_path)
    old = known.get()
    new = token_file(tmp_path).rotate()
    assert new != old
    assert known.get() == new


def test_a_token_in_the_settings_takes_the_place_of_the_file(tmp_path: Path) -> None:
    token_file(tmp_path).get()
    set_by_hand = token_file(tmp_path, "by-hand")
    assert set_by_hand.get() == "by-hand"
    with pytest.raises(ConfigError, match="HELIX_TOKEN"):
        set_by_hand.rotate()


def test_an_empty_file_is_no_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("\n")
    assert len(token_file(tmp_path).get()) >= 40


def test_the_tools_that_promise_a_token_ask_for_it_even_on_an_open_daemon(served: Served) -> None:
    for path in ("/mcp/vault", "/mcp/vault/", "/mcp/vault/x", "/mcp/vault?a=b", "/mcp/%76ault"):
        refused = served.http.get(path)
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized"), path
        assert refused.headers["WWW-Authenticate"] == "Bearer"
    printed = subprocess.run([str(BIN / "helix"), "token"], env=served.env, capture_output=True, text=True)
    shown = {"Authorization": f"Bearer {printed.stdout.strip()}"}
    assert served.http.get("/mcp/vault", headers=shown).status_code != 401
    assert served.http.get("/mcp/vaults").status_code == 404


def test_with_require_token_only_health_is_open_and_a_new_token_holds_at_once(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("require_token = true\n")
    helix("init")
    token = helix_json("token")["token"]
    with running_daemon() as daemon, httpx.Client(base_url=daemon.url) as http:
        assert http.get("/healthz").status_code == 200
        wrong = [
            None,
            "",
            "Bearer",
            "Bearer wrong",
            f"Basic {token}",
            token,
            f"Bearer {token}x",
            f"Bearer {token[:-1]}",
        ]
        for path in ("/stats", "/metrics", "/openapi.json", "/nowhere", "/healthz/", "/ui", "/memory/x"):
            for said in wrong:
                headers = None if said is None else {"Authorization": said}
                assert http.get(path, headers=headers).status_code == 401, (path, said)
        for said in (f"Bearer {token}", f"bearer   {token}"):
            assert http.get("/stats", headers={"Authorization": said}).status_code == 200
        assert helix_json("reindex")["problems"] == 0  # the command shows the token by itself
        with Helix(daemon.url) as client:
            client.stats()
            new = helix("token", "--rotate").stdout.strip()
            client.stats()  # a client that was made before goes on
        assert http.get("/stats", headers={"Authorization": f"Bearer {token}"}).status_code == 401
        assert http.get("/stats", headers={"Authorization": f"Bearer {new}"}).status_code == 200
