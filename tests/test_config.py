from __future__ import annotations

from pathlib import Path

import pytest

from helix.config import Config, load
from helix.errors import ConfigError


def loaded(tmp_path: Path, toml: str = "", env: dict[str, str] | None = None, **flags: object) -> Config:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config/config.toml").write_text(toml)
    return load({"HELIX_CONFIG_DIR": str(tmp_path / "config"), **(env or {})}, tmp_path / "home", flags)


def test_without_any_setting_the_vault_is_in_the_home_and_the_daemon_on_the_loopback(tmp_path: Path) -> None:
    config = loaded(tmp_path)
    assert config.vault == tmp_path / "home/helix-vault"
    assert config.base_url == "http://127.0.0.1:7878"
    assert config.git.autocommit is False
    assert config.vault not in (config.state_dir, *config.state_dir.parents)


def test_a_flag_wins_over_the_environment_which_wins_over_the_file(tmp_path: Path) -> None:
    toml, env = 'port = 1\nhost = "file"\nurl = "file"\n', {"HELIX_PORT": "2", "HELIX_HOST": "env"}
    config = loaded(tmp_path, toml, env, port=3, host=None)
    assert (config.port, config.host, config.url) == (3, "env", "file")


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    assert loaded(tmp_path, env={"HELIX_VAULT": " "}).vault == tmp_path / "home/helix-vault"


def test_a_table_changes_only_what_it_names(tmp_path: Path) -> None:
    config = loaded(tmp_path, "[follow]\nvanish_grace = 5\n[git]\nautocommit = true\n")
    assert (config.follow.vanish_grace, config.follow.scan_interval) == (5.0, 60.0)
    assert isinstance(config.follow.vanish_grace, float)
    assert config.git.autocommit is True


def test_a_list_of_names_is_a_list_of_texts(tmp_path: Path) -> None:
    assert loaded(tmp_path, '[dialects]\nenabled = ["zaxy", "vault"]\n').dialects.enabled == ("zaxy", "vault")
    for value in ("[1]", '"zaxy, vault"'):
        with pytest.raises(ConfigError, match="no list of texts"):
            loaded(tmp_path, f"[dialects]\nenabled = {value}\n")


def test_a_tilde_is_the_home_that_was_handed_in(tmp_path: Path) -> None:
    assert loaded(tmp_path, 'vault = "~/notes"\n').vault == tmp_path / "home/notes"
    assert loaded(tmp_path, 'vault = "~"\n').vault == tmp_path / "home"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("prot = 1\n", ["config.toml", "'prot'", "'port'"]),
        ("[follow]\nvanish = 1\n", ["[follow]", "'vanish_grace'"]),
        ("follow = 1\n", ["table", "[follow]"]),
        ('port = "many"\n', ["port", "many"]),
        ("port = 70000\n", ["port"]),
        ("port = -1\n", ["port"]),
        ("port = true\n", ["port"]),
        ('[git]\nautocommit = "yes"\n', ["autocommit"]),
        ("[follow]\nsettle_ms = 0.5\n", ["settle_ms"]),
        ("port = inf\n", ["port"]),
        ("vault = 7\n", ["vault"]),
        ("[follow]\nvanish_grace = nan\n", ["vanish_grace"]),
        ("port = \n", ["config.toml", "line 1"]),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_by_name(
    tmp_path: Path, toml: str, words: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, toml)
    assert [word for word in words if word not in caught.value.message] == []


def test_the_token_is_not_shown_when_the_settings_are_printed(tmp_path: Path) -> None:
    assert "s3cret" not in repr(loaded(tmp_path, env={"HELIX_TOKEN": "s3cret"}))


def test_an_ipv6_host_is_written_in_brackets(tmp_path: Path) -> None:
    assert loaded(tmp_path, env={"HELIX_HOST": "::1"}).base_url == "http://[::1]:7878"
