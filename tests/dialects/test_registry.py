"""Which dialects are served: all, or those that the settings name."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from helix.dialects.registry import REGISTERED, enabled
from helix.errors import ConfigError
from tests.cli.commands import helix
from tests.flows.daemon import free_port, running_daemon, starting_daemon

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_the_default_one_is_always_there_and_all_means_each() -> None:
    assert list(enabled(["all"])) == list(REGISTERED)
    assert list(enabled(["zaxy"])) == ["helix", "zaxy"]
    assert list(enabled([])) == ["helix"]
    with pytest.raises(ConfigError, match="helix, vault, zaxy"):
        enabled(["zaxi"])


def test_a_dialect_that_is_not_enabled_has_no_path(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    helix("config", "set", "dialects.enabled", "vault, ")
    assert 'enabled = ["vault"]' in (place / "config" / "config.toml").read_text()
    with running_daemon() as daemon:
        for path in ("/mcp/zaxy", "/mcp/zaxy/sse", "/mcp/zaxy/messages/"):
            refused = httpx.post(daemon.url + path, json=PING, timeout=30)
            assert refused.status_code == 404
            assert "there are helix, vault" in refused.json()["error"]
        assert httpx.post(f"{daemon.url}/mcp/vault", json=PING, timeout=30).status_code == 401
        accepted = {"accept": "application/json, text/event-stream"}
        assert httpx.post(f"{daemon.url}/mcp", json=PING, headers=accepted, timeout=30).status_code != 404


def test_a_name_that_is_none_is_said_when_the_daemon_starts(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    helix("config", "set", "dialects.enabled", "zaxi")
    with starting_daemon() as daemon:
        assert daemon.process.wait(30) != 0
        assert "dialects.enabled names 'zaxi'; there are helix, vault, zaxy" in daemon.last_words()
