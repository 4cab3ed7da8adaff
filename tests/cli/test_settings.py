"""helix config: what is in force, where it comes from, and changing it without hurting the file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.commands import helix, helix_json


def test_every_setting_says_where_it_comes_from(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("port = 7001\n[git]\nquiet = 5\n")
    monkeypatch.setenv("HELIX_HOST", "127.0.0.2")
    said = {one["name"]: one for one in helix_json("--vault", str(place / "mine"), "config", "show")}
    assert (said["port"]["value"], said["port"]["origin"]) == (7001, str(place / "config" / "config.toml"))
    assert (said["git.quiet"]["value"], said["git.max_wait"]["origin"]) == (5.0, "default")
    assert said["host"]["origin"] == "HELIX_HOST"
    assert (said["vault"]["value"], said["vault"]["origin"]) == (str(place / "mine"), "the command line")


def test_a_secret_is_never_printed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIX_TOKEN", "correct-horse")
    for command in (["show"], ["show", "--json"], ["get", "token"], ["get", "token", "--json"]):
        done = helix("config", *command)
        assert "correct-horse" not in done.stdout + done.stderr
    monkeypatch.delenv("HELIX_TOKEN")
    done = helix("config", "set", "token", "battery-staple")
    assert "battery-staple" not in done.stdout + done.stderr
    assert (place / "config" / "config.toml").stat().st_mode & 0o077 == 0


def test_set_and_unset_leave_the_other_lines_as_they_are(place: Path) -> None:
    file = place / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text("# mine\nport = 7000 # low\n\n[git]\nquiet = 5   # s\n")
    helix("config", "set", "git.autocommit", "true")
    helix("config", "set", "port", "7002")
    helix("config", "set", "vault", "~/somewhere")
    text = file.read_text()
    assert "# mine\nport = 7002 # low\n" in text
    assert "quiet = 5   # s\n" in text
    said = tomllib.loads(text)
    assert (said["git"]["autocommit"], said["vault"]) == (True, "~/somewhere")
    helix("config", "unset", "git.autocommit")
    assert "autocommit" not in file.read_text()
    assert helix("config", "path").stdout.strip() == str(file)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "many"),
        ("port", "70000"),
        ("git.autocommit", "maybe"),
        ("prt", "1"),
        ("config_dir", "/x"),
        ("git", "1"),
    ],
)
def test_a_value_that_does_not_fit_is_not_written(place: Path, name: str, value: str) -> None:
    refused = helix_json("config", "set", name, value, ok=False)
    assert refused["code"] == "bad-config"
    assert not (place / "config" / "config.toml").exists()


def test_a_file_that_cannot_be_read_is_not_made_worse(place: Path) -> None:
    file = place / "config" / "config.toml"
    file.parent.mkdir()
    file.write_text("port = \n")
    assert helix_json("config", "set", "port", "7001", ok=False)["code"] == "bad-config"
    assert file.read_text() == "port = \n"


def test_what_the_environment_says_is_said_to_be_stronger(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", "7009")
    assert "HELIX_PORT is stronger" in helix("config", "set", "port", "7001").stderr


def test_a_program_is_a_list_of_its_arguments(place: Path) -> None:
    helix("config", "set", "distill.command", '["claude", "-p"]')
    assert helix_json("config", "get", "distill.command")["value"] == ["claude", "-p"]
    done = helix("config", "set", "distill.command", "claude -p", ok=False)
    assert '["claude", "-p"]' in done.stderr
    assert helix_json("config", "get", "distill.command")["value"] == ["claude", "-p"]
