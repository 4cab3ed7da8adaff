"""Where the SDK finds the daemon, and what it says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from helix_mcp.settings import Options
from helix_mcp.settings import Settings as ShimSettings

from helix.client.errors import BadSettings
from helix.client.settings import ClientSettings, find_settings


def find(env: dict[str, str] | None = None, folder: str = "/", **given: str | None) -> ClientSettings:
    names = ("url", "token", "project", "session", "client")
    said = {name: given.get(name) for name in names}
    return find_settings(**said, env={"HELIX_CONFIG_DIR": "/nowhere", **(env or {})}, folder=folder)


def test_what_is_given_counts_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('port = 5003\ntoken = "from-file"\n')
    env = {"HELIX_CONFIG_DIR": str(tmp_path)}
    assert find().url == "http://127.0.0.1:7878"
    assert find(env).url == "http://127.0.0.1:5003"
    assert find(env).owner.headers()["Authorization"] == "Bearer from-file"
    assert find({**env, "HELIX_PORT": "5002"}).url == "http://127.0.0.1:5002"
    assert find({**env, "HELIX_URL": "http://[::1]:5001/"}).url == "http://[::1]:5001"
    assert find({**env, "HELIX_URL": "http://localhost:1"}, url="http://localhost:5000").url.endswith(":5000")
    assert find({**env, "HELIX_TOKEN": "t"}, token="").owner.headers() == {}


def test_the_local_token_is_shown_to_this_machine_only(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("local-secret\n")
    env = {"HELIX_CONFIG_DIR": str(tmp_path)}
    for url in ("http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "http://127.8.8.8:1"):
        assert find(env, url=url).owner.headers()["Authorization"] == "Bearer local-secret"
    for url in ("http://10.0.0.8:1", "https://127.0.0.1.evil.example", "https://memory.example/helix"):
        assert find(env, url=url).owner.headers() == {}
    assert "local-secret" not in repr(find(env))


@pytest.mark.parametrize(
    "url", ["7878", "ftp://127.0.0.1", "http://", "http://a@b", "http://h:0", "http://h?x"]
)
def test_an_address_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(BadSettings, match=r"http://127\.0\.0\.1:7878|is not a port") as caught:
        find(url=url)
    assert isinstance(caught.value, ValueError)


def test_a_broken_file_of_settings_and_a_broken_token_are_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("port = = 3")
    with pytest.raises(BadSettings, match=r"config\.toml"):
        find({"HELIX_CONFIG_DIR": str(tmp_path)})
    with pytest.raises(BadSettings, match="HELIX_TOKEN"):
        find({"HELIX_TOKEN": "kö\nnig"})


def test_a_program_in_a_repository_shares_the_memory_of_the_agent_there(tmp_path: Path) -> None:
    folder = tmp_path / "billing-api" / "src"
    (folder.parent / ".git").mkdir(parents=True)
    folder.mkdir()
    env = {"HELIX_CONFIG_DIR": str(tmp_path)}
    agent = ShimSettings(Options(), env, str(folder))
    mine = find(env, folder=str(folder))
    assert mine.headers["Helix-Project"] == agent.headers["Helix-Project"] == "billing-api"
    assert mine.url == agent.address.url
    assert find({**env, "HELIX_PROJECT": "other"}, folder=str(folder)).headers["Helix-Project"] == "other"
    assert "Helix-Project" not in find(env, folder=str(folder), project="").headers
