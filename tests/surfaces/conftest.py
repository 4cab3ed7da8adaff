"""One real helixd for the tests of a worker, on a vault of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from helix.config import ENVIRONMENT
from helix.vault.paths import TEMP_PREFIX
from tests.cli.commands import helix
from tests.flows.daemon import Daemon, free_port, running_daemon


@dataclass(frozen=True)
class Served:
    daemon: Daemon
    place: Path
    env: Mapping[str, str]
    http: httpx.Client

    @property
    def url(self) -> str:
        return self.daemon.url

    @property
    def vault(self) -> Path:
        return self.place / "vault"

    def bytes(self) -> dict[str, bytes]:
        """Every file of the vault, git's own and those that a swap keeps for a moment aside."""
        return {
            str(file.relative_to(self.vault)): file.read_bytes()
            for file in sorted(self.vault.rglob("*"))
            if file.is_file()
            and ".git" not in file.relative_to(self.vault).parts
            and not file.name.startswith(TEMP_PREFIX)
        }

    def remember(self, text: str, **more: object) -> str:
        answer = self.http.post("/remember", json={"text": text, "force": True, **more})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])


def surroundings(place: Path, model: str = "none") -> dict[str, str]:
    """An environment in which vault, state and config lie in this place; words only, unless a model is named."""
    kept = {key: value for key, value in os.environ.items() if key not in ENVIRONMENT}
    return {
        **kept,
        # A test may turn capture on, and what this person's agents wrote down is none of its business.
        "HOME": str(place),
        "HELIX_VAULT": str(place / "vault"),
        "HELIX_STATE_DIR": str(place / "state"),
        "HELIX_CONFIG_DIR": str(place / "config"),
        "HELIX_PORT": str(free_port()),
        "HELIX_MODEL": model,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@contextmanager
def serving(place: Path, **settings: str) -> Iterator[Served]:
    """A daemon with these settings, on a starter vault under git in this place."""
    env = {**surroundings(place), **settings}
    helix("init", "--git", env=env)
    with (
        running_daemon(env) as daemon,
        httpx.Client(base_url=daemon.url, timeout=30) as http,
    ):
        yield Served(daemon, place, env, http)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Shared: a test looks for what it wrote itself, and leaves no switch other than it was."""
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one
