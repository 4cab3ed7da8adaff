"""Whom a daemon of each mode lets in, asked over real sockets, and with what it refuses to start."""

from __future__ import annotations

import ssl
import subprocess
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.access.certificate import make_certificate
from tests.access.team import TeamServed, make_people, serving_team
from tests.cli.commands import BIN
from tests.flows.daemon import starting_daemon
from tests.surfaces.conftest import surroundings
from tests.waiting import wait_for

BEHIND_A_PROXY = [
    {"X-Forwarded-For": "127.0.0.1"},
    {"X-Forwarded-For": "203.0.113.9"},
    {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"},
    {"Via": "1.1 somewhere"},
]


def test_a_team_is_asked_for_a_key_on_every_path_but_the_open_ones(team: TeamServed) -> None:
    for path in ("/stats", "/recent", "/events", "/openapi.json", "/mcp", "/nowhere"):
        answer = team.ask("GET", path)
        assert answer.status_code == 401, path
        assert answer.headers["WWW-Authenticate"].startswith("Bearer resource_metadata=")
        assert "helix key create" in answer.json()["error"]
    assert team.ask("GET", "/").status_code == 200
    assert team.ask("GET", "/recent", team.keys["ann"]).status_code == 200


def test_a_key_is_taken_in_either_header_and_with_a_doubled_word(team: TeamServed) -> None:
    key = team.keys["ann"]
    for headers in (
        {"Authorization": f"Bearer {key}"},
        {"Authorization": f"bearer   {key}"},
        {"Authorization": f"Bearer Bearer {key}"},
        {"x-api-key": key},
        {"x-api-key": f"Bearer {key}"},
        {"x-api-key": key, "Authorization": f"Bearer {key}"},
    ):
        assert team.ask("GET", "/recent", headers=headers).status_code == 200, headers
    for headers in (
        {"Authorization": f"Basic {key}"},
        {"Authorization": f"Bearer {key}x"},
        {"Authorization": f"Bearer {key[:-1]}"},
        {"Authorization": f"Bearer {key.replace('hx_', 'hc_')}"},
        {"x-api-key": team.keys["bob"], "Authorization": f"Bearer {key}"},
    ):
        assert team.ask("GET", "/recent", headers=headers).status_code == 401, headers


def test_a_key_in_an_address_is_refused_even_beside_a_good_one(team: TeamServed) -> None:
    answer = team.ask("GET", f"/recent?api_key={team.keys['bob']}", team.keys["ann"])
    assert answer.status_code == 400
    assert "revoke it" in answer.json()["error"]


def test_no_key_is_ever_in_a_log_or_a_file(team: TeamServed) -> None:
    team.ask("GET", f"/recent?token={team.keys['ann']}")
    team.ask("GET", "/recent", team.keys["ann"], {"Helix-Client": "curl"})
    secret = team.keys["ann"].partition(".")[2].encode()
    team.daemon.log.seek(0)
    assert secret not in team.daemon.log.read()
    for file in (file for file in team.place.rglob("*") if file.is_file()):
        assert secret not in file.read_bytes(), file


def test_strangers_hear_of_a_team_only_that_it_runs(team: TeamServed) -> None:
    assert set(team.ask("GET", "/healthz").json()) == {"state", "version"}
    assert set(team.ask("GET", "/healthz", team.keys["ann"]).json()) == {"state", "version"}
    assert "vault" in team.ask("GET", "/healthz", team.keys["olga"]).json()


def test_the_owner_of_the_machine_comes_in_with_their_token_and_commands_show_it(team: TeamServed) -> None:
    assert team.ask("GET", "/stats", team.owner_token).status_code == 200
    for headers in BEHIND_A_PROXY:
        assert team.ask("GET", "/stats", team.owner_token, headers).status_code == 401, headers
    shown = team.helix("remember", "The office closes at six.", "--global")
    assert shown["status"] == "created"


def test_hybrid_trusts_programs_on_this_machine_and_no_header_that_says_so(hybrid: TeamServed) -> None:
    assert hybrid.ask("GET", "/stats").status_code == 200
    for headers in BEHIND_A_PROXY:
        assert hybrid.ask("GET", "/stats", headers=headers).status_code == 401, headers
        assert hybrid.ask("GET", "/recent", hybrid.keys["ann"], headers).status_code == 200, headers
    assert hybrid.ask("GET", "/stats", headers={"Host": "attacker.example"}).status_code == 421
    assert hybrid.ask("GET", "/stats", headers={"Origin": "http://attacker.example"}).status_code == 403


def test_who_shows_a_key_in_hybrid_is_its_user_and_not_the_owner(hybrid: TeamServed) -> None:
    assert hybrid.ask("GET", "/status", hybrid.keys["ann"]).status_code == 403
    assert hybrid.ask("GET", "/recent", "hx_sk_" + "0" * 16 + "." + "a" * 43).status_code == 401


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"host": "0.0.0.0"}, 'set mode = "team"'),
        ({"public_url": "https://a.example"}, "is for a team"),
        ({"mode": "crowd"}, "none of: local, team, hybrid"),
        ({"mode": "team", "host": "0.0.0.0"}, "unencrypted"),
        ({"mode": "hybrid", "host": "192.0.2.1"}, "unencrypted"),
        ({"mode": "team", "host": "0.0.0.0", "trusted_proxies": "192.0.2.7"}, "public_url"),
        (
            {"mode": "team", "trusted_proxies": "proxy.example", "public_url": "https://a.example"},
            "trusted_proxies",
        ),
        ({"mode": "team", "public_url": "http://a.example"}, "https://"),
        ({"mode": "team", "public_url": "https://a.example/helix"}, "leave the path out"),
        ({"mode": "team", "tls_certificate": "/nowhere.pem"}, "set tls_key too"),
        ({"mode": "team", "tls_certificate": "/nowhere.pem", "tls_key": "/nowhere.key"}, "cannot be read"),
        ({"mode": "team", "token": "hx_sk_x.y"}, "the key of a user"),
    ],
    ids=str,
)
def test_a_daemon_that_would_show_a_vault_to_strangers_does_not_start(
    settings: dict[str, str], says: str, tmp_path: Path
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "config").mkdir()
    lines = [f'{name} = "{value}"' for name, value in settings.items()]
    (tmp_path / "config" / "config.toml").write_text("\n".join(lines))
    done = subprocess.run(
        [BIN / "helixd"], env=surroundings(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert says in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "state").exists()


def test_a_wrong_mode_on_the_command_line_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [BIN / "helixd", "--mode", "open"], env=surroundings(tmp_path), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "local" in done.stderr


def test_behind_a_named_proxy_nobody_is_trusted_for_where_they_sit(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        'trusted_proxies = "127.0.0.1"\npublic_url = "https://memory.example.com"\n'
    )
    with serving_team(tmp_path, "hybrid") as behind:
        public = {"Host": "memory.example.com", "X-Forwarded-For": "203.0.113.9"}
        assert behind.ask("GET", "/stats").status_code == 401
        assert behind.ask("GET", "/stats", behind.owner_token).status_code == 200
        assert behind.ask("GET", "/stats", behind.owner_token, public).status_code == 401
        assert behind.ask("GET", "/recent", headers=public).status_code == 401
        assert behind.ask("GET", "/recent", behind.keys["ann"], public).status_code == 200
        page = {**public, "Origin": "https://memory.example.com", "Sec-Fetch-Site": "same-origin"}
        assert behind.ask("GET", "/recent", behind.keys["ann"], page).status_code == 200
        other = {**public, "Origin": "https://attacker.example"}
        assert behind.ask("GET", "/recent", behind.keys["ann"], other).status_code == 403


def test_a_daemon_with_a_certificate_serves_https_and_nothing_else(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        f'tls_certificate = "{certificate}"\ntls_key = "{key}"\npublic_url = "https://memory.example.com"\n'
    )
    keys = make_people(tmp_path)
    env = {**surroundings(tmp_path), "HELIX_MODE": "team"}
    (tmp_path / "vault").mkdir()
    trusting = ssl.create_default_context(cafile=str(certificate))
    with starting_daemon(env) as daemon, httpx.Client(verify=trusting, timeout=10) as http:
        url = daemon.url.replace("http:", "https:")

        def is_up() -> bool:
            assert daemon.process.poll() is None, daemon.last_words()
            with suppress(httpx.HTTPError):
                return bool(http.get(f"{url}/healthz").json()["state"] != "starting")
            return False

        wait_for(is_up, seconds=60)
        assert http.get(f"{url}/recent").status_code == 401
        assert http.get(f"{url}/recent", headers={"x-api-key": keys["ann"]}).status_code == 200
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"{daemon.url}/healthz", timeout=10)
